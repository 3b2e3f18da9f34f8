/* scdc version */
#include "commands.h"
#include "options.h"
#include "output.h"

#include <scdc/scdc.h>

#ifdef SCDC_HAVE_COLLECT
#include "../server/collect.h"
#else
static const char *collect_about(size_t index, const char **value)
{
    *value = "no";
    return index == 0 ? "collect" : NULL;
}
#endif

typedef const char *facts(size_t index, const char **value);

static int print_facts(bool json)
{
    facts *const known[] = {scdc_about, collect_about};
    const char *name, *value;
    json_t *object = json_object();
    for (size_t of = 0; of < LENGTH_OF(known); of++) {
        for (size_t i = 0; (name = known[of](i, &value)); i++) {
            if (json) json_object_set_new(object, of + i ? name : "version", json_text(value));
            else printf("%-13s %s\n", name, value);
        }
    }
    if (json) return print_json(object);
    json_decref(object);
    return EXIT_GOOD;
}

int cmd_version(int argc, char **argv)
{
    bool verbose = false;
    const option options[] = {
        OPTION(FLAG, "verbose", 'v', &verbose, NULL,
               "also the compiler, the instructions it was built for, and the libraries"),
    };
    command_line line = {
        .command = "version",
        .operands = "",
        .about = "Shows the version of the program and of the library it runs with.",
        .uses = USES_JSON,
        .options = options,
        .n_options = LENGTH_OF(options),
        .examples = "  scdc version\n"
                    "  scdc --version --verbose\n",
    };
    int code = options_parse(&line, argc, argv);
    if (code == OPTIONS_GO) {
        code = EXIT_GOOD;
        if (verbose) {
            code = print_facts(line.common.json);
        } else if (line.common.json) {
            code = print_json(json_pack("{s:s}", "version", scdc_version()));
        } else {
            printf("scdc %s\n", scdc_version());
        }
    }
    options_free(&line);
    return code;
}
