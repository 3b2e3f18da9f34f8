"""Writes the C source of the extension module scdc._scdc from the public headers.

Usage: make_binding.py OUT.c OUT.d INCLUDE_FOLDER binding.c    (OUT.d tells the build which headers were read)

The declarations that cffi needs are the headers themselves, without what the preprocessor is for, so
that a change of the headers needs no change here.
"""
import pathlib
import re
import sys

import cffi

PRELUDE = "#include <scdc/{}>\n"
MACROS = re.compile(r"\b(SCDC_API|SCDC_MUST_CHECK)\b")
EXTERN_C = re.compile(r"#ifdef __cplusplus.*?#endif", re.DOTALL)
CONDITIONAL = re.compile(r"^#if defined.*?^#endif", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
NUMBER = re.compile(r"^#define (SCDC_[A-Z0-9_]+) (?:\d+|UINT32_MAX)$", re.MULTILINE)
# scdc_X(a, b), which is a macro for scdc_X_sized(a, sizeof *a, b), is called like a function.
SIZED = re.compile(r"^[^;{}]*\bscdc_\w+_sized\([^;]*;", re.MULTILINE)
DIRECTIVE = re.compile(r"^#(?:[^\n]*\\\n)*[^\n]*$", re.MULTILINE)


def declarations(text):
    """What of a header cffi understands: types, functions and numbers."""
    text = COMMENT.sub(" ", text)
    text = re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)
    text = EXTERN_C.sub("", text)
    text = CONDITIONAL.sub("", text)
    numbers = NUMBER.findall(text)
    text = MACROS.sub("", DIRECTIVE.sub("", text))
    short = [re.sub(r",\s*size_t size\b", "", one.replace("_sized(", "(")) for one in SIZED.findall(text)]
    return "\n".join([text, *short, *(f"#define {name} ..." for name in numbers), ""])


def in_order(folder):
    """The headers, each after those it includes."""
    done = []

    def add(path):
        if path in done:
            return
        for name in re.findall(r'#include [<"](?:scdc/)?([a-z_]+\.h)[>"]', path.read_text(encoding="utf-8")):
            if (folder / name).exists():
                add(folder / name)
        done.append(path)

    for path in sorted(folder.glob("*.h")):
        add(path)
    return done


def main():
    out, dependencies, include, own = (pathlib.Path(word) for word in sys.argv[1:])
    headers = in_order(include / "scdc")
    binding = own.read_text(encoding="utf-8")
    ffi = cffi.FFI()
    for path in headers:
        ffi.cdef(declarations(path.read_text(encoding="utf-8")))
    # binding.c says itself, between two marks, what of it Python sees.
    ffi.cdef(re.search(r"python:begin\n(.*?)python:end", binding, re.DOTALL).group(1))
    source = "".join(PRELUDE.format(path.name) for path in headers) + binding
    ffi.set_source("scdc._scdc", source)
    ffi.emit_c_code(str(out))
    dependencies.write_text(f"{out}: {' '.join(map(str, headers))}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
