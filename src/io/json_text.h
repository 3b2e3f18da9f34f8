/* Texts of users in JSON. */
#ifndef SCDC_IO_JSON_TEXT_H
#define SCDC_IO_JSON_TEXT_H

#include <jansson.h>

/* A JSON string of any bytes: what is not UTF-8 becomes question marks. NULL: out of memory. */
json_t *text_json(const char *text);

#endif
