/* Where data sets lie: in a folder as tools/get-data fills it. */
#ifndef SCDC_REPRODUCE_PLACES_H
#define SCDC_REPRODUCE_PLACES_H

/* The path of file (or folder) `name` of a data set, as tools/get-data calls the set; also found
 * gzipped, and in a folder that spells the set in another common way (mnist_crowd, cmu_faces).
 * folder NULL: $SCDC_DATA, else ~/.cache/scdc. Freed by the caller. SCDC_ERR_INPUT with the way to
 * fetch it when it is not there. */
int place_of(char **out, const char *folder, const char *set, const char *name);

#endif
