#!/bin/sh
# The command as a person types it: exact lines, bad arguments.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$scratch" || exit 1

t1="--loop adaptive --render 3ms --update 1ms --tick 5ms --cap 62.5"
# shellcheck disable=SC2086 # words
first_lines timeline $t1 <<'TABLE'
--until 33ms | R0 U5 U10 U15 U20 W16 R16 U25 U30 U35 W32 R32
--until 63ms --frame-cost 2:20ms | R0 U5 U10 U15 U20 W16 R16 U25 U30 U35 W32 R32 U40 U45 U50 U55 U60 U65 W62 R62
--until=17ms | R0 U5 U10 U15 U20 W16 R16
TABLE
first_lines <<TABLE
--version | evenstep $version
--help | usage: evenstep COMMAND [OPTION...]
timeline --help | usage: evenstep timeline [OPTION...]
demo --help | usage: evenstep demo [OPTION...]
TABLE

errors <<'TABLE'
| 2 | no command given
tiemline | 2 | unknown command 'tiemline'
--verson | 2 | unknown option '--verson'
TABLE
errors timeline <<'TABLE'
--renderr 3ms | 2 | '--renderr'
--render | 2 | --render needs a value
--render 3 | 2 | --render: expected a duration such as 3ms
--render -3ms | 2 | got '-3ms'
--render "3 ms" | 2 | got '3 ms'
--render 1.5ns | 2 | got '1.5ns'
--render 99999999999999999999s | 2 | got '99999999999999999999s'
please | 2 | unexpected argument 'please'
--loop magic | 2 | --loop: unknown name in 'magic'; known loops: auto
--refresh 60/0 | 2 | --refresh: expected a rate
--frame-cost 20ms | 2 | --frame-cost: expected a frame
--cap 1e9 | 2 | --cap: expected a rate of 0.1 to 10000
TABLE
ends 1 timeline --cap 10000 --render 0 --update 0 --until 9000000000s
has 'stopped after 1000000 frames' err

finish
