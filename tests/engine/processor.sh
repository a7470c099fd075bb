#!/usr/bin/env bash
# processor.sh COMMAND CPU BACKEND: on an emulated processor the command starts, chooses that backend for BLAKE2s and
# gives the roots that it gives on this one.
set -euo pipefail
command=$1 cpu=$2 backend=$3
input=$(mktemp)
trap 'rm -f "$input"' EXIT
seq -f %08.f 0 32767 | tr -d "\n" >"$input"

emulated() {
    qemu-x86_64 -cpu "$cpu" "$command" "$@"
}

emulated info
emulated info --json | grep -q "\"name\":\"blake2s\",\"backend\":\"$backend\""
for scheme in rfc6962 blake2s; do
    expected=$("$command" root --scheme $scheme --leaf-size 256 "$input")
    actual=$(emulated root --scheme $scheme --leaf-size 256 "$input")
    echo "$scheme $actual"
    [ "$actual" = "$expected" ] || { echo "expected $expected"; exit 1; }
done
