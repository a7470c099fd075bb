#!/usr/bin/env bash
# install.sh SOURCE BUILD CMAKE CC FLAGS: what a user gets who installs a build: headers, libraries, packages, manual.
set -uo pipefail
source=$1 build=$2 cmake=$3 compiler=$4 flags=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checks=0 failures=0

check() { # TITLE COMMAND...
    local title=$1
    shift
    checks=$((checks + 1))
    "$@" >"$work/log" 2>&1 && return
    failures=$((failures + 1))
    printf 'FAIL %s: %s\n' "$title" "$*"
    tail -n 20 "$work/log"
}

equal() { # EXPECTED ACTUAL
    [ "$1" = "$2" ] || { printf 'expected %s\nactual   %s\n' "$1" "$2" && false; }
}

# Of two installs, the second is the first one moved: nothing may remember where it was.
install_it() {
    "$cmake" --install "$build" --prefix "$work/first" >"$work/log" 2>&1 || { cat "$work/log" && exit 1; }
    mv "$work/first" "$work/prefix"
    prefix=$work/prefix
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name pleach.pc)")
    library=$(dirname "$(find "$prefix" -name libpleach.a)")
    export PKG_CONFIG_PATH
    grep -rlF -e "$source" -e "$work/first" "$prefix/include" "$library/cmake" "$PKG_CONFIG_PATH" >"$work/found"
    check "no file names the source or an old prefix" equal "" "$(<"$work/found")"
}

# A C++ compiler, if need be one that only knows the language.
find_cxx() {
    local candidate
    for candidate in "${CXX:-g++}" clang++ c++ clang; do
        cxx=("$candidate" -x c++ -std=c++17)
        [ -n "$(command -v "$candidate")" ] && echo 'int main() {}' | "${cxx[@]}" -fsyntax-only - 2>/dev/null && return
    done
    echo "FAIL there is no C++ compiler"
    exit 1
}

headers() {
    local header name strict=(-Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$prefix/include")
    find_cxx
    for header in "$prefix"/include/pleach/*.h; do
        name=${header##*/}
        echo "#include <pleach/$name>" >"$work/alone.c"
        check "$name as C11" "$compiler" -x c -std=c11 "${strict[@]}" "$work/alone.c"
        check "$name as C++17" "${cxx[@]}" "${strict[@]}" "$work/alone.c"
        [ "$name" = pleach.h ] || check "pleach.h has $name" grep -q "<pleach/$name>" "$prefix/include/pleach/pleach.h"
    done
}

# The programs that a reader sees: the example of README.md, and examples/.
collect_programs() {
    mkdir "$work/programs"
    cp "$source"/examples/*.c "$work/programs" || exit 1
    awk '/^```c$/ { on = !done; next } /^```$/ { if (on) done = 1; on = 0 } on' "$source/README.md" \
        >"$work/programs/readme.c"
    output=$(awk '/^```c$/ { seen = 1 } /^```$/ { on = 0 } on { print; exit } seen && /^```text$/ { on = 1 }' \
        "$source/README.md")
    { cat "$source/tests/install/expected.txt" && echo "readme $output"; } >"$work/expected"
}

runs() { # NAME PROGRAM
    local actual
    actual=$("$2" 2>"$work/errors") || { cat "$work/errors" && return 1; }
    equal "$(sed -n "s/^$1 //p" "$work/expected")" "$actual"
}

with_pkg_config() {
    local file name cflags libs static_libs common=(-std=c11 -Wall -Wextra -Werror)
    check "version of the package" equal "$("$prefix/bin/pleach" --version)" "pleach $(pkg-config --modversion pleach)"
    for file in "$work"/programs/*.c; do
        name=$(basename "$file" .c)
        packages=(pleach)
        grep -q '<uv.h>' "$file" && packages+=(libuv)
        read -ra cflags < <(pkg-config --cflags "${packages[@]}")
        read -ra libs < <(pkg-config --libs "${packages[@]}")
        # The archive by its name, since -lpleach prefers the shared library.
        static_libs=$(pkg-config --static --libs "${packages[@]}")
        read -ra static_libs <<<"${static_libs/-lpleach/$library/libpleach.a}"
        # shellcheck disable=SC2086 # words
        check "$name, pkg-config, shared" "$compiler" $flags "${common[@]}" "${cflags[@]}" "$file" "${libs[@]}" \
            -Wl,-rpath,"$library" -o "$work/$name.shared"
        check "$name, pkg-config, shared, runs" runs "$name" "$work/$name.shared"
        # shellcheck disable=SC2086 # words
        check "$name, pkg-config, static" "$compiler" $flags "${common[@]}" "${cflags[@]}" "$file" \
            "${static_libs[@]}" -o "$work/$name.static"
        check "$name, pkg-config, static, runs" runs "$name" "$work/$name.static"
    done
}

with_cmake() {
    local file name kind
    check "find_package" "$cmake" -S "$source/tests/install/consumer" -B "$work/consumer" -DPROGRAMS="$work/programs" \
        -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_FLAGS="$flags"
    check "find_package, build" "$cmake" --build "$work/consumer"
    for file in "$work"/programs/*.c; do
        name=$(basename "$file" .c)
        for kind in pleach pleach_static; do
            check "$name, find_package, $kind, runs" runs "$name" "$work/consumer/$name.$kind"
        done
    done
    check "a later version is not there" equal no "$(asks_for 0.2)"
    check "nor version 1" equal no "$(asks_for 1)"
}

asks_for() { # VERSION
    mkdir -p "$work/asks"
    printf 'cmake_minimum_required(VERSION 3.22)\nproject(asks C)\nfind_package(pleach %s CONFIG REQUIRED)\n' "$1" \
        >"$work/asks/CMakeLists.txt"
    "$cmake" -S "$work/asks" -B "$work/asks/build" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_C_COMPILER="$compiler" >/dev/null 2>&1 && echo yes || echo no
}

# Its name for the loader says which versions it can stand for; nothing but the interface is to be seen.
shared_library() {
    command -v readelf >/dev/null || { echo "SKIPPED: name and symbols of the library: there is no readelf" && return; }
    local version
    version=$(pkg-config --modversion pleach)
    [ "${version%%.*}" != 0 ] && version=${version%%.*}
    [ "${version%%.*}" = 0 ] && version=${version%.*}
    check "soname" grep -q "SONAME.*\[libpleach\.so\.$version\]" <(readelf -d "$library/libpleach.so")
    nm -D --defined-only "$library/libpleach.so" | awk '{ print $3 }' | grep -vE '^(__odr_asan\.)?pleach_[a-z0-9]' >"$work/found"
    check "only pleach_ is exported" equal "" "$(<"$work/found")"
    nm -D --defined-only "$library/libpleach.so" | awk '{ print $3 }' | grep '^pleach__' >"$work/found"
    check "nothing private is exported" equal "" "$(<"$work/found")"
}

# In a manual a - is written \-, and fonts are changed by \fB.
plain() {
    sed 's/\\f[BIRP]//g; s/\\-/-/g; s/\\&//g; s/\\(aq/'"'"'/g' "$@"
}

long_options() {
    grep -oE -e '--[a-z][a-z-]*' | LC_ALL=C sort -u
}

# The words of a list in --help.
listed() { # SUBCOMMAND...
    "$prefix/bin/pleach" "$@" --help | awk '/^$/ { on = !on && !n++; next } on { print $1 }'
}

subcommands() {
    local word
    for word in $(listed); do
        if "$prefix/bin/pleach" "$word" --help | grep -q "^Usage: pleach $word SUBCOMMAND"; then
            listed "$word" | sed "s/^/$word /"
        else
            echo "$word"
        fi
    done
}

# What --help says and what the manual says is the same: subcommands, their options, and settings.
manual() {
    local page=$prefix/share/man/man1/pleach.1 name named described
    check "the manual is installed" test -s "$page"
    for name in NAME SYNOPSIS DESCRIPTION SUBCOMMANDS ENVIRONMENT 'EXIT STATUS' FILES EXAMPLES; do
        check "the manual has $name" grep -qE "^\.SH \"?$name" "$page"
    done
    check "the manual's version" grep -qF "$(pkg-config --modversion pleach)" "$page"
    if command -v groff >/dev/null; then
        check "groff has nothing to say" equal "" "$(groff -man -Tutf8 -ww -z "$page" 2>&1)"
    elif command -v mandoc >/dev/null; then
        check "mandoc has nothing to say" mandoc -T lint -W warning "$page"
    else
        echo "SKIPPED: the manual through a formatter: there is neither groff nor mandoc"
    fi
    subcommands >"$work/subcommands"
    check "there are subcommands" grep -qx 'tree build' "$work/subcommands"
    plain "$page" | sed -nE 's/^\.SS "?([a-z]+( [a-z-]+)?)( \[| [A-Z-].*|"|$).*/\1/p' >"$work/described"
    check "subcommands of the manual" equal "$(LC_ALL=C sort "$work/subcommands")" "$(LC_ALL=C sort "$work/described")"
    while read -r name; do
        # shellcheck disable=SC2086 # words
        named=$("$prefix/bin/pleach" $name --help | grep -E '^  (-[0-9a-zA-Z], )?--' | grep -oE '^  (-., )?--[a-z-]+' |
            long_options)
        described=$(plain "$page" | awk -v name="$name" '/^\.S[SH]/ { gsub(/"/, ""); on = index($0 " ", ".SS " name " ") == 1; next }
            on && /^(\.BR? )?--/ || on && /^-[0-9a-zA-Z], --/ || on && /^Also / { print }' | long_options)
        check "options of $name in the manual" equal "$named" "$described"
    done <"$work/subcommands"
    for name in $(plain "$page" | grep '^Also ' | long_options); do
        check "$name is explained" grep -qF "\\fB${name//-/\\-}\\fR" "$page"
    done
    for name in $("$prefix/bin/pleach" info --json | grep -oE '"PLEACH_[A-Z_]+"' | tr -d '"' | sort -u); do
        check "setting $name is in the manual" grep -q "$name" "$page"
    done
}

install_it
headers
collect_programs
with_pkg_config
with_cmake
shared_library
manual
echo "$checks checks, $failures failures"
[ $failures -eq 0 ]
