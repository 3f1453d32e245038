#!/bin/sh
# Every check of tests/lib.sh fails where it should: each row is a script, and how it must end.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
need jq
mkdir "$scratch/tests"
cp "$home/tests/lib.sh" "$scratch/tests"

# exit status | body. The command is a shell; await does not sleep
while IFS='|' read -r wanted body; do
    # shellcheck disable=SC2016 # for the other script
    printf '. "$(dirname "$0")/lib.sh"\ncd "$scratch"\ncommand=sh\nsleep() { :; }\n%b\nfinish\n' "$body" \
        >"$scratch/tests/script.sh"
    BUILD_DIR=$build sh "$scratch/tests/script.sh" >"$scratch/log" 2>&1 </dev/null
    status=$?
    checks=$((checks + 1))
    [ $status = "${wanted% }" ] || { # not by the library itself
        echo "lib_check:$body: exit status $status, not $wanted"
        exit 1
    }
done <<'TABLE'
1 | :
0 | check a true
1 | check a false
1 | fatal=yes; check a false; exit 0
0 | refute a false
1 | refute a true
0 | equal a 1 1
1 | equal a 1 2
0 | echo x >a; echo x >b; same w a b
1 | echo x >a; echo y >b; same w a b
0 | echo x >a; echo y >b; differ w a b
1 | echo x >a; echo x >b; differ w a b
1 | echo x >a; : >b; differ w a b
0 | echo text >out; has ex; matches "^t.x"
1 | echo text >out; has "^t.x"
1 | echo text >out; has ""
1 | echo text >out; matches "^ext"
0 | await w true
1 | await w false
0 | ends 3 -c "exit 3"
1 | ends 0 -c "exit 3"
0 | run x -c "echo x"
1 | run x -c "echo x >&2"
1 | run x -c "exit 1"
0 | expect_error 2 text -c "echo some text >&2; exit 2"
1 | expect_error 2 other -c "echo some text >&2; exit 2"
1 | expect_error 2 text -c "echo some text >&2; exit 1"
1 | expect_error 2 text -c "echo some text >&2; echo more >&2; exit 2"
1 | expect_error 2 text -c "echo some text >&2; echo x; exit 2"
0 | errors -c <<E\n"echo text >&2; exit 2" \0174 2 \0174 text\nE
1 | errors -c <<E\n"echo text >&2; exit 2" \0174 2 \0174 other\nE
1 | errors -c <<E\n"exit 2"\nE
0 | first_lines -c <<E\n"echo a; echo b" \0174 a\nE
1 | first_lines -c <<E\n"echo a; echo b" \0174 b\nE
0 | not_writable --svg -- -c 'echo "$2" >&2; exit 1' sh
1 | not_writable --svg -- -c 'echo "$2" >&2' sh
1 | not_writable --svg -- -c 'exit 1'
0 | on_full_disk 4 -c "echo cannot write to stdout >&2; exit 4"
1 | on_full_disk 4 -c "exit 4"
0 | echo '{"a": 1}' >out; gives 1 .a; holds ".a == 1, .a > 0"
1 | echo '{"a": 1}' >out; gives 2 .a
1 | echo '{"a": 1}' >out; holds ".a == 1, .a == 2"
1 | echo '{"a": 1}' >out; holds .b
1 | echo '{"a": 1}' >out; holds ".b[]?"
1 | echo text >out; holds true
0 | echo '{"a": [{"b": 1}]}' >f; parses f; has_keys f a b
1 | echo '{"a": [{"b": 1}]}' >f; has_keys f a c
1 | echo '{' >f; parses f
0 | echo '<a/>' >f; well_formed f
1 | echo '<a>' >f; well_formed f
0 | seq -s x 40 | cut -c 1-100 >f; is_narrow f
1 | seq -s x 40 | cut -c 1-101 >f; is_narrow f
77 | need no_such_tool
77 | skip why
TABLE
echo "lib_check: $checks scripts"
