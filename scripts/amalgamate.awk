# The work of scripts/amalgamate. Reads include/evenstep/evenstep.h and the sources that PLAN lists,
# a line each: the path, and the folder of src/platform that it belongs to, or -. Writes to OUT.h the
# public headers, to OUT.c the sources, and to OUT.first what must stand before any of them.
#
# Three passes. Flatten: files become lines, and #includes of ours are followed. Collect: which names
# does a file declare? Write: with the names changed that mean different things in two files.
#
# A line is OWNED by a source or a guarded header: its own text, and that of templates within it.

function fail(text)
{
    printf "scripts/amalgamate: %s\n", text > "/dev/stderr"
    failed = 1
    exit 1
}

# ---- text

# Cuts a line into T[1..], kinds in K: i(dentifier), n(umber), s(tring), c(omment), w(hite), p (one
# other character). What is left open is in_comment.
function lex(line,    n, at, c)
{
    n = 0
    while (line != "") {
        if (in_comment) {
            at = index(line, "*/")
            K[++n] = "c"
            T[n] = at ? substr(line, 1, at + 1) : line
            in_comment = !at
        } else if (match(line, /^[A-Za-z_][A-Za-z0-9_]*/)) {
            K[++n] = "i"
            T[n] = substr(line, 1, RLENGTH)
        } else if (match(line, /^[ \t]+/)) {
            K[++n] = "w"
            T[n] = substr(line, 1, RLENGTH)
        } else if (match(line, /^[0-9][A-Za-z0-9_.]*/)) {
            K[++n] = "n"
            T[n] = substr(line, 1, RLENGTH)
        } else if (substr(line, 1, 2) == "//") {
            K[++n] = "c"
            T[n] = line
        } else if (substr(line, 1, 2) == "/*") {
            at = index(substr(line, 3), "*/")
            K[++n] = "c"
            T[n] = at ? substr(line, 1, at + 3) : line
            in_comment = !at
        } else if ((c = substr(line, 1, 1)) == "\"" || c == "\047") {
            for (at = 2; at <= length(line) && substr(line, at, 1) != c; ++at) {
                at += substr(line, at, 1) == "\\"
            }
            K[++n] = "s"
            T[n] = substr(line, 1, at)
        } else {
            K[++n] = "p"
            T[n] = c
        }
        line = substr(line, length(T[n]) + 1)
    }
    return n
}

# The line without comments.
function code_of(line,    n, i, code)
{
    n = lex(line)
    code = ""
    for (i = 1; i <= n; ++i) {
        code = code (K[i] == "c" ? " " : T[i])
    }
    sub(/[ \t]+$/, "", code)
    return code
}

# The word at the start of a text.
function word(text)
{
    return match(text, /^[A-Za-z_][A-Za-z0-9_]*/) ? substr(text, 1, RLENGTH) : ""
}

# Splits a line of code into DIRECTIVE and REST; false if it is no directive.
function is_directive(code)
{
    if (code !~ /^[ \t]*#/) {
        return 0
    }
    sub(/^[ \t]*#[ \t]*/, "", code)
    DIRECTIVE = word(code)
    REST = substr(code, length(DIRECTIVE) + 1)
    sub(/^[ \t]+/, "", REST)
    return 1
}

# a/b/../c is a/c
function normal(path)
{
    while (match(path, /[^\/]+\/\.\.\//)) {
        path = substr(path, 1, RSTART - 1) substr(path, RSTART + RLENGTH)
    }
    return path
}

# Reads a file into TEXT and CODE, once.
function load(path,    line, n, state)
{
    if (path in LENGTH) {
        return LENGTH[path] >= 0
    }
    in_comment = 0
    n = 0
    while ((state = (getline line < path)) > 0) {
        TEXT[path, ++n] = line
        CODE[path, n] = code_of(line)
    }
    close(path)
    LENGTH[path] = state < 0 ? -1 : n
    if (in_comment) {
        fail(path ": a comment has no end")
    }
    return state == 0
}

# The macro that keeps a header from being read twice, "" for a template.
function guard_of(path,    i, name)
{
    if (!(path in GUARD)) {
        GUARD[path] = name = ""
        for (i = 1; i <= LENGTH[path]; ++i) {
            if (is_directive(CODE[path, i])) {
                if (name == "" && DIRECTIVE == "ifndef") {
                    name = REST
                } else {
                    GUARD[path] = name != "" && DIRECTIVE == "define" && REST == name ? name : ""
                    break
                }
            }
        }
    }
    return GUARD[path]
}

# ---- pass 1: flatten

function put(text, code)
{
    FILES[owner] = 1
    LINE[++lines] = text
    BARE[lines] = code
    OWNER[lines] = owner
}

# Conditions: PATH names the branches that a line is in.
function follow_condition()
{
    if (DIRECTIVE ~ /^if/) {
        PATH = PATH (++branches) "/"
        depth += 1
    } else if (DIRECTIVE ~ /^el/) {
        sub(/[0-9]+\/$/, "", PATH)
        PATH = PATH (++branches) "/"
    } else if (DIRECTIVE == "endif") {
        sub(/[0-9]+\/$/, "", PATH)
        depth -= 1
    }
}

# Macros that live at the end of their file, source or guarded header. An #undef ends those that were
# made in its own branch, or in a branch within that.
function follow_macro(scope,    name, i)
{
    name = word(REST)
    if (DIRECTIVE == "define") {
        if (!((scope, name) in MADE)) {
            MACRO[scope, ++MACROS[scope]] = name
        }
        MADE[scope, name] = PATH
    } else if (DIRECTIVE == "undef" && (scope, name) in MADE) {
        if (index(MADE[scope, name], PATH) == 1) {
            MADE[scope, name] = "-"
        }
    }
}

function resolve(from, name,    path)
{
    path = from
    sub(/[^\/]*$/, "", path)
    path = normal(path name)
    if (!load(path)) {
        path = "src/" name
        if (!load(path)) {
            path = "include/" name
        }
    }
    if (!load(path)) {
        fail(from ": cannot find " name)
    }
    return path
}

# What becomes of an #include: public headers are one file, guarded ones come once, others as often
# as they are wanted. A header that some condition took in may be wanted again outside of it.
function include(from, name, scope,    path)
{
    if (substr(name, 1, 1) == "<") {
        return 0
    }
    if (name !~ /^"[^"]+"$/) {
        fail(from ": cannot follow #include " name)
    }
    path = resolve(from, substr(name, 2, length(name) - 2))
    if (guard_of(path) != "" && !((scope, path) in INCLUDES)) {
        INCLUDES[scope, path] = 1
        INCLUDED[scope, ++INCLUDED[scope]] = path
    }
    if (path ~ /^include\// && from !~ /^include\//) {
        return 1
    }
    if (guard_of(path) == "") {
        add_lines(path, scope)
    } else if (!(path in whole)) {
        if (depth == 0) {
            whole[path] = 1
        }
        add_header(path)
    }
    return 1
}

function add_header(path,    old_owner, i, name)
{
    old_owner = owner
    owner = path
    put("", "")
    put("/* ==== " path " ==== */", "")
    depth -= 1 # the guard is no condition
    add_lines(path, path)
    depth += 1
    for (i = 1; i <= MACROS[path]; ++i) {
        name = MACRO[path, i]
        if (MADE[path, name] != "-" && name !~ /^(ES_|EVENSTEP_)/) {
            fail(path ": the macro " name " would reach other files: begin it with ES_, or undefine it")
        }
    }
    owner = old_owner
}

# The lines of a file; those before `hoisted` are elsewhere if they are directives.
function add_lines(path, scope, hoisted,    i, within)
{
    for (i = 1; i <= LENGTH[path]; ++i) {
        within = within_directive
        within_directive = (within || CODE[path, i] ~ /^[ \t]*#/) && CODE[path, i] ~ /\\$/
        if (i < hoisted && (within || is_directive(CODE[path, i]))) {
            continue
        }
        if (!within && is_directive(CODE[path, i])) {
            if (DIRECTIVE == "include" && include(path, REST, scope)) {
                continue
            }
            if (DIRECTIVE == "pragma" && (REST !~ /^GCC diagnostic / || path !~ /[.]c$/)) {
                fail(path ": #pragma " REST " would reach other files")
            }
            follow_condition()
            follow_macro(scope)
        }
        put(TEXT[path, i], CODE[path, i])
    }
}

# The first #include of a source, if macros for the system's headers stand before it.
function hoist(path, condition,    i, first, open, macros, text)
{
    for (i = 1; i <= LENGTH[path] && !first; ++i) {
        if (is_directive(CODE[path, i])) {
            open += (DIRECTIVE ~ /^if/) - (DIRECTIVE == "endif")
            macros += DIRECTIVE == "define"
            first = DIRECTIVE == "include" ? i : 0
        }
    }
    if (!first || !macros) {
        return 0
    }
    if (open) {
        fail(path ": the first #include is within a condition, and macros stand before it")
    }
    for (i = 1; i < first; ++i) {
        if (!is_directive(CODE[path, i])) {
            continue
        }
        if (REST ~ /\\$/) {
            fail(path ":" i ": a directive of several lines before the first #include")
        }
        if (DIRECTIVE == "define") {
            text = text "#ifndef " word(REST) "\n" CODE[path, i] "\n#endif\n"
        } else {
            text = text CODE[path, i] "\n"
        }
    }
    HOISTED = HOISTED (condition == "" ? text : "#if " condition "\n" text "#endif\n")
    return first
}

# Whether a source switches warnings: what it does to them is to end with it.
function switches_warnings(path,    i)
{
    for (i = 1; i <= LENGTH[path]; ++i) {
        if (is_directive(CODE[path, i]) && DIRECTIVE == "pragma" && REST ~ /^GCC diagnostic /) {
            return 1
        }
    }
    return 0
}

function put_for_gcc(text)
{
    put("#ifdef __GNUC__", "")
    put(text, "")
    put("#endif", "")
}

function add_source(path, condition,    i, name, first)
{
    if (!load(path)) {
        fail("cannot read " path)
    }
    first = hoist(path, condition)
    owner = path
    PATH = "/"
    depth = condition != ""
    put("", "")
    put("/* ==== " path " ==== */", "")
    if (depth) {
        put("#if " condition, "")
    }
    if (switches_warnings(path)) {
        put_for_gcc("#pragma GCC diagnostic push")
    }
    add_lines(path, path, first)
    if (PATH != "/") {
        fail(path ": an #if has no #endif")
    }
    for (i = 1; i <= MACROS[path]; ++i) {
        name = MACRO[path, i]
        if (MADE[path, name] != "-") {
            put("#undef " name, "")
        }
    }
    if (switches_warnings(path)) {
        put_for_gcc("#pragma GCC diagnostic pop")
    }
    if (depth) {
        put("#endif", "")
    }
}

# ---- pass 2: which names does a file declare for itself?

function declare(name, pasted,    i, expanded)
{
    if (name == "") {
        return
    }
    if (!pasted) {
        add_name(name)
        return
    }
    # NAME(x) makes x_f32 and x_f64: both are names of the file, and so is what they come from
    for (i = 1; i <= SUFFIXES[owner]; ++i) {
        expanded = name SUFFIX[owner, i]
        add_name(expanded)
        BASE[owner, expanded] = name
    }
}

function add_name(name)
{
    if (!((owner, name) in OWN)) {
        OWN[owner, name] = 1
        OWNERS[name, ++HAS[name]] = owner
    }
}

function start_declaration()
{
    is_static = is_typedef = is_function = has_value = is_pasted = is_pointer = 0
    found = body = ""
}

# What the parentheses, brackets or braces that have just closed were.
function closed()
{
    if (nest == "paste") {
        is_pasted = 1
    } else if (nest == "struct") {
        found = ""
    } else if (nest == "body") {
        start_declaration()
    }
    nest = ""
}

# Within brackets of any kind: only their ends matter, and what a few of them hold.
function scan_within(t, k)
{
    if (t == "{" || t == "(" || t == "[") {
        level += 1
    } else if (t == "}" || t == ")" || t == "]") {
        level -= 1
        if (level == 0) {
            closed()
        }
    } else if (nest == "enum" && level == 1) {
        if (t == ",") {
            constant_next = 1
        } else if (k == "i" && constant_next) {
            add_name(t)
            constant_next = 0
        }
    } else if (nest == "struct") {
        if (k == "i") {
            found = t
        } else if (found != "" && t ~ /[];,:[)]/) {
            MEMBER[owner, found] = 1
        }
    } else if (nest == "paste" && k == "i") {
        found = t
    } else if (nest == "parameters" && t == "*" && before == "(") {
        is_pointer = 1 # of a function: its found is in these parentheses
    } else if (is_pointer && k == "i" && t != "const") {
        found = t
        is_pointer = 0
    }
}

function open_bracket(t)
{
    level = 1
    if (t == "[") {
        nest = "index"
    } else if (t == "(") {
        if ((owner, found) in PASTES) {
            nest = "paste"
        } else if (found ~ /^(__attribute__|__declspec|_Alignas|alignas|__asm__)$/) {
            nest = "attribute"
        } else {
            nest = is_function ? "attribute" : "parameters"
            is_function = 1
        }
    } else if (body != "") {
        nest = body
        constant_next = 1
        if (tag != "") {
            add_name(tag)
        }
        found = body = ""
    } else {
        nest = is_function && !has_value ? "body" : "value"
    }
}

# A token at file scope.
function scan(t, k)
{
    if (level > 0) {
        scan_within(t, k)
    } else if (t == "(" || t == "[" || t == "{") {
        open_bracket(t)
    } else if (t == "static") {
        is_static = 1
    } else if (t == "typedef") {
        is_typedef = 1
    } else if (t == "struct" || t == "union" || t == "enum") {
        body = t == "enum" ? "enum" : "struct"
        tag = ""
    } else if (k == "i" && body != "" && tag == "") {
        tag = t
    } else if (k == "i" && !has_value && !is_function) {
        found = t
        is_pasted = 0
        body = ""
    } else if (t == "=") {
        has_value = 1
    } else if (t == "," || t == ";") {
        if (is_static || is_typedef) {
            declare(found, is_pasted)
        }
        has_value = 0
        if (t == ";") {
            start_declaration()
        }
    }
    if (nest == "body" && level == 1 && t == "{" && is_static) {
        declare(found, is_pasted)
    }
    if (k != "i" || t !~ /^(WINAPI|CALLBACK|APIENTRY|__cdecl|__stdcall|__fastcall|__vectorcall)$/) {
        before = t # how a function is called, as in (WINAPI *name), is as if it were not there
    }
}

# NAME(x) x##_f32
function note_macro(    parameter)
{
    if (DIRECTIVE == "define" && match(REST, /^[A-Za-z_]+\([a-z]+\)[ ]+[a-z]+##[A-Za-z0-9_]+$/)) {
        parameter = REST
        sub(/^[A-Za-z_]+\(/, "", parameter)
        parameter = word(parameter)
        sub(/^[^)]*\)[ ]+/, "", REST)
        if (index(REST, parameter "##") == 1) {
            sub(/^[a-z]+##/, "", REST)
            if (!((owner, REST) in KNOWN)) {
                KNOWN[owner, REST] = 1
                SUFFIX[owner, ++SUFFIXES[owner]] = REST
            }
        }
        return 1
    }
    return 0
}

# Whether a line is one of code, for C: no directive, and not for C++.
function is_code(i)
{
    if (within_directive) {
        within_directive = BARE[i] ~ /\\$/
        return 0
    }
    if (!is_directive(BARE[i])) {
        return !for_cpp
    }
    within_directive = BARE[i] ~ /\\$/
    if (for_cpp) {
        for_cpp += (DIRECTIVE ~ /^if/) - (DIRECTIVE == "endif")
        for_cpp = for_cpp == 1 && DIRECTIVE ~ /^el/ ? 0 : for_cpp
    } else if (DIRECTIVE == "ifdef" && REST == "__cplusplus") {
        for_cpp = 1
    }
    return 0
}

function collect(    i, n, j, macro)
{
    for (i = 1; i <= lines; ++i) {
        owner = OWNER[i]
        if (is_directive(BARE[i])) {
            macro = word(REST)
            if (note_macro()) {
                PASTES[owner, macro] = 1
            }
        }
    }
    start_declaration()
    for (i = 1; i <= lines; ++i) {
        if (OWNER[i] != owner || LINE[i] ~ /^\/\* ==== /) {
            if (level != 0) {
                fail(owner ": cannot follow its brackets")
            }
            start_declaration()
        }
        owner = OWNER[i]
        n = is_code(i) ? lex(BARE[i]) : 0
        for (j = 1; j <= n; ++j) {
            if (K[j] == "i" && owner ~ /[.]h$/) {
                IN_HEADER[T[j]] = 1
            }
            if (K[j] != "w") {
                scan(T[j], K[j])
            }
        }
    }
    if (level != 0) {
        fail(owner ": cannot follow its brackets")
    }
}

# ---- pass 3: write

# The name with its file's in front.
function changed(name, path)
{
    sub(/^.*\//, "", path)
    sub(/[.][ch]$/, "_", path)
    return name ~ /^es_/ ? "es_" path substr(name, 4) : path name
}

# What each file sees, itself included.
function look(from, path,    i)
{
    if (!((from, path) in SEES)) {
        SEES[from, path] = 1
        for (i = 1; i <= INCLUDED[path]; ++i) {
            look(from, INCLUDED[path, i])
        }
    }
}

# Two files that declare one name mean different things, unless one of them sees the other: a header
# can name a struct that its source describes.
function is_double(path, name,    i, other)
{
    for (i = 1; i <= HAS[name]; ++i) {
        other = OWNERS[name, i]
        if (!((path, other) in SEES) && !((other, path) in SEES)) {
            return 1
        }
    }
    return 0
}

function change(path, name,    i, to)
{
    to = changed(name, path)
    if (to in HAS) {
        fail(path ": " name " cannot become " to ", which is there")
    }
    for (i = 1; i <= files; ++i) {
        if ((FILE[i], path) in SEES) {
            if ((FILE[i], name) in MEMBER && name in IN_HEADER) {
                fail(path ": " name " is another file's, too, and in " FILE[i] " it names a member" \
                    " of a struct besides: give it a name of its own")
            }
            CHANGE[FILE[i], name] = to
            CHANGES[FILE[i]] = 1
        }
    }
}

function resolve_names(    key, part, all)
{
    for (key in FILES) {
        FILE[++files] = key
        look(key, key)
    }
    # what one name in a template makes is changed together, or not at all
    for (key in OWN) {
        split(key, part, SUBSEP)
        if (part[1] !~ /^include\// && is_double(part[1], part[2])) {
            all[key] = 1
            if (key in BASE) {
                CHANGE_PASTED[part[1], BASE[key]] = 1
            }
        }
    }
    for (key in OWN) {
        split(key, part, SUBSEP)
        if (key in all || (key in BASE && (part[1], BASE[key]) in CHANGE_PASTED)) {
            change(part[1], part[2])
        }
    }
}

# The line with its file's own names changed. Members of others' structs may share a name.
function rename(line,    n, i, out, last, opened)
{
    n = lex(line)
    out = ""
    for (i = 1; i <= n; ++i) {
        if (K[i] == "i") {
            if (last == "(" && opened != "" && (owner, T[i]) in CHANGE_PASTED) {
                T[i] = changed(T[i], owner)
            } else if ((owner, T[i]) in CHANGE &&
                    ((last != "." && last != "->") || (owner, T[i]) in MEMBER)) {
                T[i] = CHANGE[owner, T[i]]
            }
        }
        out = out T[i]
        if (K[i] != "w" && K[i] != "c") {
            opened = T[i] == "(" && (owner, last) in PASTES ? last : ""
            last = last == "-" && T[i] == ">" ? "->" : T[i]
        }
    }
    return out
}

function write_lines(file, from, to,    i, text, blank)
{
    in_comment = 0
    for (i = from; i <= to; ++i) {
        owner = OWNER[i]
        text = owner in CHANGES ? rename(LINE[i]) : LINE[i]
        if (text != "" || !blank) {
            print text > file
        }
        blank = text == ""
    }
}

BEGIN {
    umbrella = "include/evenstep/evenstep.h"
    if (!load(umbrella)) {
        fail("cannot read " umbrella)
    }
    PATH = "/"
    whole[umbrella] = 1
    add_header(umbrella)
    header_lines = lines
    while ((getline entry < PLAN) > 0) {
        split(entry, plan, " ")
        add_source(plan[1], plan[2] == "-" ? "" : "defined(ES_PLATFORM_" toupper(plan[2]) ")")
    }
    collect()
    resolve_names()
    printf "%s", HOISTED > (OUT ".first")
    write_lines(OUT ".h", 1, header_lines)
    write_lines(OUT ".c", header_lines + 1, lines)
}
