#!/usr/bin/env bash
# urm.sh VECTORS COMMAND...: the message of a zerocheck by the command: known answers, and what is refused.
# shellcheck source=tests/engine/checks.sh
. "${BASH_SOURCE%/*}/checks.sh"

small_cases() {
    awk '/^case m=1[0-9]/' "$vectors/urm.txt"
}

known_answers() {
    small_cases >known
    check "small cases of the vectors" 4 "$(grep -c . known)"
    gives '2^13 bits: OK*2^14 bits: OK*2^16 bits: OK*2^15 bits, 15409 useful ones in 2^14: OK' urm check known
    gives '2^13 bits: OK*' urm check --workers 1 --backend urm:portable known
    sed 's/\(fnv_path1[^=]*=\)2/\13/' known >wrong
    run urm check wrong
    check "exit code, one wrong" 1 "$code"
    check_has "one wrong" '2^13 bits: FAILED*2^14 bits: OK*' "$out"
    sed 's/m=13/m=12/' known >wrong
    refuses 1 '*a case of 12 variables: 13 to 36 are accepted*' urm check wrong
    sed 's/k14u15409/k14u16385/' known >wrong
    refuses 1 '*padding->useful_bits = 16385*' urm check wrong
    : >empty
    refuses 1 '*empty: no case in it*' urm check empty
    refuses 1 '*missing: cannot be opened*' urm check missing
    refuses 2 '*' urm check
}

timing() {
    gives '2^13 bits, backend portable, 1 workers*without s_hat_v_c *ms  fnv 2dfa44b455945b19*with s_hat_v_c *ms  fnv 6b7cb9700140e6ab' \
        urm time --workers 1 --backend urm:portable 13
    gives '2^15 bits, 15409 useful ones in 2^14, *fnv 6376b5eb375a33bd*fnv 696d57dc4bf2b7ac' urm time 15:14:15409
    local shape
    for shape in 12 37 13x 15:14 15:14:1x -1 ''; do
        refuses 2 "*$shape: VARIABLES, 13 to 36, or VARIABLES:K_LOG:USEFUL_BITS*" urm time -- "$shape"
    done
    refuses 1 '*padding->k_log = 16: 13 to 15 are accepted*' urm time 15:16:1
    gives '*Usage: pleach urm time *' urm time --help
    gives '*Usage: pleach urm SUBCOMMAND*check*time*' urm --help
}

known_answers
timing
finish
