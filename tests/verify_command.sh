#!/bin/sh
# `evenstep replay --verify FOLDER`: programs as shared objects, verdicts, shards, results, killed workers. With
# EVENSTEP_FULL: 1 000 recordings, also by GNU parallel, Open MPI and Slurm, where they are installed.
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
timeout 60 "$command" demo --headless --virtual --seconds 1 --record odd/demo.esrec >/dev/null 2>&1
ends 1 --verify odd --program "$module"
equal "$what" "$(verdicts)" \
    'cut.esrec cut off,damaged.esrec incomplete,demo.esrec refused,tab\t.esrec equal,text.esrec refused'
has "a recording of 'evenstep demo', not of '20_verified_game'"
has "incomplete	120	119	205a7f71131530ab	byte 4055: the content of a record is damaged"
ends 1 --verify odd # by the demo's update
has "demo.esrec	equal	61"

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

# --- shards, results, merging -----------------------------------------------------------------------

run single --verify m/day2 --program "$module" --results one
run merged m/day2 --merge --program "$module" --results one
same "merging" single merged
evenstep() {
    # shellcheck disable=SC2086 # words
    env ${variables-} timeout 250 "$command" ${subcommand-} "$@"
}
auto="--verify m/day2 --program $module --results shards --shard"
while IFS='|' read -r variables shard expected; do
    # shellcheck disable=SC2086 # words
    ends 0 $auto $shard
    equal "$variables $shard" "$(cat out)" "shard $expected not equal"
done <<'TABLE'
|1/2|1/2: 1 recordings, 0 of them verified before; 0
|4/9|4/9: 0 recordings, 0 of them verified before; 0
SLURM_ARRAY_TASK_ID=20 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_MAX=30 SLURM_ARRAY_TASK_STEP=10|auto|1/3: 1 recordings, 1 of them verified before; 0
OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=3 SLURM_PROCID=0|auto|2/3: 1 recordings, 0 of them verified before; 0
PMI_RANK=0 PMI_SIZE=1|auto|0/1: 3 recordings, 2 of them verified before; 0
JOB_COMPLETION_INDEX=0 JOB_COMPLETIONS=2|auto|0/2: 2 recordings, 2 of them verified before; 0
SLURM_PROCID=1 SLURM_NTASKS=2|auto|1/2: 1 recordings, 1 of them verified before; 0
TABLE
while IFS='|' read -r variables text; do
    # shellcheck disable=SC2086 # words
    expect_error 2 "$text" $auto auto
done <<'TABLE'
|none of these variables is set: SLURM_ARRAY_TASK_ID, OMPI_COMM_WORLD_RANK, PMI_RANK, JOB_COMPLETION_INDEX
SLURM_ARRAY_TASK_ID=1|SLURM_ARRAY_TASK_COUNT: expected a whole number, it is not set
JOB_COMPLETION_INDEX=1|JOB_COMPLETIONS: expected
PMI_RANK=1 PMI_SIZE=x2|PMI_SIZE: expected a whole number, got x2
PMI_RANK=2 PMI_SIZE=2|2/2: I is 0 to N - 1
SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_STEP=1|the array has gaps
TABLE
variables=

# what is not there any more, or not of this recording and this program, is named
merge="m/day2 --merge --program $module --results shards"
# lacks TEXT
lacks() {
    # shellcheck disable=SC2086 # words
    expect_error 3 "'00003.esrec' has no result: $1" $merge
}
# shellcheck disable=SC2086 # words
run merged $merge
same "merging three shards" single merged
cp shards/00003.esrec.result kept
rm shards/00003.esrec.result
lacks "there is none; 1 of 3 are missing"
cp shards/00002.esrec.result shards/00003.esrec.result
lacks "it is no result of this recording"
head -c 60 kept >shards/00003.esrec.result
lacks "it is no result of this recording"
cp kept shards/00003.esrec.result
touch -d 2020-01-01 m/day2/00003.esrec
lacks "the recording has changed since"
# shellcheck disable=SC2086 # words
ends 0 $auto 0/1
has "3 recordings, 2 of them verified before"
expect_error 3 "it is by another build of the program; 3 of 3" m/day2 --merge --program changed.so --results shards

mkdir empty
errors <<'TABLE'
empty --verify | 4 | no file *.esrec in 'empty'
none --verify --program changed.so | 4 | cannot read 'none': No such file
m --verify --program none.so | 4 | --program: cannot load 'none.so'
m --verify --program nameless.so | 4 | undefined symbol: es_verify_program
m --verify --program old.so | 4 | 'old.so': es_verify_program: version is of another version
m --verify --program still.so | 4 | es_verify_program: destroy is NULL
m --verify --program fieldless.so | 4 | es_verify_program: es_layout
m --verify --results /dev/null/r --program changed.so | 4 | --results: cannot write '/dev/null/r/day1/00001.esrec.result'
m --verify --shard 0/2 | 2 | --shard needs --results
m --merge | 2 | --merge needs --results
m --merge --results r --shard 0/2 | 2 | --merge and --shard do not go together
m --merge --results r --verify | 2 | --verify and --merge do not go together
m --verify --shard 2/2 --results r | 2 | --shard: 2/2: I is 0 to N - 1
m --verify --shard 1 --results r | 2 | --shard: expected I/N, or auto, got '1'
m --verify --shard -1/2 --results r | 2 | --shard: expected I/N
m --verify --shard 0/0 --results r | 2 | --shard: 0/0
m --verify --json | 2 | --json: results of folders and programs are a table
odd/cut.esrec --program changed.so | 2 | are for --verify and --merge
odd/cut.esrec --seek 3 --program changed.so | 2 | are for --verify and --merge
TABLE

# --- killed workers -----------------------------------------------------------------------------------

# The command; its workers may not live long, but longer after each try: a slow machine needs that.
cat >frail <<'END'
#!/bin/sh
"$COMMAND" "$@" &
worker=$!
case $* in
*--merge*) ;;
*)
    sleep "$(od -An -N2 -tu2 /dev/urandom | awk -v tries="$tries" \
        '{ u = $1 / 65536; printf "%.3f", 0.6 * (1 + tries / 10) * u * u }')"
    ! kill -9 $worker 2>/dev/null || echo "$*" >>"$KILLED"
    ;;
esac
wait $worker
END
chmod +x frail
COMMAND=$command KILLED=$scratch/killed EVENSTEP=$scratch/frail
export COMMAND KILLED EVENSTEP tries

# survives NAME KILLS COMMAND...: until all results are there, those of one process, after more than KILLS kills
survives() {
    results=$1 kills=$2 tries=0 status=3 killed=0
    shift 2
    : >killed
    while { [ $status = 3 ] || [ "$killed" -le "$kills" ]; } && [ $tries -lt 300 ]; do
        [ $status = 3 ] || rm -r "$results" # a fast machine: workers ended before they were killed
        tries=$((tries + 1))
        quietly "$@"
        evenstep many --merge --program "$module" --results "$results" >merged 2>err
        status=$?
        killed=$(wc -l <killed)
    done
    same "$results: after $tries tries: $(cat err log)" all merged
    check "$results: $killed workers were killed" [ "$killed" -gt "$kills" ]
    echo "$test_name: $results: $killed workers killed, $tries tries"
}

# start_slurm: one node, this machine, until the test ends. Fails where slurmd does not run: it needs cgroups
start_slurm() {
    user=$(id -un) host=$(hostname -s) port=$((20000 + $$ % 10000))
    mkdir slurmd state
    chmod 711 "$scratch"
    head -c 1024 /dev/urandom >key
    chmod 400 key
    SLURM_CONF=$scratch/slurm.conf
    export SLURM_CONF
    cat >slurm.conf <<END
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 10000))
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$scratch/munge.socket
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/slurmd
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
NodeName=$host NodeAddr=127.0.0.1 CPUs=2
PartitionName=all Nodes=ALL Default=YES OverSubscribe=FORCE:4
END
    start_server munged --foreground --force --key-file=key --socket="$scratch/munge.socket" \
        --pid-file="$scratch/munged.pid" --log-file="$scratch/munged.log" --seed-file="$scratch/seed"
    await "munge" [ -S munge.socket ]
    start_server slurmctld -D
    start_server slurmd -D
    await "a node" sh -c "scontrol show node | grep -q SlurmdStartTime=2 || ! kill -0 $server 2>err"
    kill -0 "$server" 2>err
}

# shards COUNT RESULTS: one after another
shards() {
    for index in $(seq 0 $(($1 - 1))); do
        sh "$home/examples/batch/worker.sh" many "$module" "$2" "$index/$1" 2>/dev/null
    done
}

count=${EVENSTEP_FULL:+1000}
record many "${count:-60}"
ends 1 --verify many --program "$module"
cp out all
survives alone 0 shards 4 alone

skipped=
if [ -n "${EVENSTEP_FULL-}" ]; then
    batch=$home/examples/batch
    if command -v parallel >/dev/null; then
        survives parallel 3 sh "$batch/parallel.sh" many "$module" parallel
    else
        skipped=" parallel"
    fi
    if command -v mpirun >/dev/null; then
        OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
        export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
        survives mpi 3 sh "$batch/mpi.sh" many "$module" mpi --oversubscribe -np 4
    else
        skipped="$skipped mpirun"
    fi
    if command -v slurmctld >/dev/null && command -v munged >/dev/null; then
        if start_slurm; then
            survives slurm 3 sbatch --wait --array=0-3 -o "$scratch/slurm-%a.txt" "$batch/slurm.sh" many "$module" slurm
        else
            skipped="$skipped slurmd"
        fi
    else
        skipped="$skipped slurm"
    fi
fi
finish "${skipped:+skipped:$skipped}"
