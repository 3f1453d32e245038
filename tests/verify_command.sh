#!/bin/sh
# `evenstep replay --verify FOLDER`: programs as shared objects, verdicts, one process per recording. With
# EVENSTEP_FULL: 1 000 recordings.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
subcommand=replay
module=$build/examples/20_verified_game.so
[ -f "$module" ] || skip "built without examples"
cd "$scratch" || exit 1

# record FOLDER COUNT
record() {
    mkdir -p "$1"
    check "recordings" quietly "$build/examples/20_verified_game" "$1" "$2"
}
# verdicts: of the last table
verdicts() {
    tail -n +2 out | cut -f 1-2 | tr '\t' ' ' | paste -sd ,
}

# --- one process ----------------------------------------------------------------------------------

record m/day1 3
record m/day2 4
rm m/day2/00001.esrec
ends 1 --verify m --program "$module"
equal "a table" "$(cat out)" "$(printf '%b' 'recording\tverdict\tticks\tcompared\thash\tdifference\n' \
    'day1/00001.esrec\tdiffers\t60\t60\t784cfc1eae46755e\tfrom tick 60 on: score; at tick 60 score of element 3 is 50, recorded was 150\n' \
    'day1/00002.esrec\tequal\t120\t120\t205a7f71131530ab\t\nday1/00003.esrec\tequal\t120\t120\t75b1d71401d13ead\t\n' \
    'day2/00002.esrec\tequal\t120\t120\t205a7f71131530ab\t\nday2/00003.esrec\tequal\t120\t120\t75b1d71401d13ead\t\n' \
    'day2/00004.esrec\tequal\t120\t120\t29cc30717f0c072b\t\n')"
ends 0 m/day2/00004.esrec --verify --program "$module"
has "m/day2/00004.esrec	equal	120" out

mkdir odd
good=m/day1/00002.esrec
head -c 5000 $good >odd/cut.esrec
{ head -c 4080 $good && printf X && tail -c +4082 $good; } >odd/damaged.esrec
echo text >odd/text.esrec
cp $good "$(printf 'odd/tab\t.esrec')"
cp $good odd/no_recording
mkfifo odd/pipe.esrec
ln -s .. odd/loop
cp "$home/tests/data/golden.esrec" odd/golden.esrec
ends 1 --verify odd --program "$module"
equal "$what" "$(verdicts)" \
    'cut.esrec cut off,damaged.esrec incomplete,golden.esrec refused,tab\t.esrec equal,text.esrec refused'
has "a recording of '', not of '20_verified_game'"
has "incomplete	120	119	205a7f71131530ab	byte 4055: the content of a record is damaged"

# variant NAME SED: a shared object of the example with one change
variant() {
    sed "$2" "$home/examples/20_verified_game.c" >"$1.c"
    check "variant $1: $(cat log)" compile "$1.so" "$1.c" c17 -I "$home/adapters" -D VERIFIED_GAME_MODULE -shared -fPIC
}
rejects='if (step->index == 90 \&\& w->score[0] > 30) '
variant changed 's/10 : 0/11 : 0/'
variant crashes "s/    return 0;/    $rejects{ abort(); }\n    return 0;/"
variant limited "s/    return 0;/    $rejects{ int raise(int); raise(24); }\n    return 0;/"
variant leaves "s/    return 0;/    $rejects{ exit(5); }\n    return 0;/"
variant refuses "s/    return 0;/    return step->index == 90;/"
while IFS='|' read -r name expected text; do
    ends 1 --verify m/day1 --program "$name.so"
    equal "$name" "$(verdicts | sed 's/0000//g; s/.esrec//g')" "$expected"
    has "$text"
done <<'TABLE'
changed|1 differs,2 differs,3 differs|score of element
crashes|1 differs,2 crashed,3 crashed|0000000000000000	signal 6
limited|1 differs,2 crashed,3 crashed|0000000000000000	signal 24
leaves|1 differs,2 crashed,3 crashed|ended the process with status 5
refuses|1 differs,2 incomplete,3 incomplete|89	89	
TABLE
variant nameless 's/es_verify_program =/another =/'
variant old 's/ES_VERSION, /1, /'
variant still 's/create, free/create, NULL/'
variant fieldless 's/= ES_LAYOUT(world, fields)/= {fields, 4, 1}/'

# --- many, by several processes: the command in docs/verification.md -----------------------------------

count=${EVENSTEP_FULL:+1000}
record many "${count:-60}"
ends 1 --verify many --program "$module"
tail -n +2 out | sed 's|^|many/|' >all
# shellcheck disable=SC2016 # the inner shell's
find many -name '*.esrec' -print0 | xargs -0 -P 4 -n 1 sh -c \
    '"$1" replay --verify "$3" --program "$2" | tail -n +2' verify "$command" "$module" | sort >parts
same "four processes" all parts

mkdir empty
errors <<'TABLE'
empty --verify --program changed.so | 4 | no file *.esrec in 'empty'
none --verify --program changed.so | 4 | cannot read 'none': No such file
m --verify --program none.so | 4 | --program: cannot load 'none.so'
m --verify --program nameless.so | 4 | undefined symbol: es_verify_program
m --verify --program old.so | 4 | 'old.so': es_verify_program: version is of another version
m --verify --program still.so | 4 | es_verify_program: destroy is NULL
m --verify --program fieldless.so | 4 | es_verify_program: es_layout
TABLE
finish
