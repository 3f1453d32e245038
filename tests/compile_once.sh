#!/bin/sh
# Compiles the same text with the same options once. tests/package.sh builds the library many times over,
# which differ in who builds it and how, and hardly in what the compiler is given. As CMake's launcher:
#
#   COMPILE_ONCE=DIRECTORY CMAKE_C_COMPILER_LAUNCHER=tests/compile_once.sh cmake ...
#
# The same is: the text after preprocessing, so with all headers and definitions, and all options but those
# that name files or ask for warnings. So who wants warnings comes first. What is not a source of the library
# is compiled as it stands.
set -u
directory=${COMPILE_ONCE:?}
source=
object=
options=
previous=
for argument; do
    case $previous in
    -c) source=$argument ;;
    -o) object=$argument ;;
    -MF | -MT | -MQ | -isystem) ;;
    *)
        case $argument in
        -c | -o | -[DIMUW]* | -isystem) ;;
        *) options="$options $argument" ;;
        esac
        ;;
    esac
    previous=$argument
done
case $source in
*/src/*.c) ;;
*) exec "$@" ;;
esac

text=$(mktemp "$directory/text.XXXXXX") || exit 1
trap 'rm -f "$text" "$text.o"' EXIT
# the same without -c and -o
previous=
for argument; do
    shift
    case $previous$argument in
    -c* | -o*) ;;
    *) set -- "$@" "$argument" ;;
    esac
    previous=
    case $argument in -c | -o) previous=$argument ;; esac
done
"$@" -E -P "$source" -o "$text" || exit 1 # and writes what the source depends on
echo "$options" >> "$text"
made=$directory/$(sha256sum < "$text" | cut -d ' ' -f 1).o
if [ ! -f "$made" ]; then
    "$@" -c "$source" -o "$text.o" || exit 1
    mv "$text.o" "$made"
fi
cp "$made" "$object"
