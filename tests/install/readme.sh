#!/usr/bin/env bash
# readme.sh VECTORS COMMAND...: every command of pleach that README.md shows, run as it stands there.
# shellcheck source=tests/engine/checks.sh
. "${BASH_SOURCE%/*}/../engine/checks.sh"
readme=$vectors/../../README.md

pleach() {
    "${command[@]}" "$@"
}

# The files that the commands name: sixteen leaves, a log and its continuation, items, and so on.
make_files() {
    local i
    for ((i = 0; i < 8192; i++)); do printf 'line %02d\n' $((i % 100)); done >FILE
    cp FILE 'FILE...'
    head -n 1000 FILE >LOG
    head -n 10 FILE >MORE
    seq 50 >ITEMS
    seq 3 >a && seq 4 >b && seq 2 >c
    : >GONE
    printf '{"key": "6b", "old": null, "value": "00"}\n{"key": "6b", "old": "00", "value": null}\n' >CHANGES
    mkdir DIR && cp a b DIR
    printf '%064d\n' 1 2 3 >txids
    seq -f 'PATH %g' 3 >PATH
    for i in a b c; do pleach lthash add $i.lthash $i >/dev/null; done
    pleach root --leaf-size 1k FILE | cut -c 1-64 >HEX
}

# What stands for a digest is the one that belongs to the proof.
digests_of() { # LINE
    local root older
    case $1 in
    *verify*proof.json*) root=$(pleach root FILE | cut -c 1-64) ;;
    *verify*older.json*)
        root=$(grep -oE '"root": "[0-9a-f]{64}"' older.json | grep -oE '[0-9a-f]{64}')
        older=$(pleach root --lines LOG | cut -c 1-64)
        ;;
    esac
    sed "s/--root HEX/--root ${root-}/; s/--older-root HEX/--older-root ${older-}/
        s/--message HEX/--message $(printf '%064d' 7)/" <<<"$1"
}

# What takes a while is made short.
shortened() { # LINE
    case $1 in
    'pleach tune') echo "$1 --work tree:10:64 --seconds 0.1 --workers 1" ;;
    'pleach tune'*) echo "${1/tree:20:/tree:10:} --seconds 0.1 --workers 1" ;;
    *) echo "$1" ;;
    esac
}

run_line() { # LINE
    local line
    line=$(shortened "$(digests_of "$1")")
    checks=$((checks + 1))
    eval "$line" >output 2>errors && return
    failures=$((failures + 1))
    printf 'FAIL %s\n' "$1"
    head -n 5 errors output
}

make_files
while IFS= read -r line; do
    case $line in
    'pleach tree build '*) rm -f log.tree ;;
    'pleach lthash add set.lthash '*) rm -f set.lthash ;;
    esac
    run_line "$line"
done < <(awk '/^```console$/ { on = 1; next } /^```$/ { on = 0 } on && /^\$ pleach / { sub(/^\$ /, ""); sub(/ +#.*/, ""); print }' \
    "$readme")
[ $checks -gt 20 ] || { echo "FAIL only $checks commands found" && failures=1; }
finish
