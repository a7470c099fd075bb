#!/usr/bin/env bash
# tune.sh VECTORS COMMAND...: settings for kinds of work, by the command, which has an absolute path.
# shellcheck source=tests/engine/checks.sh
. "${BASH_SOURCE%/*}/checks.sh"

tiny=(--work tree:6:64 --work block:20:100 --work lthash:64)

tunes() { # ARGUMENT...
    run tune --seconds 0.05 "$@"
    check "exit code of: tune $* ($err)" 0 "$code"
}

# The rows of the tables: their settings.
settings_in_table() {
    awk '$2 ~ /^[0-9.]+$/ && $3 ~ /^(ns|us|ms|s)$/ && $5 == "%" && $7 == "x" && $9 == "%" { print $1 }' <<<"$out"
}

# Whether what the command says to export is accepted, for each work and for all.
exports_are_accepted() {
    local lines=() line
    while IFS= read -r line; do
        [[ $line == 'export PLEACH_'* ]] && lines+=("${line#export }")
    done <<<"$out"$'\n'
    check "there are lines to export" 1 $((${#lines[@]} > 0))
    for line in "${lines[@]}"; do
        run info
        out=$(env "$line" "${command[@]}" info 2>&1)
        check "exit code of info with $line" 0 $?
        check_has "info with $line" "*${line%%=*} *${line#*=}*" "$out"
    done
}

tables() {
    local words
    tunes "${tiny[@]}" --workers 1-3,2+1
    check "settings of three works" "$(printf '%s\n' {1,2,3,2+1}{,,} | sort)" "$(settings_in_table | sort)"
    check "best ones" 3 "$(grep -cE '(processor time|%  +[0-9.]+ [num]?s)  best' <<<"$out")"
    check "reasons" 3 "$(grep -cE '^  best: [0-9+]+ workers?: .*\.$' <<<"$out")"
    for words in 'tree:6:64: 2^6 leaves of 64 bytes, all nodes kept; blake2s *; ' \
        'block:20:100: 20 transactions of about 100 bytes, as CometBFT hashes them; sha256 *; ' \
        'lthash:64: 4096 items of 64 bytes, added to the hash of a set; blake3 *; '; do
        check_has "what is tuned" "*$words* round*" "$out"
    done
    check "nothing on standard error" "" "$err"
    exports_are_accepted
    tunes --work tree:4:10
    check "one worker comes first" 1 "$(settings_in_table | head -n 1)"
    check "settings that the machine suggests, once each" "" "$(settings_in_table | sort | uniq -d)"
    exports_are_accepted
    PLEACH_LOG=info tunes --work tree:4:10 --workers 3,2+2
    check "pools that are started" "1 3 4" \
        "$(sed -nE 's/.*info: pool of ([0-9]+) workers, .*/\1/p' <<<"$err" | paste -sd ' ')"
    PLEACH_WORKERS=3 PLEACH_BACKEND=portable PLEACH_SME_WORKERS=0 tunes --work tree:3:9 --workers 2
    check_has "settings from the environment" '*; blake2s portable; *' "$out"
    check "one worker is always tried" "1 2" "$(settings_in_table | paste -sd ' ')"
}

schemes() {
    tunes --scheme rfc6962 --work tree:3:9 --workers 1 --backend portable
    check_has "a tree of another scheme" '*tree:3:9: *; sha256 portable; *' "$out"
    check_has "reason with one setting" '*best: 1 worker: nothing else was tried.*' "$out"
    tunes --scheme bitcoin --work tree:3:32 --work block:3:1 --workers 1
    check_has "as Bitcoin hashes" '*block:3:1: 3 transactions of about 1 bytes, as Bitcoin hashes them; sha256 *' "$out"
    tunes --scheme ssz --work tree:3:32 --work block:3:1000 --workers 1
    check_has "as CometBFT hashes" '*block:3:1000: *, as CometBFT hashes them; sha256 *' "$out"
    tunes --scheme blake3 --work tree:0:1 --workers 2
    check_has "a tree of a single leaf" '*tree:0:1: 2^0 leaves of 1 bytes, all nodes kept; blake3 *' "$out"
}

json() {
    tunes "${tiny[@]}" --workers 1-2,2+2 --json
    check_has "JSON" '{*"version": "*"works": \[*"interrupted": false*"settings": {*}*}' "$out"
    check "works in JSON" 'tree:6:64 block:20:100 lthash:64' \
        "$(sed -nE 's/.*"work": "(.*)",?$/\1/p' <<<"$out" | paste -sd ' ')"
    check "timings in JSON" 9 "$(grep -c '"time_ns": ' <<<"$out")"
    check "best timings in JSON" 3 "$(grep -c '"best": true' <<<"$out")"
    for bracket in '{}' '[]'; do
        check "brackets $bracket in JSON" "$(tr -cd "${bracket:0:1}" <<<"$out" | wc -c)" \
            "$(tr -cd "${bracket:1}" <<<"$out" | wc -c)"
    done
}

plots() {
    tunes "${tiny[@]}" --workers 1-2,2+1,2+2 --svg plot.svg
    well_formed plot.svg
    check "the plot is well-formed" 0 $?
    check "lines of the plot" 3 "$(grep -c '<g class="line ' plot.svg)"
    check "points of the plot" 12 "$(grep -c '<path class="point".*<title>' plot.svg)"
    check "best ones in the plot" 3 "$(grep -c '<circle class="best"' plot.svg)"
    check "references of the plot" "" "$(grep -E 'href|url\(|@import' plot.svg)"
    for work in tree:6:64 block:20:100 lthash:64; do
        check "legend of $work" 1 "$(grep -c "class=\"legend\".*>$work; one worker: .*; best: " plot.svg)"
    done
    check "what the plot was written to is gone" "" "$(find . -name '*.pleach-new')"
    tunes --work tree:2:2 --workers 1 --json --svg plot.svg
    check "a plot is replaced" 1 "$(grep -c '<g class="line ' plot.svg)"
    if command -v xmllint >/dev/null; then
        xmllint --nonet --noout plot.svg
        check "the plot, to xmllint" 0 $?
    else
        echo "SKIPPED: xmllint: not here"
    fi
    echo mine >file
    refuses 1 'pleach: file: exists and is no SVG file: it is left alone' tune --svg file
    check "no file is replaced that is no plot" mine "$(cat file)"
    refuses 1 'pleach: missing/plot.svg*: No such file or directory' tune --svg missing/plot.svg
    refuses 1 'pleach: --svg "-": expected the name of a file' tune --svg -
}

# An interrupt ends the rounds; what was measured is printed. A second one would end the command: without --foreground
# there may be two.
interrupts() {
    local seconds
    for seconds in 1 4 16 64; do # as long as the first round takes here
        out=$(timeout --foreground -k 60 -s INT $seconds "${command[@]}" tune --seconds 600 --work tree:4:64 \
            --work tree:5:64 --svg half.svg 2>err)
        check "timeout came" 124 $?
        [[ $(<err) != *': 0 of 2 works'* ]] && break
    done
    check_has "message when interrupted" '*pleach: interrupted: 1 of 2 works were measured' "$(<err)"
    check_has "what was measured so far" '*tree:4:64: *best: *export PLEACH_WORKERS=*' "$out"
    check "lines of the plot" 1 "$(grep -c '<g class="line ' half.svg)"
    check "what the plot was written to is gone" "" "$(find . -name '*.pleach-new')"
}

mistakes() {
    local text form='expected one of tree:HEIGHT:LEAF_SIZE (tree:20:64), lthash:SIZE (lthash:200),'
    form+=' block:TRANSACTIONS:SIZE (block:2500:400)'
    for text in '' tree tree: tree:1 tree:1: tree::1 tree:1:2:3 tree:1:2: tree:-1:2 tree:1:2k tree:1:0x2 forest:1:2 \
        trees:1:2 tre:1:2 'tree :1:2' lthash lthash:1:2 block:1 block:18446744073709551616:1; do
        refuses 2 "pleach: --work \"$text\": $form" tune --work "$text"
    done
    refuses 2 'pleach: --work "tree:41:64": expected HEIGHT from 0 to 40' tune --work tree:41:64
    refuses 2 'pleach: --work "tree:4:0": expected LEAF_SIZE from 1 to 1073741824' tune --work tree:4:0
    refuses 2 'pleach: --work "lthash:0": expected SIZE from 1 to 1073741824' tune --work lthash:0
    refuses 2 'pleach: --work "block:0:1": expected TRANSACTIONS from 1 to 1073741824' tune --work block:0:1
    refuses 2 'pleach: --work "block:1:0": expected SIZE from 1 to *' tune "${tiny[@]}" --work block:1:0
    refuses 2 'pleach: --work "tree:4:64": a leaf of scheme ssz is a digest of 32 bytes' \
        tune --scheme ssz --work tree:4:64
    refuses 1 'pleach: tree:40:1073741824: needs * GiB of memory, of which * are available' \
        tune --work tree:40:1073741824
    refuses 1 'pleach: block:1073741824:1073741824: needs *' tune --work tree:1:1 --work block:1073741824:1073741824
    for text in '' 0 1025 x '1,' ',1' '1,,2' '1-,' -1 2-1 1- 1+1 2+ 2+0 1024+1 1-2-3 2+1+1 1-2+1 '1 2' 1-257 0x2; do
        refuses 2 "pleach: --workers \"$text\": expected numbers from 1 to 1024, *256 settings at most" \
            tune --workers "$text"
    done
    for text in '' 0 0.0 -1 x 1. .5 1.2.3 1e3 86401 inf nan; do
        refuses 2 "pleach: --seconds \"$text\": expected a number above 0 and at most 86400*" tune --seconds "$text"
    done
    refuses 2 '*Usage: pleach tune *' tune tree:4:64
    refuses 2 '*pleach tune: unrecognized option*' tune --depth 3
    refuses 2 '*there is no such scheme; accepted: *' tune --scheme none
    PLEACH_WORKERS=x refuses 2 '*PLEACH_WORKERS*' tune
    refuses 2 '*nonesuch*' tune --backend nonesuch "${tiny[@]}"
    PLEACH_WORKERS=bad gives 'Usage: pleach tune *--work *--scheme *--workers *--seconds *--svg *--json*' tune --help
    "${command[@]}" tune --seconds 0.01 --work tree:1:1 >/dev/full 2>err
    check "full standard output" 1 $?
}

tables
schemes
json
plots
interrupts
mistakes
finish
