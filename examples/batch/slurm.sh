#!/bin/sh
#SBATCH --array=0-15
#SBATCH --ntasks=1
#SBATCH --requeue
# CC0. A job array. Submit it again, as a whole, if a task was killed: only what is missing is run.
#
#   sbatch --wait slurm.sh RECORDINGS PROGRAM RESULTS
#   evenstep replay RECORDINGS --merge --program PROGRAM --results RESULTS
"${EVENSTEP:-evenstep}" replay "$1" --verify --program "$2" --results "$3" --shard auto || [ $? -eq 1 ]
