/* Program scdc-mpi: scdc by several processes. Process 0 is the one that talks and writes files;
 * the others do their part of a fit and are heard only when they fail alone. */
#include "commands.h"
#include "output.h"

#include <scdc/mpi.h>
#include <string.h>

static void tell(size_t rank)
{
    char prefix[64];
    snprintf(prefix, sizeof prefix, "rank %zu: ", rank);
    tell_kept(prefix);
}

/* Commands that all processes work on; other ones are process 0's. */
static bool is_shared(int argc, char **argv)
{
    return argc > 1 && (strcmp(argv[1], "fit") == 0 || strcmp(argv[1], "predict") == 0);
}

int main(int argc, char **argv)
{
    int code = EXIT_GOOD;
    take_fast_products(argv);
    if (scdc_mpi_begin(&argc, &argv) != SCDC_OK) {
        code = report_failure(SCDC_ERR_MEMORY);
    } else {
        size_t rank = scdc_ranks_rank();
        if (rank > 0) keep_messages();
        bool shared = is_shared(argc, argv);
        scdc_ranks_alone(!shared);
        if (shared || rank == 0) code = run_program(argc, argv);
        code = scdc_mpi_end(code == EXIT_ELSEWHERE ? EXIT_GOOD : code, tell);
    }
    end_program(code);
}
