/* Pixels as a PNG stream. Not for reading: pictures come in through data/. */
#ifndef SCDC_REPORT_PNG_H
#define SCDC_REPORT_PNG_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes pixels [height][width][channels], 1 channel grey or 3 red, green, blue, each 0 to 255.
 * Errors of the stream itself stay in the stream, for whoever opened it. */
int png_encode(FILE *stream, const uint8_t *pixels, size_t channels, size_t height, size_t width);

#endif
