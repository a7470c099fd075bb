#!/usr/bin/env bash
# count.sh TABLE PLUG-IN CALLS EMULATOR...: executed instructions per hash of 64 bytes, or block of that size, are those
# of the table; and a pool whose settings forbid streaming executes no instruction of SME.
set -euo pipefail
table=$1 plugin=$2 calls=$3
shift 3
export QEMU_CPU=max,sme512=on,sme_fa64=off
lines=$(mktemp) found=$(mktemp)
trap 'rm -f "$lines" "$found"' EXIT

# The emulator's log comes behind the program's own output.
count() { # ARGUMENT...
    "${emulator[@]}" -plugin "$plugin" -d plugin -D "$lines" "$calls" "$@"
}

streaming() { # SLOTS
    count pool "$1" && sed -n 's/^streaming //p' "$lines"
}

emulator=("$@")
count kernels >"$found"
grep '^counted' "$lines" | paste -d ' ' "$found" - |
    awk '{ printf "%s %s %s %.2f\n", $1, $2, $3, $6 / $4 }' >"$found.per"
mv "$found.per" "$found"

faults=0
if ! diff <(grep -v '^#' "$table") "$found"; then
    echo "the table has <, counted was >"
    faults=1
fi
without=$(streaming 0) with=$(streaming auto)
echo "instructions of SME: $without without slots, $with with them"
if [ "$without" -ne 0 ] || [ "$with" -eq 0 ]; then
    faults=1
fi
exit "$faults"
