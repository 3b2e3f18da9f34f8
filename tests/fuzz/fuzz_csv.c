/* Items from csv. */
#include "fuzz/items.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_items(bytes, size, "fuzz.csv");
    return 0;
}

size_t fuzz_seed(size_t number, uint8_t *out)
{
    static const char *const seeds[] = {
        "x,y\n1,2\n3.5,-4e2\n",
        "id;x;y\r\na;1;2\r\nb;3;0.30000000000000004\r\n",
        "\xef\xbb\xbfname\tv\n\"q\"\"uoted\"\t7\n\"two\nlines\"\t8\n\n",
        "1\n2\n3\n",
        ",0,1\n0,0.5,0.25\n1,1e-310,123456789012345678901234567890\n",
        "photo,x\n\"a,b\",+.5\nc,5.\n",
    };
    return number < sizeof seeds / sizeof *seeds ? fuzz_text(out, seeds[number]) : 0;
}
