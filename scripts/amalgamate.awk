# The work of scripts/amalgamate: joins the sources of one module. Variables: LIST (a file: a source per
# line, and the condition under which it is compiled, or -), OUT (the file that is written).
#
# A public header stays an #include. A private header with a guard stands in the place of its first
# #include; a template (*.inc.h) stands wherever it is included. A source's macros, and its templates',
# end with it.

function fail(text)
{
    printf "scripts/amalgamate: %s\n", text > "/dev/stderr"
    failed = 1
    exit 1
}

# The path that an #include of ours means, seen from a folder.
function resolve(name, folder,    path, line)
{
    path = name ~ /^evenstep\// ? "include/" name : folder name
    sub(/[^\/]+\/\.\.\//, "", path)
    if ((getline line < path) <= 0) {
        path = "src/" name
        if ((getline line < path) <= 0) {
            fail(folder ": #include \"" name "\": there is no such file")
        }
    }
    close(path)
    return path
}

function join(path, out,    line, name, folder, target, count)
{
    folder = path
    sub(/[^\/]*$/, "", folder)
    printf "/* ==== %s ==== */\n", path > out
    while ((getline line < path) > 0) {
        count += 1
        if (line ~ /^#include "/) {
            name = line
            gsub(/^#include "|".*$/, "", name)
            target = resolve(name, folder)
            if (target ~ /^include\//) {
                print line > out
                continue
            }
            if (target !~ /\.inc\.h$/ && target in joined) {
                continue
            }
            if (target !~ /\.inc\.h$/ && path ~ /\.c$/ && (depth > 0 || condition != "-")) {
                fail(path ": " name ": include it before any #if, and first outside src/platform/")
            }
            joined[target] = 1
            join(target, out)
            continue
        }
        if (path ~ /\.c$/) {
            depth += (line ~ /^#[ ]*if/) - (line ~ /^#[ ]*endif/)
        }
        if (match(line, /^#[ ]*define +[A-Za-z][A-Za-z0-9_]*/) && path ~ /\.(c|inc\.h)$/) {
            name = substr(line, RSTART, RLENGTH)
            sub(/^#[ ]*define +/, "", name)
            if (name != "WIN32_LEAN_AND_MEAN") {
                macros[name] = 1
            }
        }
        print line > out
    }
    close(path)
    if (count == 0) {
        fail(path ": is empty, or cannot be read")
    }
}

BEGIN {
    condition = "-"
    while ((getline entry < LIST) > 0) {
        split(entry, part, "\t")
        condition = part[2]
        split("", macros)
        depth = 0
        if (condition != "-") {
            printf "#if %s\n", condition > OUT
        }
        join(part[1], OUT)
        for (name in macros) {
            printf "#undef %s\n", name > OUT
        }
        if (condition != "-") {
            print "#endif" > OUT
        }
    }
}
