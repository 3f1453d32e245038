#!/bin/sh
# Clients that mean harm to examples/19_server.c: connections without a request, rates beyond the limit.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
need curl bash

start_server "$build/examples/19_server" --seconds 60
await "ports" grep -q '^http' "$scratch/server.txt"
http=$(sed -n 's/^http.*://p' "$scratch/server.txt")
udp=$(sed -n 's/^udp.*://p' "$scratch/server.txt")

scrape_beside_idle_connections() {
    # shellcheck disable=SC2016
    bash -c 'for i in {1..12}; do exec {connection}<>"/dev/tcp/127.0.0.1/$0" || exit 1; done
        exec timeout 20 curl -s -o "$1" "http://127.0.0.1:$0/metrics"' "$http" "$scratch/metrics"
}
check "/metrics beside 12 idle connections" scrape_beside_idle_connections
check "figures" grep -q '^evenstep_ticks_total{room="0",dropped="no"}' "$scratch/metrics"

# run or dropped, of room 3
ticks() {
    curl -s "http://127.0.0.1:$http/metrics" |
        awk '/^evenstep_ticks_total.room="3"/ { sum += $2 } END { printf "%d", sum }'
}
before=$(ticks)
# shellcheck disable=SC2016
bash -c 'for rate in 0 -5 nan inf 241 1000000; do printf "3 rate $rate" >"/dev/udp/127.0.0.1/$0"; done' "$udp"
sleep 0.5 # 500 000 ticks at that rate
check "a hostile rate" [ "$(($(ticks) - before))" -lt 50000 ]
finish
