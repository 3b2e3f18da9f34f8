/* What was done to the columns of a table, and which of them want a look. */
#include "inputs.h"

#include "options.h"
#include "output.h"

#include <stdlib.h>

enum { MOST_NAMED = 6, MOST_COLUMNS = 200 }; /* more are no table that somebody looks at */

static const struct {
    scdc_column_kind kind;
    const char *what, *advice;
} notes[] = {
    {SCDC_COLUMN_CONSTANT, "one value in all items", "it tells nothing and may be left out"},
    {SCDC_COLUMN_SET_APART, "a repeated value far from all others",
     "if it stands for unknown, leave out those items or fill in for instance the median"},
    {SCDC_COLUMN_HEAVY_TAILED, "a few values far from the rest",
     "they are drawn in; look whether they are mistakes, or give their logarithm"},
    {SCDC_COLUMN_CODES, "few different whole numbers",
     "they count as amounts; if they are codes of kinds, make a column of 0 and 1 for each kind"},
};

static void say_note(size_t note, const scdc_column *columns, const scdc_data *data, size_t count)
{
    char names[400] = "";
    size_t found = 0, used = 0;
    for (size_t c = 0; c < count; c++) {
        if (columns[c].kind != notes[note].kind || found++ >= MOST_NAMED) continue;
        const char *name = scdc_data_column_name(data, c), *comma = used ? ", " : "";
        used +=
            (size_t)(name ? snprintf(names + used, sizeof names - used, "%s'%.40s'", comma, name)
                          : snprintf(names + used, sizeof names - used, "%s%zu", comma, c + 1));
    }
    if (!found) return;
    if (found > MOST_NAMED)
        snprintf(names + used, sizeof names - used, " and %zu more", found - MOST_NAMED);
    say("column%s %s: %s", found > 1 ? "s" : "", names, notes[note].what);
    hint("%s", notes[note].advice);
}

static void say_notes(const scdc_data *data, size_t count)
{
    scdc_column *columns = must_resize(NULL, count, sizeof *columns);
    if (scdc_data_columns(columns, count, data) == SCDC_OK) {
        for (size_t i = 0; i < LENGTH_OF(notes); i++) say_note(i, columns, data, count);
    }
    free(columns);
}

void say_scaling(const scdc_data *data, const scdc_model *model, bool asked)
{
    scdc_model_info info;
    if (scdc_model_get_info(&info, model) != SCDC_OK ||
        info.likelihood != SCDC_LIKELIHOOD_GAUSSIAN || info.cols < 2)
        return;
    switch (scdc_model_options(model)->scaling) {
    case SCDC_SCALING_COLUMNS:
        say("scaling: each of %zu columns by its own width%s", info.cols,
            asked ? "" : " (--scaling unit keeps their proportions)");
        if (info.cols <= MOST_COLUMNS) say_notes(data, info.cols);
        break;
    case SCDC_SCALING_UNIT:
        say("scaling: one for all %zu columns%s", info.cols,
            asked ? "" : ", which are alike (--scaling columns gives each its own)");
        break;
    default: say("scaling: none, values as they are");
    }
}
