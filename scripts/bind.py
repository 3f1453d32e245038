#!/usr/bin/env python3
"""Writes the generated part of each binding from bindings/evenstep.json:

  bindings/python/evenstep/c.py        ctypes
  bindings/lua/evenstep/c.lua          LuaJIT's ffi
  bindings/rust/evenstep-sys/src/lib.rs
  web/c.mjs                            JavaScript

  scripts/bind.py            writes them
  scripts/bind.py --check    exits 1 where one, or the description, is not that of the headers, and names it
"""
import json
import os
import re
import sys

import describe

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BINDINGS = os.path.join(ROOT, "bindings")
MADE = "Made by scripts/bind.py from the headers. Do not edit."

PYTHON = {"void": "None", "_Bool": "c_bool", "char": "c_char", "int": "c_int", "float": "c_float", "double": "c_double",
          "size_t": "c_size_t", "unsigned char": "c_ubyte", "uint8_t": "c_uint8", "uint16_t": "c_uint16",
          "int32_t": "c_int32", "uint32_t": "c_uint32", "int64_t": "c_int64", "uint64_t": "c_uint64"}
RUST = {"void": "c_void", "_Bool": "bool", "char": "c_char", "int": "c_int", "float": "f32", "double": "f64",
        "size_t": "usize", "unsigned char": "u8", "uint8_t": "u8", "uint16_t": "u16", "int32_t": "i32",
        "uint32_t": "u32", "int64_t": "i64", "uint64_t": "u64"}
RUST_WORDS = {"type", "where", "in", "ref", "move", "use", "loop", "match", "box", "final", "as", "fn"}


class Type:
    """A C type as clang writes it: T, const T *, T[3], R (*)(A, B)."""

    def __init__(self, text):
        function = re.match(r"^(.+?) ?\((\*?)\)?\(?(.*)\)$", text) if "(" in text else None
        self.arguments = self.result = None
        self.length = None
        if function:
            head, rest = text.split("(*)", 1) if "(*)" in text else text.split("(", 1)
            rest = rest.strip()
            rest = rest[1:-1] if rest.startswith("(") else rest.rstrip(")")
            self.result = Type(head.strip())
            self.arguments = [Type(a.strip()) for a in rest.split(",")] if rest not in ("", "void") else []
            self.pointers, self.base, self.const = 0, "", False
            return
        array = re.match(r"^(.*)\[(\d+)\]$", text)
        if array:
            self.length = int(array.group(2))
            text = array.group(1)
        self.pointers = text.count("*")
        self.const = text.startswith("const ")
        self.base = text.replace("const ", "").replace("*const", "").replace("*", "").replace("struct ", "").strip()


def ordered(structs):
    """Each after those that it contains."""
    names = {s["name"]: s for s in structs}
    done, out = set(), []

    def visit(struct):
        if struct["name"] in done:
            return
        done.add(struct["name"])
        for field in struct["fields"]:
            t = Type(field["type"])
            if t.arguments is None and not t.pointers and t.base in names:
                visit(names[t.base])
        out.append(struct)

    for struct in structs:
        visit(struct)
    return out


# --- Python -------------------------------------------------------------------------------------


def python_type(t, api):
    if t.arguments is not None:
        return "CFUNCTYPE(%s)" % ", ".join(python_type(x, api) for x in [t.result] + t.arguments)
    callbacks = {c["name"]: c["type"] for c in api["callbacks"]}
    if t.base in callbacks:
        return python_type(Type(callbacks[t.base]), api)
    enums = {e["name"] for e in api["enums"]}
    base = PYTHON.get(t.base) or ("c_int" if t.base in enums else t.base)
    pointers = t.pointers
    if pointers and (t.base in api["handles"] or t.base in ("void", "char")):
        base, pointers = ("c_char_p" if t.base == "char" else "c_void_p"), pointers - 1
    for _ in range(pointers):
        base = "POINTER(%s)" % base
    return "%s * %d" % (base, t.length) if t.length else base


def python(api):
    out = ['"""%s"""' % MADE, "from ctypes import *  # noqa: F403", ""]
    for enum in api["enums"]:
        out += ["%s = %d" % (v["name"], v["value"]) for v in enum["values"]]
    for constant in api["constants"]:
        number = re.match(r"^(INT64_C\()?\(?(-?\d+)\)?$", constant["value"])
        if number:
            out.append("%s = %s" % (constant["name"], number.group(2)))
    structs = ordered(api["structs"])
    out += [""]
    for struct in structs:
        out += ["", "class %s(Structure):" % struct["name"], '    """%s"""' % struct["doc"].replace("\\", "\\\\").replace('"', "'")]
    out += ["", ""]
    for struct in structs:
        out.append("%s._fields_ = [" % struct["name"])
        out += ['    ("%s", %s),' % (f["name"], python_type(Type(f["type"]), api)) for f in struct["fields"]]
        out.append("]")
    out += ["", "FUNCTIONS = {"]
    for f in api["functions"]:
        arguments = ", ".join(python_type(Type(p["type"]), api) for p in f["parameters"])
        out.append('    "%s": (%s, [%s]),' % (f["name"], python_type(Type(f["returns"]), api), arguments))
    return "\n".join(out + ["}", ""])


# --- LuaJIT -------------------------------------------------------------------------------------


def c_declaration(text, name):
    if "(*)" in text:
        return text.replace("(*)", "(*%s)" % name)
    array = re.match(r"^(.*)(\[\d+\])$", text)
    return "%s %s%s" % (array.group(1), name, array.group(2)) if array else "%s %s" % (text, name)


def lua(api):
    out = ["-- %s" % MADE, "local ffi = require 'ffi'", "", "ffi.cdef [["]
    out += ["typedef struct %s %s;" % (n, n) for n in api["handles"] + [s["name"] for s in api["structs"]]]
    for enum in api["enums"]:
        values = ", ".join("%s = %d" % (v["name"], v["value"]) for v in enum["values"])
        out.append("typedef enum %s { %s } %s;" % (enum["name"], values, enum["name"]))
    for callback in api["callbacks"]:
        name = callback["name"]
        text = callback["type"]
        out.append("typedef %s;" % (c_declaration(text, name) if "(*)" in text else text.replace(" (", " %s(" % name, 1)))
    for struct in ordered(api["structs"]):
        out.append("struct %s {" % struct["name"])
        out += ["    %s;" % c_declaration(f["type"], f["name"]) for f in struct["fields"]]
        out.append("};")
    for f in api["functions"]:
        parameters = ", ".join(c_declaration(p["type"], p["name"]) for p in f["parameters"]) or "void"
        out.append("%s %s(%s);" % (f["returns"], f["name"], parameters))
    names = ", ".join("'%s'" % f["name"] for f in api["functions"])
    return "\n".join(out + ["]]", "", "return { functions = { %s } }" % names, ""]).replace("_Bool", "bool")


# --- Rust ---------------------------------------------------------------------------------------


def rust_type(t, api):
    if t.arguments is not None:
        result = rust_type(t.result, api)
        arguments = ", ".join(rust_type(a, api) for a in t.arguments)
        return "Option<unsafe extern \"C\" fn(%s)%s>" % (arguments, "" if result == "c_void" else " -> " + result)
    callbacks = {c["name"]: c["type"] for c in api["callbacks"]}
    if t.base in callbacks:
        return rust_type(Type(callbacks[t.base]), api)
    base = RUST.get(t.base, t.base)
    for level in range(t.pointers):
        base = "*%s %s" % ("const" if t.const and level == 0 else "mut", base)
    return "[%s; %d]" % (base, t.length) if t.length else base


def rust_name(name):
    return "r#" + name if name in RUST_WORDS else name


def rust_doc(text, indent=""):
    return ["%s/// %s" % (indent, text)] if text else []


def rust(api):
    out = ["//! Evenstep's C functions. %s" % MADE, "#![allow(non_camel_case_types, non_upper_case_globals)]",
           "use std::os::raw::{c_char, c_int, c_void};", ""]
    out += ["#[repr(C)] pub struct %s { _private: [u8; 0] }" % n for n in api["handles"]]
    for enum in api["enums"]:
        out += [""] + rust_doc(enum["doc"]) + ["pub type %s = c_int;" % enum["name"]]
        for v in enum["values"]:
            out += rust_doc(v["doc"]) + ["pub const %s: %s = %d;" % (v["name"], enum["name"], v["value"])]
    for constant in api["constants"]:
        number = re.match(r"^(INT64_C\()?\(?(-?\d+)\)?$", constant["value"])
        if number:
            out.append("pub const %s: i64 = %s;" % (constant["name"], number.group(2)))
    for struct in ordered(api["structs"]):
        out += [""] + rust_doc(struct["doc"]) + ["#[repr(C)]", "#[derive(Clone, Copy)]", "pub struct %s {" % struct["name"]]
        for f in struct["fields"]:
            out += rust_doc(f["doc"], "    ")
            out.append("    pub %s: %s," % (rust_name(f["name"]), rust_type(Type(f["type"]), api)))
        out.append("}")
    out += ["", "extern \"C\" {"]
    for f in api["functions"]:
        parameters = ", ".join("%s: %s" % (rust_name(p["name"]), rust_argument(p["type"], api)) for p in f["parameters"])
        result = rust_type(Type(f["returns"]), api)
        out += rust_doc(f["doc"], "    ")
        out.append("    pub fn %s(%s)%s;" % (f["name"], parameters, "" if result == "c_void" else " -> " + result))
    return "\n".join(out + ["}", ""])


def rust_argument(text, api):
    t = Type(text)
    if t.length:
        t.length, t.pointers = None, t.pointers + 1
    return rust_type(t, api)


# --- JavaScript ---------------------------------------------------------------------------------

# By name: bytes, and the code that web/library.mjs reads and writes them by. Of 32-bit WebAssembly.
JS = {"void": (0, ""), "_Bool": (1, "bool"), "char": (1, "u8"), "int": (4, "i32"), "float": (4, "f32"),
      "double": (8, "f64"), "size_t": (4, "u32"), "unsigned char": (1, "u8"), "uint8_t": (1, "u8"), "uint16_t": (2, "u16"),
      "int32_t": (4, "i32"), "uint32_t": (4, "u32"), "int64_t": (8, "i64"), "uint64_t": (8, "u64")}


def js_code(t, api):
    """A number's code; *NAME: a pointer to a structure, =NAME: a structure; (RESULT PARAMETER...): a function."""
    callbacks = {c["name"]: c["type"] for c in api["callbacks"]}
    if t.arguments is None and t.base in callbacks:
        t = Type(callbacks[t.base])
    if t.arguments is not None:
        return "(%s)" % " ".join(js_code(x, api) or "void" for x in [t.result] + t.arguments)
    structs = {s["name"] for s in api["structs"]}
    if t.pointers or t.length and t.base not in JS:
        return "text" if t.base == "char" and t.pointers == 1 and t.const else \
            "*" + t.base if t.pointers == 1 and t.base in structs else "ptr"
    return "=" + t.base if t.base in structs else JS.get(t.base, (4, "i32"))[1]


def js_layouts(api):
    """By structure: size, alignment, {field: (code, offset, length)}."""
    layouts = {}
    for struct in ordered(api["structs"]):
        at, most, fields = 0, 1, {}
        for f in struct["fields"]:
            t = Type(f["type"])
            code = js_code(Type(re.sub(r"\[\d+\]$", "", f["type"])), api)
            size, align = layouts[code[1:]][:2] if code[0] == "=" else \
                (4, 4) if code[0] in "*(tp" else (JS.get(t.base, (4,))[0],) * 2
            at = -(-at // align) * align
            fields[f["name"]] = [code, at] + ([t.length] if t.length else [])
            at, most = at + size * (t.length or 1), max(most, align)
        layouts[struct["name"]] = (-(-at // most) * most, most, fields)
    return layouts


def javascript(api):
    out = ["// %s" % MADE, "// Structures: the size, then by field: code, offset, length of an array. scripts/bind.py has the codes.",
           "export const STRUCTS = {"]
    for name, (size, _, fields) in js_layouts(api).items():
        out.append("    %s: [%d, %s]," % (name, size, json.dumps(fields)))
    out += ["};", "", "// Functions: the code of the result, those of the parameters.", "export const FUNCTIONS = {"]
    for f in api["functions"]:
        pointers = [re.sub(r"^(.*)\[\d*\]$", r"\1 *", p["type"]) for p in f["parameters"]]
        out.append("    %s: %s," % (f["name"], json.dumps([js_code(Type(x), api) for x in [f["returns"]] + pointers])))
    out += ["};", "", "export const CONSTANTS = {"]
    out += ["    %s: %d," % (v["name"], v["value"]) for enum in api["enums"] for v in enum["values"]]
    for constant in api["constants"]:
        number = re.match(r"^(INT64_C\()?\(?(-?\d+)\)?$", constant["value"])
        if number:
            out.append("    %s: %s," % (constant["name"], number.group(2)))
    return "\n".join(out + ["};", ""])


def read(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def main():
    checks = "--check" in sys.argv
    api = describe.describe() if checks else json.loads(read(describe.OUT))
    made = {"python/evenstep/c.py": python(api), "lua/evenstep/c.lua": lua(api), "rust/evenstep-sys/src/lib.rs": rust(api),
            "../web/c.mjs": javascript(api)}
    if checks:
        made["evenstep.json"] = describe.text_of(api)
        stale = sorted(name for name, text in made.items() if read(os.path.join(BINDINGS, name)) != text)
        if stale:
            sys.exit("stale, make bindings writes them anew: %s" % ", ".join(os.path.normpath("bindings/" + name) for name in stale))
        return
    for name, text in made.items():
        path = os.path.join(BINDINGS, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


main()
