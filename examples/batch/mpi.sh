#!/bin/sh
# CC0. Verifies by MPI, and prints the table. mpirun ends all ranks if one is killed: call it again.
#
#   mpi.sh RECORDINGS PROGRAM RESULTS [OPTION OF MPIRUN...]
folder=$1 program=$2 results=$3
shift 3
mpirun "$@" sh "$(dirname "$0")/worker.sh" "$folder" "$program" "$results"
"${EVENSTEP:-evenstep}" replay "$folder" --merge --program "$program" --results "$results"
