/* Exit codes of several processes. */
#include "processes.h"

#include "commands.h"

#include <scdc/ranks.h>

int agree(int code)
{
    int first;
    if (scdc_ranks_count() == 1) return code;
    if (scdc_ranks_agree(&first, NULL, code) != SCDC_OK) return EXIT_FAILED;
    if (code != EXIT_GOOD || first < 0) return code != EXIT_GOOD ? code : first;
    return first == EXIT_GOOD ? EXIT_GOOD : EXIT_ELSEWHERE;
}
