#!/bin/sh
# CC0. Verifies on all cores of this machine by GNU parallel, and prints the table. Again: only what is missing.
#
#   parallel.sh RECORDINGS PROGRAM RESULTS
# More shards than cores: a long recording delays no others.
seq 0 63 | parallel --will-cite --retries 3 sh "$(dirname "$0")/worker.sh" "$1" "$2" "$3" {}/64
"${EVENSTEP:-evenstep}" replay "$1" --merge --program "$2" --results "$3"
