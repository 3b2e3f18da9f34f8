/* For libFuzzer: puts the seeds of a harness into the corpus folder, so that none are stored. */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <sys/stat.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static uint8_t bytes[FUZZ_ROOM];
    const char *folder = NULL;
    struct stat st;
    for (int i = 1; i < *argc && !folder; i++) {
        const char *word = (*argv)[i];
        if (word[0] != '-' && stat(word, &st) == 0 && S_ISDIR(st.st_mode)) folder = word;
    }
    for (size_t i = 0, size; folder && (size = fuzz_seed(i, bytes)); i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/seed-%zu", folder, i);
        FILE *file = fopen(path, "wb");
        if (!file) continue;
        fwrite(bytes, 1, size, file);
        fclose(file);
    }
    return 0;
}
