#!/bin/sh
# Compiles the path code of books into a folder, for each of some compute capabilities; where there
# is no NVRTC there is none.
#
#   compile_ahead.sh PRICER FOLDER "90;100" BOOK...
set -eu

pricer=$1 folder=$2 architectures=$3
shift 3
for architecture in $(echo "$architectures" | tr ';' ' '); do
    for book in "$@"; do
        XDG_CACHE_HOME=$folder "$pricer" --compile="$architecture" "$book" >"$folder/log" 2>&1 || {
            echo "pricer: no path code compiled ahead: $(tail -n 1 "$folder/log")"
            break 2
        }
    done
done
touch "$folder/filled"
