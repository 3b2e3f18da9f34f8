# The checks of tools/ find what they are for: a small project with one fault of each kind.
: "${IN_SCRATCH:?run it by tests/cli/run.sh checks}"
mkdir -p tree/tools tree/src/base tree/src/model tree/cli tree/include/scdc
cp "$ROOT"/tools/check-* "$ROOT/tools/tracked-files" tree/tools/
cp "$ROOT/.clang-format" tree/
cd tree || exit 1
# A few lines of a check's output, and its exit status.
check() {
    echo "-- $1"
    tool=$1
    shift
    "tools/$tool" "$@" >../report 2>&1
    status=$?
    # Without what a compiler adds, and without the fault itself: this file is checked as well.
    grep -v -e '^ ' -e '^/' -e '^In file' ../report | sed 's/\(leftover\|machine\|alone\): .*/\1/' | head -n 8
    echo "[exit $status]"
}
good() {
    for name in check-includes check-text check-headers; do
        tools/$name >../report 2>&1 || { echo "$name complains of a good project:"; cat ../report; }
    done
}
printf '#ifndef A_H\n#define A_H\nint a(void);\n#endif\n' >src/base/a.h
printf '#include "base/a.h"\nint a(void)\n{\n    return 1;\n}\n' >src/base/a.c
printf '#include "base/a.h"\n' >src/model/m.c
printf '#include <scdc/scdc.h>\n#include <stdio.h>\n' >cli/main.c
printf '#define SCDC_API\nSCDC_API int scdc_one(void);\nSCDC_API const char *scdc_two(int,\n    int);\n' >include/scdc/scdc.h
good

printf '#include "model/m.h"\n#include "a.h"\n' >src/base/b.c
printf '#ifndef M_H\n#define M_H\nsize_t m(void);\n#endif\n' >src/model/m.h
printf '#include "base/a.h"\n' >cli/cmd.c
check check-includes
check check-headers
printf 'int x;   \n/* TO%s: later */\nint y;\r\nchar *p = "/wor%s/x";' DO k >src/base/c.c
awk 'BEGIN { for (i = 0; i < 701; i++) print "int v" i ";" }' >src/base/long.c
check check-text
printf 'int scdc_one(void){return 1;}\nint stray(void){return 2;}\nint scdc_hidden(void){return 3;}\n' >lib.c
cc -shared -fPIC lib.c -o lib.so
check check-symbols lib.so
check check-symbols absent.so
if command -v clang-format >/dev/null 2>&1; then
    rm -f lib.c src/base/long.c src/base/c.c
    printf 'int  z ;\n' >src/base/d.c
    if tools/check-format >../report 2>&1; then echo "check-format has missed a fault"; fi
fi
