/* A fit shared by processes that MPI started (libscdc_mpi, which needs MPI; libscdc does not). */
#ifndef SCDC_MPI_H
#define SCDC_MPI_H

#include <scdc/ranks.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Starts MPI (before anything that reads arguments) and has the calling thread's calls shared by
 * all processes of MPI_COMM_WORLD: scdc_fit, scdc_fit_resume, scdc_model_labels and scdc_predict,
 * called by each of them with the same arguments, and streams (<scdc/stream.h>), of which each gets
 * parts of its own. */
SCDC_API SCDC_MUST_CHECK int scdc_mpi_begin(int *argc, char ***argv);
/* Ends MPI. Every process brings the code that it would end with, and gets the one that all shall
 * end with: 0 when all brought 0, else that of the first that did not, which calls `tell` (may be
 * NULL) before. A process that failed alone waits a few seconds for the others, which may be
 * waiting for it in the middle of a sum; if they do not come it calls `tell` and ends them all
 * (MPI_Abort).
 */
SCDC_API int scdc_mpi_end(int code, void (*tell)(size_t rank));

#ifdef __cplusplus
}
#endif

#endif
