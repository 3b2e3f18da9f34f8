/* scdc version */
#include "commands.h"
#include "options.h"
#include "output.h"

#include <scdc/scdc.h>

int cmd_version(int argc, char **argv)
{
    command_line line = {
        .command = "version",
        .operands = "",
        .about = "Shows the version of the program and of the library it runs with.",
        .uses = USES_JSON,
        .examples = "  scdc version\n",
    };
    int code = options_parse(&line, argc, argv);
    if (code == OPTIONS_GO) {
        code = EXIT_GOOD;
        if (line.common.json) {
            code = print_json(json_pack("{s:s}", "version", scdc_version()));
        } else {
            printf("scdc %s\n", scdc_version());
        }
    }
    options_free(&line);
    return code;
}
