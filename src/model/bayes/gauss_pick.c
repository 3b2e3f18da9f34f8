/* The algebra of Gaussians has two copies (base/variant.h): which of them this processor runs. */
#include "model/bayes/gauss_block.h"

PICK(gauss_from_natural);
PICK(gauss_statistics);
PICK(gauss_sample);
PICK(gauss_backward);
PICK(gauss_sample_backward);
