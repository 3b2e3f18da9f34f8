/* k-means has two copies (base/variant.h): which of them this processor runs. */
#include "kmeans/kmeans.h"

PICK(kmeans_fit);
PICK(kmeans_plus_plus);
PICK(kmeans_candidates);
