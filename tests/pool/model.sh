#!/bin/sh
# Checks model.pml, and that each fault planted in it is found: model.sh MODEL CC
set -eu
command -v spin >/dev/null || { echo "SKIPPED: spin is not installed"; exit 77; }
model=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# check ERRORS OPTION...: the checker must find this number of errors. Building it costs more than finding one does.
check() {
    expected=$1
    shift
    level=$([ "$expected" = 0 ] && echo -O1 || echo -O0)
    spin -a "$@" "$model" >spin.log || { cat spin.log; exit 1; }
    "$cc" -w "$level" -DCOLLAPSE -DSAFETY -o pan pan.c
    ./pan -m1000000 -w24 >pan.log
    if ! grep -q "errors: $expected\$" pan.log || grep -q "max search depth too small\|out of memory" pan.log; then
        echo "model.pml $*: expected $expected errors"
        cat pan.log
        exit 1
    fi
    echo "model.pml $*: $(sed -n 's/ *\([0-9]*\) states, stored.*/\1/p' pan.log) states, $expected errors"
}

check 0 -DJOBS=1 -DITEMS=2 -DFAIL=1
check 0 -DCALLERS=1 -DFAIL=1
check 0 -DWORKERS=1
check 0 -DWORKERS=1 -DCALLERS=1 -DENTRIES=2 -DNEST=1
check 0 -DWORKERS=1 -DITEMS=2 -DCLOSE=1
check 0 -DWORKERS=1 -DCALLERS=1 -DENTRIES=2 -DNEST=1 -DCLOSE=1
for fault in 1 2 3 4 6 7 8 9; do
    check 1 -DJOBS=1 -DBREAK=$fault
done
for fault in 5 10; do
    check 1 -DJOBS=1 -DFAIL=1 -DBREAK=$fault
done
for fault in 11 12 13; do
    check 1 -DWORKERS=1 -DITEMS=2 -DCLOSE=1 -DBREAK=$fault
done
