#!/bin/sh
# A client that means harm to examples/19_server.c: rates beyond the limit. SIGTERM ends it with a summary.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
need bash

start_server "$build/examples/19_server" 60
await "a port" grep -q '^udp' "$scratch/server.txt"
udp=$(sed -n 's/^udp.*://p' "$scratch/server.txt")
# shellcheck disable=SC2016
bash -c 'for rate in 0 -5 nan inf 241 1000000; do printf "3 rate $rate" >"/dev/udp/127.0.0.1/$0"; done' "$udp"
sleep 0.5 # 500 000 ticks at that rate
kill "$server"
await "a summary" grep -q '^room 3' "$scratch/server.txt"
check "a hostile rate" awk '/^room 3/ { ok = $3 > 0 && $3 < 50000 } END { exit !ok }' "$scratch/server.txt"
finish
