/* Items that do not fit into memory: read and placed some at a time. Rules as in <scdc/scdc.h>. */
#ifndef SCDC_STREAM_H
#define SCDC_STREAM_H

#include <scdc/scdc.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Items some at a time, in memory that does not grow with the file: for files larger than memory
 * and for pipes ("-"). Formats and checks as with scdc_data_open, but ids that are given twice are
 * found only within a part. A directory of images and an array in Fortran order are opened as a
 * whole. */
typedef struct scdc_stream scdc_stream;
SCDC_API SCDC_MUST_CHECK int scdc_stream_open(scdc_stream **out, const char *path);
/* The next rows, at most `most`, as items to be freed by scdc_data_free before the stream is; *part
 * is NULL at the end. */
SCDC_API SCDC_MUST_CHECK int scdc_stream_next(scdc_data **part, scdc_stream *stream, size_t most);
/* Whether the last call found no more rows. Processes that work together (<scdc/ranks.h>) get a
 * part each, process 0 the next rows, process 1 those behind them; *part is NULL for one that comes
 * after the last rows, but the stream has ended when it is for all of them. Standard input is read
 * by process 0 alone. */
SCDC_API int scdc_stream_ended(const scdc_stream *stream);
/* How many rows there are in all; 0 when that is not known before the end (csv, CIFAR-10). */
SCDC_API size_t scdc_stream_rows(const scdc_stream *stream);
SCDC_API void scdc_stream_free(scdc_stream *stream);

/* What scdc_write_predictions writes, part by part, and beside it the probability of every cluster
 * as a float matrix (.npy) of `rows` rows (0: not known yet; then its path must not be a pipe). A
 * path may be NULL: that file is not written. */
typedef struct scdc_predictions scdc_predictions;
SCDC_API SCDC_MUST_CHECK int scdc_predictions_create(scdc_predictions **out,
                                                     const char *labels_path,
                                                     const char *proba_path, size_t rows,
                                                     size_t clusters);
/* The next `count` items; arrays as of scdc_predict, those of files that are not written may be
 * NULL. Of processes that work together each brings its items, those of lower rank first; process 0
 * has the files. */
SCDC_API SCDC_MUST_CHECK int scdc_predictions_add(scdc_predictions *predictions,
                                                  const scdc_data *items /* may be NULL */,
                                                  const int64_t *labels, const double *probability,
                                                  const int64_t *component, const float *proba,
                                                  size_t count);
/* How many items were added, by all processes. */
SCDC_API size_t scdc_predictions_count(const scdc_predictions *predictions);
/* Both files complete, or SCDC_ERR_OUTPUT. Without it _free leaves none of them. */
SCDC_API SCDC_MUST_CHECK int scdc_predictions_finish(scdc_predictions *predictions);
SCDC_API void scdc_predictions_free(scdc_predictions *predictions);

#ifdef __cplusplus
}
#endif

#endif
