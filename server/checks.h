/* Known answers: checks among the tasks, and examples in the instructions. They come as csv with
 * the columns left, right, label; checks of a project with piles with the columns task, item,
 * group. */
#ifndef SCDC_SERVER_CHECKS_H
#define SCDC_SERVER_CHECKS_H

#include "project.h"

/* Adds the checks that are not there yet. Before the writer starts; after a failure the project
 * cannot be used. */
int checks_add(project *p, const char *path);
/* The examples as a JSON list, freed by the caller. */
int examples_json(char **out, const item_set *it, const char *path);

#endif
