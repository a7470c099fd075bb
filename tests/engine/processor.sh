#!/usr/bin/env bash
# processor.sh FOLDER "FAMILY BACKEND OUTCOME"...: on the processor that PLEACH_EMULATOR emulates, and on which the tests
# of the build in FOLDER ran: the command tells these outcomes, or more of them, and the tests skipped what it cannot run.
set -euo pipefail
folder=$1
shift
log=$folder/Testing/Temporary/LastTest.log
read -ra emulated <<<"$PLEACH_EMULATOR $folder/bin/pleach"

info=$("${emulated[@]}" info)
outcomes=$(awk '$1 == "family" { table = 1; next }
    table && /^[a-z]/ { family = $1; sub(/^[a-z0-9]+/, "") }
    table && NF > 0 { backend = $1; sub(/^ *[a-z0-9]+ +[0-9]+ +/, ""); print family, backend, $0 }' <<<"$info")
echo "$outcomes"
for expected; do
    [[ $'\n'$outcomes == *$'\n'"$expected"* ]] || { echo "not so: $expected"; exit 1; }
done
while read -r family backend outcome; do
    [[ $outcome == *'lacks instructions'* ]] || continue
    grep -q "SKIPPED: $family $backend needs" "$log" || { echo "$family $backend: not skipped"; exit 1; }
done <<<"$outcomes"
