#!/usr/bin/env bash
# machine_code.sh RULES PATTERN OBJDUMP sanitizers=NAMES OBJECT...: checks those objects whose names match the pattern by
# the rules, which are machine_code.awk's or another file's.
set -euo pipefail
rules=$1 pattern=$2 objdump=$3 sanitizers=${4#sanitizers=}
shift 4
if [ -n "$sanitizers" ]; then
    echo "SKIPPED: sanitizers ($sanitizers) add code of their own"
    exit
fi
if ! "$objdump" --version 2>/dev/null | grep -q GNU; then
    echo "SKIPPED: there is no objdump of GNU"
    exit
fi
for object; do
    # shellcheck disable=SC2053 # a pattern
    [[ ${object##*/} == $pattern ]] || continue
    echo "object $object"
    "$objdump" -tdrw "$object"
    "$objdump" -rw "$object"
done | awk -f "$rules"
