#!/usr/bin/env bash
# block.sh VECTORS COMMAND...: blocks hashed by the command: a real one, others put together here, and what is refused.
# shellcheck source=tests/engine/checks.sh
. "${BASH_SOURCE%/*}/checks.sh"

# Hex digits of the hash of what hex digits say, in internal byte order.
sha256() { # DIGITS
    unhex "$1" | sha256sum | cut -c 1-64
}

sha256d() { # DIGITS
    sha256 "$(sha256 "$1")"
}

zeros=$(printf '%064d' 0)
marker=6a24aa21a9ed
script=0151                            # one that anybody fulfils
output=0100f2052a01000000$script       # one, and what it is worth
spending=01$(repeated 17)00000000${script}ffffffff
spending_two=02$(repeated 18)00000000${script}feffffff$(repeated 19)01000000${script}feffffff
coinbase=01${zeros}ffffffff${script}ffffffff
reserved=${zeros//0/7}

# A header with this root.
header() { # ROOT
    printf '01000000%s%s00000000ffff001d00000000' "$zeros" "$1"
}

# Three transactions: a coinbase, one without witnesses, one with none and three for its two inputs.
second=01000000$spending${output}00000000
third=02000000$spending_two${output}11223344
third_whole=020000000001$spending_two${output}000301ff00020a0b11223344
# Of three leaves the last is its own sibling.
left=$(sha256d "$zeros$(sha256d "$second")")
right=$(sha256d "$third_whole")
right=$(sha256d "$right$right")
commitment=$(sha256d "$(sha256d "$left$right")$reserved")
outputs=02${output:2}000000000000000026$marker$commitment
first=01000000$coinbase${outputs}00000000
first_whole=010000000001$coinbase${outputs}0120${reserved}00000000
left=$(sha256d "$(sha256d "$first")$(sha256d "$second")")
right=$(sha256d "$third")
right=$(sha256d "$right$right")
root=$(sha256d "$left$right")

a_real_block() {
    local hash=000000000000045e0b1660b6445b5e5c5ab63c9a4f956be7e1e69be04fa4497b digits digests
    digits=$(tr -d '\n' <"$vectors/bitcoin-testnet-block.hex")
    echo "$digits" >block.hex
    unhex "$digits" >block
    gives "*15 transactions, 4238 bytes, hashed as Bitcoin does*block *$hash*as in the header*as in the coinbase*" \
        block block
    digests=$(tail -n 3 <<<"$out")
    gives '*workers 1*portable*' block --workers 1 --backend portable - <block.hex
    check "digits are bytes, and the scalar code says the same" "$digests" "$(tail -n 3 <<<"$out")"
    gives '*"as": "bitcoin"*"transactions": 15,*"with_witnesses": 1,*"name": "witness commitment"*"scalar_ns"*' \
        block --json block
    check_has "the block's hash in JSON" "*\"block\": \"$hash\"*" "$out"
}

# The shape of blocks that are not on a chain does not matter: what was put together from parts has to come out.
a_made_block() {
    unhex "$(header "$root")03$first_whole$second$third_whole" >made
    gives "*3 transactions*Merkle root *$(reversed <<<"$root")  as in the header*commitment *$commitment  as in *" \
        block made
    unhex "$(header "$root")03$first$second$third" >bare
    gives '*as in the header' block bare
}

other_systems() {
    local a b
    unhex "$(header "$root")03$first_whole$second$third_whole" >made
    a=$(sha256 "00$(sha256 "$first_whole")") b=$(sha256 "00$(sha256 "$second")")
    a=$(sha256 "01$(sha256 "01$a$b")$(sha256 "00$(sha256 "$third_whole")")")
    gives "*as CometBFT does*data hash  *$a" block --as cometbft made
    gives "*as Sei does*data hash  *$a*state checksum *" block --as sei made
    local whole items=''
    for whole in "$first_whole" "$second" "$third_whole"; do
        items+="{\"key\": \"$(sha256 "$whole")\", \"value\": \"$whole\"}"$'\n'
    done
    check_has "its checksum is that of its writes" \
        "*$("${command[@]}" lthash add --ndjson hex --empty skip state - <<<"${items%$'\n'}" | cut -c 1-64)*" "$out"
    gives '*  1 transactions, 1 bytes*state checksum*' block --as sei --txs 1 --size 1
    gives '*300 transactions*' block --txs 300 --size 70 --workers 1
}

hex_refused() { # PATTERN DIGITS
    unhex "$2" >bad
    refuses 1 "$1" block bad
}

refusals() {
    local head
    head=$(header "$root")
    hex_refused "*refused: the header has another Merkle root: $(reversed <<<"$zeros")*" \
        "$(header "$zeros")03$first_whole$second$third_whole"
    hex_refused "*refused: the coinbase commits to other witnesses: $commitment*" \
        "${head}03$first_whole$second${third_whole/000301ff/000301fe}"
    hex_refused '*refused: the coinbase commits to other*' \
        "${head}03${first_whole/0120777777/0120777776}$second$third_whole"
    hex_refused '*refused: transactions are repeated*CVE-2012-2459*' \
        "${head}04$first_whole$second$third_whole$third_whole"
    hex_refused '*1 bytes follow the last*' "${head}03$first$second${third}00"
    hex_refused '*4 bytes wanted, 3 left*' "${head}03$first$second${third:0:-2}"
    hex_refused '*transactions in *' "${head}00"
    hex_refused '*255 transactions in *' "${head}fdff00$first$second$third"
    hex_refused '*a number has more bytes than it needs*' "${head}fd0300$first$second$third"
    hex_refused '*a number has more bytes than it needs*' "${head}fe03000000$first$second$third"
    hex_refused '*a number has more bytes than it needs*' "${head}ff0300000000000000$first$second$third"
    hex_refused '*the first transaction is no coinbase*' "${head}03$second$first$third"
    hex_refused '*a coinbase that is not the first*' "${head}03$first$first$third"
    hex_refused '*marked as having witnesses, but has none*' "${head}03$first$second${third_whole/000301ff00020a0b/0000}"
    hex_refused '*unknown flag*' "${head}03$first$second${third_whole/020000000001/020000000002}"
    hex_refused '*not the value reserved for it*' "${head}03$first$second$third_whole"
    hex_refused '*the coinbase commits to none*' \
        "${head}03${first/$marker/6a24aa21a9ee}$second$third_whole"
    hex_refused '*not one value of 32 bytes*' "${head}03${first_whole/0120777777/022077777701}$second$third"
    hex_refused '*no outputs*' "${head}03${first/$coinbase/${coinbase}00}$second$third"
    refuses 1 '*missing: No such file*' block missing
    : >empty
    refuses 1 '*empty: *80 bytes wanted, 0 left*' block empty
    echo 0 >odd
    refuses 1 '*odd: *' block odd
    refuses 2 '*--txs and --size are of a block that is made up*' block --txs 3 made
    refuses 2 '*--as "solana": expected bitcoin, cometbft or sei*' block --as solana
    refuses 2 '*--txs "0": expected a number from 1 to 16777216*' block --txs 0
    refuses 2 '*--size "16777217": expected*' block --size 16777217
    refuses 2 '*' block made made
}

a_real_block
a_made_block
other_systems
refusals
finish
