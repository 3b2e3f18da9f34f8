/* Kernels there are several copies of (base/variant.h): which of them this processor runs. */
#include "kernels/activation.h"
#include "kernels/binarise.h"
#include "kernels/channels.h"
#include "kernels/conv.h"
#include "kernels/conv_ways.h"
#include "kernels/gather.h"
#include "kernels/lanes.h"
#include "kernels/likelihood.h"
#include "kernels/optimiser.h"
#include "kernels/softmax.h"

PICK(bias_add);
PICK(bias_relu);
PICK(column_sums);
PICK(relu_backward);
PICK(softplus_values);
PICK(softmax_rows);
PICK(log_softmax_rows);
PICK(log_sum_exp_rows);

PICK(binarise_u8);
PICK(binarise_row);

PICK(channels_sum);
PICK(channels_squares);
PICK(channels_normalise);
PICK(channels_slopes);
PICK(channels_back);

PICK_BROAD(conv_scratch);
PICK_BROAD(conv_forward);
PICK_BROAD(conv_backward);
PICK_BROAD(conv_patches_scratch);
PICK_BROAD(conv_patches_forward);
PICK_BROAD(conv_patches_backward);

PICK(gather_rows);

PICK(lanes_add_product);
PICK(lanes_softmax);

PICK(bernoulli_rows);
PICK(bernoulli_rows_gradient);
PICK(bernoulli_mean);
PICK(gaussian_rows);
PICK(gaussian_rows_gradient);
PICK(logistic_rows);
PICK(logistic_rows_gradient);
PICK(logistic_mean);

PICK(adam_step);
PICK(momentum_step);

PICK(softmax_vector);
PICK(softplus_vector);
PICK(decay_vector);
