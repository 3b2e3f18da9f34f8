/* Telling a list of must-links and cannot-links from other text. */
#ifndef SCDC_EXCHANGE_MUSTLINK_H
#define SCDC_EXCHANGE_MUSTLINK_H

#include "io/file.h"

bool mustlink_looks_like(const file_bytes *file);

#endif
