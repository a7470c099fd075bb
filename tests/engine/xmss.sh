#!/usr/bin/env bash
# xmss.sh VECTORS COMMAND...: keys in files, signatures and lists of them, by the command.
# shellcheck source=tests/engine/checks.sh
. "${BASH_SOURCE%/*}/checks.sh"

message=0000000000000000000000000000000000000000000000000000000000000001
other=0000000000000000000000000000000000000000000000000000000000000002

# A value of a section of the vectors, the first of its name.
entry() { # SECTION NAME
    awk -v section="[$1]" -v name="$2" '/^\[/ { on = $0 == section } on && $1 == name { print $3; exit }' \
        "$vectors/leanvm-b.txt"
}

# The bytes of a file as hex digits in one line.
digits_of() { # FILE
    od -An -v -tx1 "$1" | tr -d ' \n'
}

line_of() { # PUBLIC_KEY EPOCH MESSAGE SIGNATURE
    printf '{"public_key": "%s", "epoch": %s, "message": "%s", "signature": "%s"}\n' "$@"
}

known_answers() {
    local section='xmss range-100-115' key epoch text
    unhex "$(entry "$section" seed)" >known-seed
    key=$(entry "$section" public_key) epoch=$(entry "$section" sign.epoch) text=$(entry "$section" message)
    gives "$key" xmss keygen --seed-file known-seed --first-epoch 100 --last-epoch 115 known
    check "modes" "600 600" "$(stat -c %a known known.state | paste -sd ' ')"
    gives "{\"public_key\": \"$key\", \"first_epoch\": 100, \"last_epoch\": 115, \"next_epoch\": 100}" \
        xmss show --json known
    gives '' xmss sign --epoch "$epoch" --message "$text" --output signature known
    check "signature" "$(entry "$section" sign.signature)" "$(digits_of signature)"
    gives "$(line_of "$key" "$epoch" "$text" "$(entry "$section" sign.signature)")" \
        xmss sign --epoch "$epoch" --message "$text" --random known
    gives ok xmss verify --public-key "$key" --epoch "$epoch" --message "$text" signature
    rejects 'message gives no valid encoding' xmss verify --public-key "$key" --epoch "$epoch" --message "$other" signature
    printf x >>signature
    refuses 1 '*signature: longer than 1208 bytes*' xmss verify --public-key "$key" --epoch "$epoch" --message "$text" signature
    head -c 1207 signature >short
    refuses 1 '*short: 1207 bytes: 1208 are expected*' \
        xmss verify --public-key "$key" --epoch "$epoch" --message "$text" short
}

keys_remember() {
    gives '*' xmss keygen --last-epoch 20 key
    refuses 1 '*key: File exists*' xmss keygen --last-epoch 20 key
    gives '{"public_key": *' xmss sign --epoch 5 --message $message key
    refuses 1 '*epoch = 5: all below 6 were used*' xmss sign --epoch 5 --message $other key
    refuses 1 '*epoch = 4: all below 6 were used*' xmss sign --epoch 4 --message $message key
    refuses 1 '*epoch = 21: 0 to 20*' xmss sign --epoch 21 --message $message key
    gives '*epochs 0 to 20, next 6' xmss show key
    cp key.state copy
    mv copy key.state
    refuses 1 '*key.state: it is a copy*' xmss sign --epoch 7 --message $message key
    refuses 2 '*--next-epoch is missing*' xmss adopt key
    gives '*epochs 0 to 20, next 9' xmss adopt --next-epoch 9 key
    gives '{"public_key": *' xmss sign --epoch 9 --message $message --random key
    rm key.state
    refuses 1 '*key.state: it is missing*' xmss show key
    check "no new state" 1 "$([ -e key.state ]; echo $?)"
    printf x >key.state
    refuses 1 '*key.state: it is damaged*' xmss show key
    refuses 1 '*key: longer than 32 bytes*' xmss keygen --seed-file key --last-epoch 1 another
    refuses 1 '*absent*' xmss show absent
    printf '%300s' x >text
    refuses 1 '*text: this is no key*' xmss show text
}

# Nothing that is printed has the seed, or what is made of it and not shown.
secrets_are_kept() {
    head -c 32 /dev/urandom >secret
    {
        "${command[@]}" xmss keygen --seed-file secret --last-epoch 3 quiet
        "${command[@]}" xmss show quiet
        "${command[@]}" xmss show --json quiet
        "${command[@]}" xmss sign --epoch 1 --message $message quiet
        "${command[@]}" xmss sign --epoch 1 --message $other quiet
        "${command[@]}" xmss adopt --next-epoch 2 --json quiet
    } >printed 2>&1
    check "the seed is in the key" 1 "$(digits_of quiet | grep -c "$(digits_of secret)")"
    check "the seed is not in what is printed" 0 "$(grep -c "$(digits_of secret | head -c 16)" printed)"
}

lists() {
    local i
    "${command[@]}" xmss keygen --last-epoch 40 signer >public
    for i in {0..19}; do
        "${command[@]}" xmss sign --epoch "$i" --message "$(printf '%064x' "$i")" signer
    done >list
    gives 'ok: 20 signatures' xmss verify-batch list
    gives '{"signatures": 20, "refused": ?]}' xmss verify-batch --json --workers 2 list
    gives 'ok: 20 signatures' xmss verify-batch - <list
    sed -E '4s/"epoch": 3/"epoch": 4/; 8s/"signature": "../&00/; 20s/..."\}$/000"}/' list >bad
    run xmss verify-batch bad
    check "exit code, three bad ones" 1 "$code"
    check_has "bad ones" 'refused: signature 3: *refused: signature 7: signature has the wrong size*refused: signature 19: signature does not lead to the public key*refused: 3 of 20 signatures' "$out"
    run xmss verify-batch --json bad
    check_has "bad ones, JSON" '{"signatures": 20, "refused": ?{"index": 3, "status": "EXMSS*"}, {"index": 7, "status": "EXMSSSIZE"}, {"index": 19, "status": "EXMSSROOT"}]}' "$out"
    : >empty
    gives 'ok: 0 signatures' xmss verify-batch empty
    binary_list list >binary
    gives 'ok: 20 signatures' xmss verify-batch --binary binary
    printf x >>binary
    refuses 1 '*binary: * bytes: a multiple of 1276 is expected*' xmss verify-batch --binary binary
    malformed_lines
    traces
}

# The lines of a list as records of bytes.
binary_list() { # LIST
    local key epoch text signature
    while IFS=$'\t' read -r key epoch text signature; do
        unhex "$key$(printf '%02x000000' "$epoch")$text$signature"
    done < <(sed -E 's/[{}":,]//g; s/public_key //; s/ (epoch|message|signature) /\t/g' "$1")
}

malformed_lines() {
    local line pattern
    while IFS='|' read -r pattern line; do
        printf '%s\n' "$line" >malformed
        refuses 1 "*malformed: line 1: $pattern*" xmss verify-batch malformed
    done <<'LINES'
no JSON|x
no JSON|
not a JSON object|[]
"epoch" is no number|{}
"epoch" is no number|{"epoch": 4294967296, "public_key": "", "message": "", "signature": ""}
"epoch" is no number|{"epoch": -1, "public_key": "", "message": "", "signature": ""}
"public_key" has 0 bytes: 32|{"epoch": 1, "public_key": "", "message": "", "signature": ""}
members other than|{"epoch": 1, "public_key": "", "message": "", "signature": "", "more": 1}
members other than|{"epoch": 1, "public_key": "", "message": ""}
"public_key" is no string|{"epoch": 1, "public_key": 1, "message": "", "signature": ""}
LINES
}

# The first signature's root in a trace of rows, in either order of a word's bytes.
root_in() { # TRACE
    local order
    for order in little big; do
        tail -c "+$((143 * 144 + 113))" "$1" | od -An -v -N 16 -tx4 --endian=$order | tr -d ' \n'
        echo
    done
}

traces() {
    local layout size
    while read -r layout size; do
        gives 'ok: 20 signatures' xmss trace --layout "$layout" --output "trace-$layout" list
        check "bytes of layout $layout" "$size" "$(wc -c <"trace-$layout")"
    done <<'LAYOUTS'
lanes 663552
blocks 442368
results 147456
rows 414720
LAYOUTS
    gives 'ok: 20 signatures' xmss trace --output trace --backend portable --workers 1 list
    same trace trace-lanes
    check_has "root of the first signature, in its last compression" "*$(head -c 32 public)*" "$(root_in trace-rows)"
    run xmss trace --output bad-trace bad
    check_has "a trace with bad ones" '1 refused: signature 3: *' "$code $out"
    check "bytes of a trace with bad ones" 663552 "$(wc -c <bad-trace)"
    refuses 2 '*--layout "x": expected lanes, blocks, results or rows*' xmss trace --layout x --output trace list
    refuses 2 '*--output FILE says*' xmss trace list
}

usage() {
    refuses 2 '*--last-epoch is missing*' xmss keygen new
    refuses 2 '*--last-epoch "4294967296": expected a number from 0 to 4294967295*' xmss keygen --last-epoch 4294967296 new
    refuses 1 '*first_epoch = 3: at most last_epoch = 2*' xmss keygen --first-epoch 3 --last-epoch 2 new
    refuses 2 '*--epoch is missing*' xmss sign --message $message new
    refuses 2 '*--message is missing*' xmss sign --epoch 1 new
    refuses 2 '*--message "x": expected 64*' xmss sign --epoch 1 --message x new
    refuses 2 '*--public-key is missing*' xmss verify --epoch 1 --message $message new
    gives '*Usage: pleach xmss SUBCOMMAND*keygen*sign*verify-batch*trace*bench*' xmss --help
    gives '*Usage: pleach xmss sign *' xmss sign --help
}

known_answers
keys_remember
secrets_are_kept
lists
usage
finish
