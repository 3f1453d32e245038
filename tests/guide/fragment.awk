# A program of a fragment: its #includes, the prelude, its declarations, then the rest as the body of main.
# Declarations begin in the first column with: static, typedef, enum, struct, #define, ES_DEFINE_.
/^#include/ { includes = includes $0 "\n"; next }
/^(#define|ES_DEFINE_)/ { declarations = declarations $0 "\n"; next }
!inside && /^(static|typedef|enum|struct) / { inside = 1; depth = 0 }
{
    if (!inside) {
        body = body "    " $0 "\n"
        next
    }
    declarations = declarations $0 "\n"
    code = $0
    gsub(/\/\*([^*]|\*[^\/])*\*\//, "", code)
    sub(/[ \t]+$/, "", code)
    depth += gsub(/[{]/, "{", code) - gsub(/[}]/, "}", code)
    inside = depth > 0 || code !~ /[;}]$/
}
END {
    printf "%s#include \"tests/guide/%s\"\n\n%s\n", includes, prelude ? prelude : "prelude.h", declarations
    printf "int main(void)\n{\n    guide_begin();\n%s    guide_end();\n    return 0;\n}\n", body
}
