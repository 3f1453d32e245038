#!/usr/bin/env python3
"""Writes bindings/evenstep.json: what the public headers declare, from clang's syntax tree and their comments.

Needs clang. The bindings are made from the file: scripts/bind.py, or make bindings for both.
"""
import json
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADERS = ["evenstep", "world", "input", "view", "schedule", "follow", "threads", "replay", "measure"]
OUT = os.path.join(ROOT, "bindings", "evenstep.json")


def comment_text(raw):
    """The words of a comment, without its stars."""
    lines = [re.sub(r"^\s*(/\*+|\*+/|\*)?\s?", "", line) for line in raw.splitlines()]
    return " ".join(" ".join(lines).replace("*/", "").split())


def first_sentence(text):
    match = re.match(r"(.+?[.:])(\s|$)", text)
    return match.group(1) if match else text


class Source:
    """A header, and the comments that belong to its lines."""

    def __init__(self, name):
        self.name = name + ".h"
        path = os.path.join(ROOT, "include", "evenstep", self.name)
        with open(path, encoding="utf-8") as file:
            self.lines = file.read().splitlines()

    def before(self, line):
        """The comment that ends above this line (from 1), past lines of the same group of declarations."""
        i = line - 2
        while i >= 0 and self.lines[i].startswith("ES_API"):
            i -= 1
        while i >= 0 and re.match(r"^\s+\S.*;$", self.lines[i]) and not self.lines[i].rstrip().endswith("*/"):
            i -= 1
        if i < 0 or not self.lines[i].rstrip().endswith("*/"):
            return ""
        end = i
        while i >= 0 and "/*" not in self.lines[i]:
            i -= 1
        text = "\n".join(self.lines[i:end + 1])
        return "" if text.lstrip().startswith("/* ---") else comment_text(text)

    def behind(self, line):
        """The comment that begins on this line, or the one above a member without its own."""
        text = self.lines[line - 1]
        at = text.find("/*")
        if at < 0:
            return ""
        i = line - 1
        parts = [text[at:]]
        while "*/" not in parts[-1] and i + 1 < len(self.lines):
            i += 1
            parts.append(self.lines[i])
        return comment_text("\n".join(parts))


def tree_of(header):
    """The declarations of a header alone."""
    source = '#include "evenstep/%s.h"\n' % header
    run = subprocess.run(["clang", "-I", os.path.join(ROOT, "include"), "-std=c17", "-x", "c", "-", "-fsyntax-only",
                          "-Xclang", "-ast-dump=json"], input=source, capture_output=True, text=True, check=True)
    where, out = None, []
    line = None
    for node in json.loads(run.stdout)["inner"]:
        loc = node.get("loc", {})
        loc = loc.get("expansionLoc", loc)
        where = loc.get("file", where)
        line = loc.get("line", line)
        if where and where.endswith("evenstep/%s.h" % header):
            out.append((line, node))
    return out


def line_of(node, line):
    loc = node.get("loc", {})
    return loc.get("expansionLoc", loc).get("line", line)


def functions_of(source, nodes):
    for line, node in nodes:
        if node["kind"] == "FunctionDecl" and "inline" not in node:
            parameters = [n for n in node.get("inner", []) if n["kind"] == "ParmVarDecl"]
            text = source.before(line)
            yield {"name": node["name"], "header": source.name, "doc": first_sentence(text),
                   "returns": node["type"]["qualType"].split("(")[0].strip(),
                   "parameters": [{"name": p.get("name", ""), "type": p["type"]["qualType"]} for p in parameters]}


def structs_of(source, nodes):
    for line, node in nodes:
        if node["kind"] == "RecordDecl" and node.get("completeDefinition"):
            fields, at = [], line
            for member in node.get("inner", []):
                at = line_of(member, at)
                if member["kind"] == "FieldDecl":
                    fields.append({"name": member["name"], "type": member["type"]["qualType"],
                                   "doc": source.behind(at)})
            yield {"name": node.get("name", ""), "header": source.name, "doc": first_sentence(source.before(line)),
                   "fields": fields}


def value_of(node):
    for inner in node.get("inner", []):
        if "value" in inner:
            return int(inner["value"])
    return None


def enums_of(source, nodes):
    for line, node in nodes:
        if node["kind"] == "EnumDecl":
            values, at, number = [], line, -1
            for constant in node.get("inner", []):
                if constant["kind"] == "EnumConstantDecl":
                    at = line_of(constant, at)
                    value = value_of(constant)
                    number = number + 1 if value is None else value
                    values.append({"name": constant["name"], "value": number, "doc": source.behind(at)})
            yield {"name": node.get("name", ""), "header": source.name, "doc": first_sentence(source.before(line)),
                   "values": values}


def constants_of(source):
    """Numbers and texts that are defined: #define ES_NAME value."""
    for number, line in enumerate(source.lines, 1):
        match = re.match(r"#define (ES_[A-Z0-9_]+)\s+(\S.*)$", line)
        if match and "(" not in match.group(1) and not match.group(1).endswith("_"):
            value = re.sub(r"\s*/\*.*$", "", match.group(2)).strip()
            cast = re.match(r"ES_CAST_\(\w+, (.+)\)$", value)
            value = cast.group(1) if cast else value
            if re.match(r"^(-?\d|\"|INT64_C|\(-?\d)", value):
                yield {"name": match.group(1), "header": source.name, "value": value, "doc": source.behind(number)}


def opaque_of(source, nodes, structs):
    complete = {s["name"] for s in structs}
    for _, node in nodes:
        if node["kind"] == "TypedefDecl" and node["name"] not in complete:
            inner = node["type"]["qualType"]
            if inner == "struct " + node["name"]:
                yield node["name"]


def callbacks_of(nodes):
    """Types of functions that the program passes."""
    for _, node in nodes:
        if node["kind"] == "TypedefDecl" and "(" in node["type"]["qualType"]:
            yield {"name": node["name"], "type": node["type"]["qualType"]}


def describe():
    out = {"functions": [], "structs": [], "enums": [], "constants": [], "callbacks": [], "handles": []}
    opaque = set()
    for header in HEADERS:
        source = Source(header)
        nodes = tree_of(header)
        structs = list(structs_of(source, nodes))
        out["functions"] += functions_of(source, nodes)
        out["structs"] += structs
        out["enums"] += enums_of(source, nodes)
        out["constants"] += constants_of(source)
        out["callbacks"] += callbacks_of(nodes)
        opaque |= set(opaque_of(source, nodes, structs))
    complete = {s["name"] for s in out["structs"]}
    out["handles"] = sorted(opaque - complete)
    return out


def text_of(api):
    return json.dumps(api, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    os.makedirs(os.path.dirname(OUT), exist_ok=True)
    with open(OUT, "w", encoding="utf-8") as out_file:
        out_file.write(text_of(describe()))
