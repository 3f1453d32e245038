#!/bin/sh
# Prometheus scrapes examples/19_server.c and finds a histogram per room. Its figures are tests/test_server.c's. A
# player resumes a room. SIGTERM ends the example.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
need prometheus curl jq

start_server "$build/examples/19_server" --seconds 60
example=$server
await "ports" grep -q '^http' "$scratch/server.txt"
http=$(sed -n 's/^http.*://p' "$scratch/server.txt")
check "an unknown path" [ "$(curl -s -o "$scratch/out" -w '%{http_code}' "http://127.0.0.1:$http/")" = 404 ]
cat >"$scratch/prometheus.yml" <<END
global: {scrape_interval: 1s}
scrape_configs: [{job_name: server, static_configs: [{targets: ["127.0.0.1:$http"]}]}]
END
port=$((20000 + $$ % 20000))
prometheus --config.file="$scratch/prometheus.yml" --storage.tsdb.path="$scratch/data" \
    --web.listen-address="127.0.0.1:$port" >"$scratch/prometheus.txt" 2>&1 &
prometheus=$!
children="$children $prometheus"

# value QUERY: the first value; nothing if there is none
value() {
    curl -sG "http://127.0.0.1:$port/api/v1/query" --data-urlencode "query=$1" 2>/dev/null |
        jq -r '.data.result[0].value[1] // empty' 2>/dev/null
}
scraped() {
    [ -n "$(value 'evenstep_tick_late_seconds_count{room="2"}')" ]
}
await "a scrape" scraped
equal "the target is up" "$(value 'up{job="server"}')" 1
# after a second nobody has written: the rooms are paused, and the figures stand still
sleep 4
for room in 0 1 2; do
    for kind in late duration; do
        name=evenstep_tick_${kind}_seconds
        count=$(value "${name}_count{room=\"$room\"}")
        check "room $room has ticked" [ "${count:-0}" -gt 15 ]
        check "room $room: the sum of $kind" [ -n "$(value "${name}_sum{room=\"$room\"}")" ]
        median=$(value "histogram_quantile(0.5, ${name}_bucket{room=\"$room\"})")
        check "room $room: $kind: $median s" awk -v s="$median" 'BEGIN { exit !(s > 0 && s < 0.1) }'
    done
done
# sockets are read again before the next tick: the second datagram after a tick reaches the next one, too
joins_next() {
    timeout 5 bash -c 'exec 3<>"/dev/udp/127.0.0.1/$0" 4<>"/dev/udp/127.0.0.1/$0"
        one() { dd bs=64 count=1 2>/dev/null; }
        printf "3 rate 10" >&3 && one <&3 >&2 && last=$(one <&3) && printf 3 >&3 && sleep 0.02 && printf 3 >&4 &&
            first=$(one <&4) && [ "${first##* }" -eq "$((${last##* } + 1))" ]' "$1" 2>/dev/null
}
udp=$(sed -n 's/^udp.*://p' "$scratch/server.txt")
await "a tick for the second datagram" joins_next "$udp"
# a player of a paused room, whose rate changes
: >"$scratch/player"
bash -c 'exec 3<>"/dev/udp/127.0.0.1/$0" && printf "3 rate 200" >&3 && exec timeout 20 cat <&3' \
    "$udp" >"$scratch/player" 2>/dev/null &
children="$children $!"
has_played() {
    [ "$(sed 's/room/\n&/g' "$scratch/player" | grep -c '^room 3 tick')" -gt 50 ]
}
await "50 ticks of 5 ms" has_played
kill -TERM "$example"
wait "$example"
equal "exit status" $? 0
matches '^room 2: [0-9]+ ticks, [0-9]+ dropped, late by [0-9]+ us on average$' "$scratch/server.txt"

await "the player's last message" grep -q 'closed$' "$scratch/player"
sed 's/closed//; s/room/\n&/g' "$scratch/player" | sed -n 's/^room 3 tick //p' >"$scratch/ticks"
check "the player sees ticks in order" awk 'NR > 1 && $1 <= last { off = 1 } { last = $1 } END { exit off }' \
    "$scratch/ticks"
finish
