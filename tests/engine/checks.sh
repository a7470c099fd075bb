#!/usr/bin/env bash
# checks.sh VECTORS COMMAND...: what the tests of the command from outside share; sourced.
# shellcheck disable=SC2034 # they are for who sources it
set -uo pipefail
vectors=$1 list=$1/sha256-merkle.txt
shift
command=("$@")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
quick=${PLEACH_TEST_QUICK-} calls=0
for name in "${!PLEACH_@}"; do
    [ "$name" = PLEACH_EMULATOR ] || unset "$name"
done
checks=0 failures=0

# True for all but one in so many calls, or times so many, if tests are to be quick, or several times as quick.
passed_over() { # EVERY
    calls=$((calls + 1))
    [ -n "$quick" ] && [ $((calls % ($1 * quick))) -ne 0 ]
}

# Runs the command; leaves its exit code and outputs in `code`, `out` and `err`.
run() {
    out=$("${command[@]}" "$@" 2>err)
    code=$?
    err=$(<err)
}

check() { # TITLE EXPECTED ACTUAL
    checks=$((checks + 1))
    [ "$2" = "$3" ] && return
    failures=$((failures + 1))
    printf 'FAIL %s\n  expected %s\n  actual   %s\n' "$1" "$2" "$3"
}

check_has() { # TITLE PATTERN TEXT
    # shellcheck disable=SC2053 # the right side is a pattern
    [[ $3 == $2 ]]
    check "$1: '$3' matches '$2'" 0 $?
}

# Runs the command and expects an exit code and a pattern in what it says on standard error.
refuses() { # CODE PATTERN ARGUMENT...
    local expected=$1 pattern=$2
    ! passed_over 3 || return 0
    shift 2
    run "$@"
    check "exit code of: $*" "$expected" "$code"
    check_has "message of: $*" "$pattern" "$err"
}

# The numbers from 0, as 32-bit big-endian leaves.
big_endian() { # COUNT
    local i text=''
    for ((i = 0; i < $1; i++)); do
        printf -v text '%s\\x00\\x00\\x%02x\\x%02x' "$text" $((i >> 8)) $((i & 255))
    done
    printf '%b' "$text"
}

# What follows a key, on every line that has it.
values() { # KEY
    awk -v key="$1" '$1 == key { sub(/^[^ ]+ /, ""); sub(/ +[#[].*/, ""); print }' "$list"
}

# The digests under a key of the proof that was printed last, in one line.
digests() { # KEY
    sed -n "/\"$1\": \[\$/,/]/p" <<<"$out" | grep -oE '[0-9a-f]{64}' | paste -sd ' '
}

# A single digest of the proof in a file.
member() { # KEY FILE
    sed -nE "s/.*\"$1\": \"([0-9a-f]{64})\".*/\1/p" "$2"
}

# The bytes that hex digits say.
unhex() { # DIGITS
    # shellcheck disable=SC2001 # every pair of digits
    printf '%b' "$(sed 's/../\\x&/g' <<<"$1")"
}

# Runs the command, and expects success and a pattern on standard output.
gives() { # PATTERN ARGUMENT...
    local pattern=$1
    shift
    run "$@"
    check "exit code of: $* ($err)" 0 "$code"
    check_has "output of: $*" "$pattern" "$out"
}

# Runs the command, and expects the output "refused: ..." and exit code 1.
rejects() { # PATTERN ARGUMENT...
    local pattern=$1
    ! passed_over 3 || return 0
    shift
    run "$@"
    check "exit code of: $* ($err)" 1 "$code"
    check_has "output of: $*" "refused: $pattern" "$out"
}

same() { # FILE FILE
    cmp -s "$1" "$2"
    check "$1 is like $2" 0 $?
}

# The transactions of a block, in hex.
transactions() { # NAME
    awk -v name="$1" '$1 == "btc.block" { on = index($2, name) } on && $1 == "btc.txid" { print $2 }' "$list"
}

# Hex digits in the other byte order.
reversed() {
    awk '{ line = ""; for (i = length - 1; i > 0; i -= 2) line = line substr($0, i, 2); print line }'
}

# Leaves of 32 equal bytes.
repeated() { # BYTE...
    local byte
    for byte; do
        printf "%0.s$(printf %02x "$byte")" {1..32}
        echo
    done
}

# The leaves of the vectors for RFC 6962, one a line.
rfc6962_lines() {
    local index leaf
    while read -r index leaf; do
        [ "$leaf" = - ] || unhex "$leaf"
        echo
    done < <(values rfc6962.leaf)
}

# Tags are closed in the order in which they were opened, attributes are quoted, and no bare "&" or "<" is left.
well_formed() { # FILE
    awk 'BEGIN { RS = "<" }
        NR == 1 { if ($0 !~ /^[ \n]*$/) bad = 1; next }
        { if (!match($0, />/)) bad = 1; tag = substr($0, 1, RSTART - 1); text = substr($0, RSTART + 1) }
        text ~ /&/ || (depth == 0 && NR > 2 && text !~ /^[ \n]*$/) { bad = 1 }
        tag ~ /^\?xml .*\?$/ && NR == 2 { next }
        tag ~ /^\// { if (depth == 0 || open[depth--] != substr(tag, 2)) bad = 1; next }
        { rest = tag; closed = sub(/\/$/, "", rest); name = rest; sub(/[ \n].*/, "", name)
          sub(/^[a-z]+/, "", rest); while (sub(/^ [a-zA-Z-]+="[^"<]*"/, "", rest)); if (rest != "") bad = 1
          if (!closed) open[++depth] = name }
        END { exit bad || depth != 0 }' "$1"
}

finish() {
    echo "$checks checks, $failures failures"
    [ $failures -eq 0 ]
}
