"""Programs that call each function of evenstep.h with zeros, made from bindings/evenstep.json:

  make.py FOLDER     zero.lua, zero.cpp; layout.c and layout.rs, which print sizes and offsets
"""
import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
with open(os.path.join(ROOT, "bindings", "evenstep.json"), encoding="utf-8") as file:
    API = json.load(file)
STRUCTS = {s["name"] for s in API["structs"]}
ENUMS = {e["name"] for e in API["enums"]}


def zero(kind, structure, enum):
    if "*" in kind or kind in ("es_assert_handler",):
        return None
    return structure(kind) if kind in STRUCTS else enum(kind) if kind in ENUMS else "false" if kind == "_Bool" else "0"


def main(folder):
    functions = [f for f in API["functions"] if f["header"] == "evenstep.h"]
    with open(os.path.join(folder, "zero.lua"), "w", encoding="utf-8") as out:
        out.write("local ffi, C, n = require 'ffi', require('evenstep').C, 0\n")
        for f in functions:
            arguments = [zero(p["type"], lambda t: "ffi.new '%s'" % t, lambda t: "0") or "nil" for p in f["parameters"]]
            out.write("C.%s(%s)\n" % (f["name"], ", ".join(arguments)))
        out.write("print('%d functions; ' .. ffi.string(C.es_get_error()))\n" % len(functions))
    with open(os.path.join(folder, "zero.cpp"), "w", encoding="utf-8") as out:
        out.write('#include "evenstep.hpp"\n#include <cstdio>\nint main()\n{\n')
        for f in functions:
            arguments = [zero(p["type"], lambda t: t + "{}", lambda t: t + "{}") or "nullptr" for p in f["parameters"]]
            call = "(%s)(%s)" % (f["name"], ", ".join(arguments))
            out.write("    (void)%s;\n" % call)
        out.write('    std::printf("%d functions; %%s\\n", es_get_error());\n}\n' % len(functions))
    with open(os.path.join(folder, "layout.c"), "w", encoding="utf-8") as out:
        for header in sorted({s["header"] for s in API["structs"]}):
            out.write('#include "evenstep/%s"\n' % header)
        out.write("#include <stddef.h>\n#include <stdio.h>\nint main(void)\n{\n")
        for s in API["structs"]:
            out.write('    printf("%s %%zu\\n", sizeof(%s));\n' % (s["name"], s["name"]))
            for f in s["fields"]:
                out.write('    printf("%s.%s %%zu\\n", offsetof(%s, %s));\n' % (s["name"], f["name"], s["name"], f["name"]))
        out.write("    return 0;\n}\n")
    with open(os.path.join(folder, "layout.rs"), "w", encoding="utf-8") as out:
        out.write('#[path = "%s/bindings/rust/evenstep-sys/src/lib.rs"]\n#[allow(dead_code)]\nmod sys;\n' % ROOT)
        out.write("fn main() {\n")
        for s in API["structs"]:
            out.write("    let m = std::mem::MaybeUninit::<sys::%s>::uninit();\n    let p = m.as_ptr();\n" % s["name"])
            out.write('    println!("%s {}", std::mem::size_of::<sys::%s>());\n' % (s["name"], s["name"]))
            for f in s["fields"]:
                name = "r#" + f["name"] if f["name"] in ("type", "where", "loop") else f["name"]
                out.write('    println!("%s.%s {}", unsafe { std::ptr::addr_of!((*p).%s) } as usize - p as usize);\n'
                          % (s["name"], f["name"], name))
        out.write("}\n")


main(sys.argv[1])
