/* The search for neighbours has two copies (base/variant.h): which of them this processor runs. */
#include "model/clusters/nearest.h"

PICK(nearest_items);
