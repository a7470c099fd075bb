#!/usr/bin/env bash
# avx512.sh FOLDER: runs the kernels' tests, some of the trees', the signatures' and the command, found in a build's
# FOLDER, on an emulated processor with AVX-512, and compares the command's roots with those that it gives on this one.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
head -c 65536 < <(seq 1 60000) >"$work/input"

# Dynamic programs are started through the loader, with their libraries beside them.
loader=$(ldd "$folder/pleach" | grep -o '/[^ ]*ld-linux[^ ]*')
files=(-f "$work/input" -f "$PWD/tests/vectors")
for program in "$folder/test_kernels" "$folder/test_merkle" "$folder/test_xmss" "$folder/test_lthash" "$folder/pleach"; do
    files+=(-f "$program")
    for library in $(ldd "$program" | grep -o '/[^ ]*'); do
        files+=(-f "$library")
    done
done
roots=("root --leaf-size 64 $work/input" "root --leaf-size 64 --scheme blake2s $work/input")
commands=("$loader $folder/test_kernels avx512,gfni" "$loader $folder/test_merkle every_rule"
    "$loader $folder/test_lthash every_entry" "$loader $folder/test_xmss" "$loader $folder/pleach info")
for arguments in "${roots[@]}"; do
    commands+=("$loader $folder/pleach $arguments")
done

tests/emulated/avx512 -t 1800 -e PLEACH_TEST_QUICK=1 "${files[@]}" "${commands[@]}" | tee "$work/output"
grep -q 'avx512 .*chosen' "$work/output"
grep -q 'OK ] every_rule' "$work/output"
grep -q 'OK ] every_entry' "$work/output"
for arguments in "${roots[@]}"; do
    # shellcheck disable=SC2086 # several arguments
    "$folder/pleach" $arguments | grep -qxFf - "$work/output" || { echo "another root: $arguments"; exit 1; }
done
