/* JSON files of other tools: one document, or one object per line. */
#ifndef SCDC_EXCHANGE_JSON_H
#define SCDC_EXCHANGE_JSON_H

#include "exchange/fields.h"
#include "io/file.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Does the file begin like JSON? */
bool json_begins(const file_bytes *file);
/* The first record: the document itself, the first element of a list, the first line. NULL when it
 * is no JSON; freed by json_decref. Sets no message. */
json_t *json_first_record(const file_bytes *file);

/* Called with one record after the other: the elements of a list, or the lines, or the document
 * itself. `number` counts from 1: the line, or the place in the list. */
typedef int (*json_record_fn)(void *user, const json_t *record, const char *unit, size_t number);
int json_each(const file_bytes *file, json_record_fn each, void *user);

/* A string, number or truth value as text (into scratch, or the value's own); NULL for others. */
enum { JSON_SCALAR = 40 };
const char *json_scalar(char scratch[JSON_SCALAR], const json_t *value);
/* Adds all scalars of an object, those of objects inside it as "outer.inner". */
int json_flatten(fields *out, const char *prefix, const json_t *object);

#endif
