#!/bin/sh
# CC0. One worker, for the other files here. A difference (status 1) is a result, no failed worker.
#
#   worker.sh RECORDINGS PROGRAM RESULTS [SHARD]     default: auto
"${EVENSTEP:-evenstep}" replay "$1" --verify --program "$2" --results "$3" --shard "${4:-auto}" || [ $? -eq 1 ]
