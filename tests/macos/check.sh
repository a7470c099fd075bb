#!/usr/bin/env bash
# check.sh: compiles the kernels and what is for macOS alone for Apple's arm64, against the declarations of Apple's
# system that include/ repeats: what a compiler and an assembler can find without that system.
set -euo pipefail
cd "$(dirname "$0")/../.."

compile() { # FILE
    local options=(--target=arm64-apple-macos13 -std=c11 -Wall -Wextra -Wconversion -Wshadow -Werror
        -ffreestanding -nostdlibinc -isystem tests/macos/include -I .)
    [[ $1 != */arm_sha3.c ]] || options+=(-march=armv8.2-a+sha3)
    clang "${options[@]}" -c "$1" -o /dev/null
}
export -f compile

mapfile -t files < <(find kernels -name '*.[cS]' ! -name 'x86_*' ! -name '*_linux.c')
files+=(pool/*_macos.c pool/*_sysctl.c)
printf '%s\n' "${files[@]}" | xargs -P "$(getconf _NPROCESSORS_ONLN)" -I {} bash -c 'compile "$@"' compile {}
echo "${#files[@]} files compile for macOS"
