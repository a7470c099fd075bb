#!/usr/bin/env bash
# processor.sh FOLDER BACKEND: on the processor that PLEACH_EMULATOR emulates, and on which the tests of the build in
# FOLDER ran: the command chooses that backend for every family, and the tests skipped every one that it cannot run.
set -euo pipefail
folder=$1 backend=$2
log=$folder/Testing/Temporary/LastTest.log
read -ra emulated <<<"$PLEACH_EMULATOR $folder/bin/pleach"

# "FAMILY BACKEND" of each line of the table whose outcome is like the pattern.
backends() { # PATTERN
    awk -v pattern="$1" '$1 == "family" { table = 1; next }
        table && /^[a-z]/ { family = $1; sub(/^[a-z0-9]+/, "") }
        table && $0 ~ pattern { print family, $1 }' <<<"$info"
}

info=$("${emulated[@]}" info)
echo "$info"
for family in blake2s sha256 blake3; do
    backends '[0-9]  chosen' | grep -qx "$family $backend" || { echo "$family: $backend is not chosen"; exit 1; }
done
backends 'lacks instructions' | while read -r lacking; do
    grep -q "SKIPPED: $lacking needs" "$log" || { echo "$lacking: not skipped"; exit 1; }
done
