#!/usr/bin/env bash
# machine_code.sh OBJDUMP sanitizers=NAMES OBJECT...: checks those objects that are named x86_*: see machine_code.awk.
set -euo pipefail
objdump=$1 sanitizers=${2#sanitizers=}
shift 2
if [ -n "$sanitizers" ]; then
    echo "SKIPPED: sanitizers ($sanitizers) add code of their own"
    exit
fi
if ! "$objdump" --version 2>/dev/null | grep -q GNU; then
    echo "SKIPPED: there is no objdump of GNU"
    exit
fi
for object; do
    [[ ${object##*/} == x86_* ]] || continue
    echo "object $object"
    "$objdump" -tdrw "$object"
    "$objdump" -rw "$object"
done | awk -f "$(dirname "$0")/machine_code.awk"
