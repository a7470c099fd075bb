#!/usr/bin/env bash
# lthash.sh VECTORS COMMAND...: hashes of sets in files, by the command.
# shellcheck source=tests/engine/checks.sh
. "${BASH_SOURCE%/*}/checks.sh"

# The checksum, or another value, under a title of the vectors.
expected() { # TITLE [KEY]
    awk -v title="$1" -v key="${2-blake3}" '!/^ /{ found = $0 == title || index($0, title "  ") == 1 }
        found && $1 == key { print $2; exit }' "$vectors/lthash.txt"
}

# Bytes as hex digits in one line.
digits_of() {
    od -An -v -tx1 | tr -d ' \n'
}

# Bytes of the state in a file.
state_bytes() { # FILE COUNT
    tail -c +33 "$1" | head -c "$2" | digits_of
}

# A state of the items in a file or standard input, from nothing.
fresh() { # CHECKSUM FILE OPTION... INPUT
    local checksum=$1 file=$2
    shift 2
    rm -f "$file"
    gives "$checksum  $file" lthash add "$file" "$@"
}

# NDJSON in hex of items of bytes i mod 251, one for each size.
patterns() { # SIZE...
    local size
    for size; do
        awk -v size="$size" 'BEGIN { printf "{\"item\": \""
            for (i = 0; i < size; i++) printf "%02x", i % 251
            print "\"}" }'
    done
}

# NDJSON in hex of the items v(i, size) of the vectors, for i below a count; a size of i is i.
numbered() { # COUNT SIZE
    awk -v count="$1" -v size="$2" 'BEGIN { for (i = 0; i < count; i++) {
            printf "{\"item\": \""
            rest = i
            for (j = 0; j < (size == "i" ? i : size); j++) {
                printf "%02x", (j < 8 ? rest % 256 : (i + j) % 256)
                rest = int(rest / 256)
            }
            print "\"}" } }'
}

accounts() { # COUNT
    local i aa owner key
    aa=$(printf 'aa%.0s' {1..63}) owner=$(printf '02%.0s' {1..32}) key=$(printf '01%.0s' {1..32})
    for ((i = 0; i < $1; i++)); do
        printf '{"item": "%02x%02x000000000000%02x%s00%s%s"}\n' $(((1000 + i) & 255)) $(((1000 + i) >> 8)) $i "$aa" \
            "$owner" "$key"
    done
}

known_answers() {
    local zero size title
    zero=$(expected ZERO)
    fresh "$zero" zero /dev/null
    gives "*zero *yes*" lthash show zero
    check "the state of nothing" "$(printf '00%.0s' {1..2048})" "$(state_bytes zero 2048)"
    echo >empty
    fresh "$(expected 'H("")')" state --empty hash empty
    fresh "$zero" state --empty skip empty
    echo hello >hello
    printf 'world!' >world
    fresh "$(expected 'H("hello")')" state hello
    check "all bytes" "$(expected 'H("hello")' full2048)" "$(state_bytes state 2048)"
    gives "$(expected 'H("hello")+H("world!")')  state" lthash add state world
    gives "$(expected 'H("hello")')  state" lthash remove state - <world
    gives "$(expected 'H("hello")-H("world!")')  state" lthash remove state world
    fresh "$(expected 'H("hello")+H("world!")')" state hello world
    fresh "$zero" state /dev/null
    gives "$(expected '0-H("hello")')  state" lthash remove state hello
    yes hello | head -n 65535 >many
    fresh "$(expected '65535*H("hello")')" state many
    gives "$zero  state" lthash add state hello
    same state zero
    while read -r title; do
        ! passed_over 4 || continue
        size=${title#*[}
        fresh "$(expected "$title")" state --ndjson hex - < <(patterns "${size%]*}")
    done < <(grep '^H(pat' "$vectors/lthash.txt")
    while read -r title; do
        ! passed_over 2 || continue
        size=${title#*,} size=${size%%)*}
        numbered "$(sed -E 's/.*i<([0-9]+).*/\1/' <<<"$title")" "$size" >items
        fresh "$(expected "${title%%  *}")" state --ndjson hex --empty hash items
    done < <(grep '^SUM(i<[0-9]*) H' "$vectors/lthash.txt" | grep -v ' - ')
    numbered 1000 i >items
    fresh "$(expected 'SUM(i<1000) H(v(i,i))')" state --ndjson hex --empty hash items
    awk 'NR % 3 == 1' items >thirds
    gives "$(expected 'SUM(i<1000) H(v(i,i)) - SUM(i<1000,i%3==0) H(v(i,i))')  state" \
        lthash remove state --ndjson hex --empty hash thirds
    for title in key1,value1 a,bc ab,c; do
        echo "{\"key\": \"${title%,*}\", \"value\": \"${title#*,}\"}" >items
        fresh "$(expected "KV($title)")" state --ndjson text items
    done
    accounts 1 >items
    fresh "$(expected 'ACCT(0)')" state --ndjson hex items
    accounts 4 >items
    fresh "$(expected 'SUM(i<4) ACCT(i)')" state --ndjson hex items
}

updates() {
    local i
    for ((i = 0; i < 500; i++)); do
        echo "{\"key\": \"key-$i\", \"value\": \"val-$i\"}"
    done >pairs
    for ((i = 0; i < 500; i++)); do
        case $((i % 3)) in
        0) echo "{\"key\": \"key-$i\", \"old\": \"val-$i\", \"value\": null}" ;;
        1) echo "{\"key\": \"key-$i\", \"old\": \"val-$i\", \"value\": \"new-$i\"}" ;;
        2) echo "{\"value\": \"val-$i\", \"old\": \"val-$i\", \"key\": \"key-$i\"}" ;;
        esac
    done >changes
    fresh "$(expected 'KVSUM(key-i,val-i;i<500)')" state --ndjson text pairs
    cp state before
    gives "$(expected 'KVSUM after delete i%3==0, update i%3==1 -> new-i')  state" \
        lthash update --ndjson text state changes
    cp state after
    # The same as what was there removed, and what is there added.
    cp before state
    sed 's/"value": [^,}]*//; s/"old"/"value"/; s/, }/}/; s/{, /{/' changes >old
    sed -n '/"value": null/!{ s/"old": "[^"]*", //; p }' changes >new
    gives '*' lthash remove --ndjson text state old
    gives '*' lthash add --ndjson text state new
    same state after
    # What is missing, null or empty is not there.
    cp after state
    printf '%s\n' '{"key": "a", "value": "1"}' '{"key": "b", "old": null, "value": "1"}' \
        '{"key": "c", "old": "", "value": "1"}' '{"key": "", "old": "x", "value": "1"}' >changes
    gives '*' lthash update --ndjson text state changes
    gives '*' lthash remove --ndjson text state - < <(printf '{"key": "%s", "value": "1"}\n' a b c)
    same state after
    gives '*' lthash add --ndjson text state - < <(printf '{"key": "%s", "value": "1"}\n' a b c)
    printf '%s\n' '{"key": "a", "old": "1"}' '{"key": "b", "old": "1", "value": null}' \
        '{"key": "c", "old": "1", "value": ""}' '{"key": "d", "value": null}' >changes
    gives '*' lthash update --ndjson text state changes
    same state after
}

# The same items in every form and order are one state.
forms() {
    local i
    for ((i = 0; i < 60; i++)); do
        head -c $((1 + i * i)) /dev/urandom | tr '\000\n' ab >item
        cat item >>lines && echo >>lines
        cat item >>nuls && printf '\0' >>nuls
        echo "{\"item\": \"$(digits_of <item)\"}" >>hex
        echo "{\"item\": \"$(base64 -w0 <item)\"}" >>base64
    done
    fresh '*' all lines
    fresh "${out%% *}" state --nul nuls
    fresh "${out%% *}" state -0 - <nuls
    fresh "${out%% *}" state --ndjson hex hex
    fresh "${out%% *}" state --ndjson hex <(sed 's/: ".*/\U&/' hex)
    fresh "${out%% *}" state --ndjson base64 base64
    fresh "${out%% *}" state <(tac lines)
    same state all
    head -c -1 lines >unended
    fresh "${out%% *}" state unended
    head -n 20 lines >first
    tail -n +21 lines >rest
    fresh "${out%% *}" state rest first
    same state all
    gives "$(expected ZERO)  state" lthash remove state first rest
    gives '*zero *yes*' lthash show state
    gives '{"checksum": "*", "zero": true, "key_check": null}' lthash show --json state
    # Items may hold what lines and zero bytes end.
    printf 'a\nb\n\0c' >item
    fresh '*' state --nul item
    printf '%s\n' '{"item": "610a620a"}' '{"item": "63"}' >hex
    gives "ok: checksum ${out%% *}, of 2 items" lthash verify --ndjson hex state hex
    printf '%s\n' '{"item": "a\nb\n"}' '{"item": "\u0063"}' >hex
    gives "ok: checksum *, of 2 items" lthash verify --ndjson text state hex
    printf 'a\0b\n' >item
    fresh '*' state item
    gives 'ok: *' lthash verify --ndjson text state - <<<'{"item": "a\u0000b"}'
    # Base64 of every number of padding characters, and characters outside ASCII.
    printf '%s\n' '{"item": "Zg=="}' '{"item": "Zm8="}' '{"item": "Zm9v"}' '{"item": "+/+/"}' >base64
    printf '%s\n' '{"item": "66"}' '{"item": "666f"}' '{"item": "666f6f"}' '{"item": "fbffbf"}' >hex
    fresh '*' state --ndjson base64 base64
    gives 'ok: *, of 4 items' lthash verify --ndjson hex state hex
    printf '{"item": "\303\251"}\n{"item": "\\ud83d\\ude00"}\n' >text
    fresh '*' state --ndjson text text
    gives 'ok: *, of 2 items' lthash verify --ndjson hex state - \
        < <(printf '%s\n' '{"item": "C3A9"}' '{"item": "f09f9880"}')
}

# More than fits in one batch, on one worker and several.
large() {
    local workers count=150000 items
    [ -z "$quick" ] || count=15000
    items=$((2 * count + 2))
    { seq -f 'item %.0f' $count && head -c 5000000 /dev/zero | tr '\0' x && echo && seq 1000000 $((1000000 + count)); } >lines
    fresh '*' all --workers 1 lines
    for workers in 2 5; do
        fresh "${out%% *}" state --workers $workers lines
    done
    fresh "${out%% *}" state --nul <(tr '\n' '\0' <lines)
    sed 's/.*/{"item": "&"}/' lines >text
    fresh "${out%% *}" state --ndjson text text
    head -n $((count / 10)) lines >tenth
    tail -n +$((count / 10 + 1)) lines >rest
    sed 's/^/new /' tenth >changed
    gives '*' lthash remove state tenth
    gives '*' lthash add state changed
    gives 'ok: *, of '$items' items' lthash verify state rest changed
    echo >>lines
    refuses 1 'pleach: lines: line '$((items + 1))': an item of no bytes: --empty hash or --empty skip *' lthash add state lines
    echo '{"item": 1}' >>text
    refuses 1 'pleach: text: line '$((items + 1))': "item" is no string' lthash add --ndjson text state text
    gives 'ok: *, of '$items' items' lthash verify state rest changed
}

directories() {
    local path tree
    mkdir -p tree/a/b tree/empty
    printf 'first' >tree/one
    printf 'a\nb\0c' >tree/a/two
    head -c 3000000 /dev/urandom >tree/a/b/three
    printf 'hidden' >tree/a/.four
    printf 'x' >"tree/a/b/with space"
    : >tree/a/nothing
    ln -s one tree/link
    mkfifo tree/pipe
    (cd tree && find . -type f -size +0 -printf '%P\n') | while read -r path; do
        echo "{\"key\": \"$(printf %s "$path" | base64 -w0)\", \"value\": \"$(base64 -w0 <"tree/$path")\"}"
    done >pairs
    fresh '*' all --ndjson base64 pairs
    for tree in tree tree/ ./tree "$PWD/tree" tree/../tree//; do
        fresh "${out%% *}" state --files "$tree"
    done
    same state all
    gives 'ok: *, of 5 items' lthash verify --files state tree
    ln -s tree other
    gives 'ok: *, of 5 items' lthash verify --files state other
    (cd tree && rm ../state && "${command[@]}" lthash add --files ../state . >../out)
    same state all
    gives "$(expected ZERO)  state" lthash remove --files state tree
    fresh '*' state --files tree/a tree
    printf 'changed' >tree/one
    rejects 'the state has checksum *, that of the 5 items has *' lthash verify --files all tree
    printf 'first' >tree/one
    mv tree/one tree/uno
    rejects '*' lthash verify --files all tree
    mv tree/uno tree/one
    gives 'ok: *' lthash verify --files all tree

    refuses 1 'pleach: tree/one: not a directory' lthash add --files state tree/one
    refuses 1 'pleach: nowhere: No such file or directory' lthash add --files state nowhere
    refuses 1 'pleach: -: No such file or directory' lthash add --files state -
    cp all tree/state
    refuses 1 'pleach: tree/state.pleach-new: the state is kept in the directory that it is of' \
        lthash add --files tree/state tree
    same tree/state all
    rm tree/state
    truncate -s 4G tree/a/sparse
    refuses 1 'pleach: tree/a/sparse: 4 GiB or more: a pair has no place for it' lthash add --files state tree
    rm tree/a/sparse
    if [ -e /proc/sys/fs/inotify ]; then
        refuses 1 'pleach: /proc/sys/fs/inotify/*: it changed while it was read' \
            lthash add --files state /proc/sys/fs/inotify
    fi
    # Root may read and write everything, unless it gives that up.
    [ ! -w all ] || chmod 000 tree/a/two
    if powerless test ! -r tree/a/two; then
        out=$(powerless "${command[@]}" lthash verify --files all tree 2>&1)
        check "exit code where a file cannot be read" 1 $?
        check_has "message where a file cannot be read" 'pleach: tree/a/two: Permission denied' "$out"
    else
        echo 'SKIPPED: files that cannot be read: this user reads all'
    fi
    chmod 600 tree/a/two
}

# Runs a program as a user whom permissions stop.
powerless() {
    if [ "$(id -u)" -ne 0 ]; then
        "$@"
    elif command -v setpriv >/dev/null; then
        setpriv --bounding-set=-dac_override,-dac_read_search "$@"
    else
        "$@"
    fi
}

combinations() {
    seq 10 >ten
    seq 11 30 >twenty
    seq 30 >thirty
    fresh '*' a ten
    fresh '*' b twenty
    fresh '*' both thirty
    gives "${out%% *}  sum" lthash combine --output sum a b
    same sum both
    gives '*  sum' lthash combine --force --output sum both --subtract b
    same sum a
    gives "$(expected ZERO)  sum" lthash combine --force --output sum both --subtract b --subtract a
    gives '*  a' lthash combine --force --output a a b
    same a both
    gives '*  b' lthash combine --force --output b - <both
    same b both
    cp both before
    refuses 1 'pleach: both: exists; --force replaces it' lthash combine --output both a b
    refuses 1 'pleach: ten: exists and is no state of LtHash: it is left alone' lthash combine --force --output ten a b
    refuses 1 'pleach: missing: No such file or directory' lthash combine --force --output both a missing
    refuses 1 'pleach: missing: No such file*' lthash combine --force --output both a --subtract missing
    refuses 1 'pleach: ten: no state of LtHash, or a damaged one: *' lthash combine --force --output both a ten
    refuses 2 '*--output STATE is missing*' lthash combine a b
    same both before
}

keys() {
    local size mode bytes key
    printf 'whats the Elvish word for friend' >key
    printf 'whats the Elvish word for enemy!' >other
    while read -r size mode bytes; do
        [ "$mode" = keyed_hash ] || continue
        ! passed_over 4 || continue
        rm -f state
        gives '*' lthash add --key-file key --empty hash --ndjson hex state - < <(patterns "$size")
        check "keyed, $size bytes" "$bytes" "$(state_bytes state 131)"
    done < <(awk '$1 <= 8192' "$vectors/blake3.txt")
    seq 10 >ten
    fresh '*' keyed --key-file key ten
    fresh '*' others --key-file other ten
    fresh '*' plain ten
    cp keyed before
    key=$(tail -c +17 keyed | head -c 16 | digits_of)
    gives "*key check  $key" lthash show keyed
    gives "*\"key_check\": \"$key\"}" lthash show --json keyed
    gives '*key check  none*' lthash show plain
    check "the key is not in the file" 0 "$(grep -c 'Elvish' keyed)"
    refuses 1 'pleach: keyed: its items are hashed under a key: --key-file FILE is missing' lthash add keyed ten
    refuses 1 'pleach: keyed: its items are hashed under a key: *' lthash verify keyed ten
    refuses 1 'pleach: keyed: its items are hashed under another key than *' lthash remove --key-file other keyed ten
    refuses 1 'pleach: plain: its items are hashed without a key, *' lthash add --key-file key plain ten
    refuses 1 'pleach: others: its items are hashed under another key than those of keyed' \
        lthash combine --output sum keyed others
    refuses 1 'pleach: plain: its items are *' lthash combine --output sum keyed --subtract plain
    refuses 1 'pleach: keyed: key nowhere: No such file*' lthash add --key-file nowhere keyed ten
    refuses 1 'pleach: new: key nowhere: No such file*' lthash add --key-file nowhere new ten
    check "no state without its key" "" "$(find . -name 'new*')"
    head -c 31 key >short
    refuses 1 '*key short: fewer than 32 bytes' lthash add --key-file short keyed ten
    echo >>other
    refuses 1 '*key other: more than 32 bytes' lthash add --key-file other keyed ten
    same keyed before
    gives 'ok: checksum *' lthash verify keyed
    gives 'ok: *, of 10 items' lthash verify --key-file key keyed ten
    rejects '*' lthash verify --key-file key keyed - < <(seq 11)
    gives '*  sum' lthash combine --output sum keyed keyed
    gives '*  sum' lthash remove --key-file key sum ten
    same sum keyed
}

verification() {
    local checksum
    seq 10 >ten
    fresh '*' state ten
    checksum=${out%% *}
    gives "ok: checksum $checksum" lthash verify state
    gives "ok: checksum $checksum" lthash verify --checksum "$checksum" - <state
    gives "ok: checksum $checksum, of 10 items" lthash verify --checksum "$checksum" state ten
    rejects "the state has checksum $checksum" lthash verify --checksum "$(expected ZERO)" state ten
    rejects "the state has checksum $checksum" lthash verify --checksum "$(expected ZERO)" state
    rejects "the state has checksum $checksum, that of the 9 items has *" lthash verify state - < <(seq 9)
    refuses 1 'pleach: missing: No such file*' lthash verify state ten missing
}

# What is wrong with a line of NDJSON is said with its number.
bad_line() { # MESSAGE SUBCOMMAND ENCODING LINE
    printf '%s\n' "$good" "$4" "$good" >bad
    refuses 1 "pleach: bad: line 2: $1" lthash "$2" --ndjson "$3" state bad
}

ndjson() {
    local good='{"key": "61", "value": "62"}' line
    fresh '*' state /dev/null
    cp state before
    for line in '' ' ' x '{' '{"item": "61"' '{"item": "61"} x' '{"item": "61"}{"item": "61"}' '{"item": "61",}' \
        '{"item": "61", "item": "62"}' "{'item': '61'}" $'{"item": "6\001"}' $'{"item": "\377"}' \
        '{"item": "\ud800"}'; do
        bad_line 'no JSON: *' add hex "$line"
    done
    bad_line 'not a JSON object' add hex '["61"]'
    bad_line 'neither "item" nor "key"' add hex '{}'
    bad_line 'neither "item" nor "key"' add hex '{"value": "61"}'
    bad_line 'no "value"' add hex '{"key": "61"}'
    bad_line 'members other than "item"' add hex '{"item": "61", "value": "61"}'
    bad_line 'members other than "key" and "value"' add hex '{"key": "61", "value": "61", "old": "61"}'
    bad_line '"item" is no string' add hex '{"item": 61}'
    bad_line '"item" is no string' add hex '{"item": null}'
    bad_line '"value" is no string' remove hex '{"key": "61", "value": null}'
    bad_line '"key" is no string' remove hex '{"key": ["61"], "value": "61"}'
    bad_line '"item": 3 hex digits, which is odd' add hex '{"item": "616"}'
    bad_line '"item": character 3 is no hex digit' add hex '{"item": "61g1"}'
    bad_line '"value": character 2 is no hex digit' add hex '{"key": "61", "value": "0x61"}'
    bad_line '"key": character 1 is no hex digit' add hex '{"key": " 1", "value": "61"}'
    bad_line '"item": character 1 is no hex digit' add hex '{"item": "\u00001"}'
    bad_line 'an item of no bytes: *' add hex '{"item": ""}'
    good='{"item": "YWI="}'
    bad_line '"item": 3 characters of base64, which is no multiple of 4' add base64 '{"item": "YWI"}'
    bad_line '"item": base64 whose last digit has bits that belong to no byte' add base64 '{"item": "YWJ="}'
    bad_line '"item": base64 whose last digit has bits that belong to no byte' add base64 '{"item": "YR=="}'
    bad_line '"item": character 2 is no base64 digit' add base64 '{"item": "Y==="}'
    bad_line '"item": character 1 is no base64 digit' add base64 '{"item": "===="}'
    bad_line '"item": character 4 is no base64 digit' add base64 '{"item": "YWI=YWI="}'
    bad_line '"item": character 3 is no base64 digit' add base64 '{"item": "YW-_"}'
    bad_line '"item": character 1 is no base64 digit' add base64 '{"item": "\nYWI"}'
    bad_line '"item": character 3 is no base64 digit' add base64 '{"item": "YW=I"}'
    good='{"key": "61", "old": "62"}'
    bad_line 'no "key"' update hex '{"item": "61"}'
    bad_line 'no "key"' update hex '{"old": "61", "value": "62"}'
    bad_line 'neither "value" nor "old"' update hex '{"key": "61"}'
    bad_line '"key" is no string' update hex '{"key": null, "old": "61"}'
    bad_line '"old" is no string' update hex '{"key": "61", "old": 0}'
    bad_line '"old": 1 hex digits, which is odd' update hex '{"key": "61", "old": "6", "value": "61"}'
    bad_line 'members other than "key", "value" and "old"' update hex '{"key": "61", "old": "61", "new": "62"}'
    same state before
    printf 'a\0\0b\0' >bad
    refuses 1 'pleach: bad: item 2: an item of no bytes: *' lthash add --nul state bad
    same state before
}

# The state's reader is shown every byte and bit in lthash_file.c.
damage() {
    local at
    seq 10 >ten
    fresh '*' state ten
    cp state before
    for at in 0 1 8 12 16 32 1000 2079 2080 2111; do
        head -c "$at" before >state
        refuses 1 'pleach: state: no state of LtHash, or a damaged one: it ends after *' lthash verify state
        { head -c "$at" before && tail -c +$((at + 1)) before | head -c 1 | tr '\000-\377' '\001-\377\000' &&
            tail -c +$((at + 2)) before; } >state
        refuses 1 'pleach: state: no state of LtHash, or a damaged one: *' lthash show state
        cp state damaged
        refuses 1 'pleach: state: no state of LtHash, or a damaged one: *' lthash add state ten
        same state damaged
    done
    { cat before && printf x; } >state
    refuses 1 'pleach: state: *: it goes on after its end' lthash remove state ten
    cp before state
    refuses 1 'pleach: ten: no state of LtHash, or a damaged one: it does not begin *' lthash add ten ten
}

files() {
    seq 10 >ten
    fresh '*' state ten
    cp state before
    refuses 1 'pleach: missing: No such file*' lthash add state missing
    refuses 1 'pleach: new: No such file*' lthash remove new ten
    refuses 1 'pleach: new: No such file*' lthash update --ndjson hex new ten
    refuses 1 'pleach: missing: No such file*' lthash add new missing
    check "no state of items that cannot be read" "" "$(find . -name 'new*')"
    refuses 1 '*nowhere/new.pleach-new: No such file*' lthash add nowhere/new ten
    refuses 1 'pleach: -: *' lthash add - ten
    mkdir folder
    refuses 1 'pleach: folder: Is a directory' lthash show folder
    refuses 1 'pleach: folder: Is a directory' lthash add new folder
    ln -sf state link
    gives '*  link' lthash add link ten
    check "a link stays a link" link "$([ -L link ] && echo link)"
    gives '*  state' lthash remove state ten
    same state before
    chmod 640 state
    gives '*' lthash add state ten
    check "mode of a state that was replaced" 640 "$(stat -c %a state)"
    cp before state

    rm -f slow && mkfifo slow
    "${command[@]}" lthash add state slow >/dev/null &
    for ((i = 0; i < 500; i++)); do [ -e state.pleach-new ] || sleep 0.02; done
    refuses 1 'pleach: state: another command is changing it' lthash remove state ten
    echo 11 >slow
    wait $!
    check "the command that held the lock" 0 $?
    gives 'ok: *, of 11 items' lthash verify state <(seq 11)
    cp before state

    out=$(trap '' XFSZ && ulimit -f 1 && "${command[@]}" lthash add state ten 2>&1)
    check "exit code where the disk is full" 1 $?
    check_has "message where the disk is full" 'pleach: *state.pleach-new: *' "$out"
    same state before
    mkdir -p locked
    cp state locked/state
    chmod 500 locked
    if powerless test ! -w locked; then
        out=$(powerless "${command[@]}" lthash add locked/state ten 2>&1)
        check "exit code in a directory that cannot be written" 1 $?
        check_has "message in a directory that cannot be written" \
            'pleach: *locked/state.pleach-new: Permission denied' "$out"
        same locked/state before
    else
        echo 'SKIPPED: a directory that cannot be written: this user writes all'
    fi
    chmod 700 locked
    "${command[@]}" lthash show state >/dev/full 2>err
    check "full standard output" 1 $?
    check "what was written beside states is gone" "" "$(find . -name '*.pleach-new')"
}

# Whenever a command is killed, the old state is there, or the new one.
kills() {
    local times=${quick:+12} i pid took pause old=0
    seq 10 >ten
    fresh '*' before ten
    cp before after
    took=${EPOCHREALTIME/./}
    gives '*' lthash add after ten
    took=$((${EPOCHREALTIME/./} - took))
    cp before state
    rm -f slow && mkfifo slow
    "${command[@]}" lthash add state slow &
    pid=$!
    for ((i = 0; i < 500; i++)); do [ -e state.pleach-new ] || sleep 0.02; done
    kill -9 $pid
    wait $pid 2>/dev/null
    same state before
    gives '*' lthash add state ten
    same state after
    for ((i = 0; i < ${times:=60}; i++)); do
        cp before state
        "${command[@]}" lthash add state ten >/dev/null 2>&1 &
        pid=$!
        pause=$((took * (RANDOM % 120) / 100))
        sleep "$((pause / 1000000)).$(printf %06d $((pause % 1000000)))"
        kill -9 $pid 2>/dev/null
        wait $pid 2>/dev/null
        if cmp -s state before; then
            old=$((old + 1))
        else
            same state after
        fi
    done 2>/dev/null
    echo "killed $times times: $old times before the old state was replaced"
    cp before state
    gives '*' lthash add state ten
    same state after
    check "what the killed commands left is gone" "" "$(find . -name '*.pleach-new')"
}

mistakes() {
    local name words
    refuses 2 '*Usage: pleach lthash SUBCOMMAND*' lthash
    refuses 2 '*no subcommand "lthash grow"; try: pleach lthash --help' lthash grow
    gives '*add*remove*update*combine*show*verify*' lthash --help
    gives '*tree*lthash*' --help
    for name in add remove update combine show verify; do
        PLEACH_WORKERS=bad gives "Usage: pleach lthash $name*--workers*" lthash $name --help
        refuses 2 "*Usage: pleach lthash $name *STATE*" lthash $name
        refuses 2 "*pleach lthash $name: unrecognized option*" lthash $name --bad state
    done
    seq 10 >ten
    fresh '*' state ten
    while read -ra words; do
        PLEACH_BACKEND=nonesuch refuses 2 '*nonesuch*' lthash "${words[@]}"
    done < <(printf '%s\n' 'add state ten' 'remove state ten' 'update --ndjson hex state ten' 'show state' \
        'combine --output new state' 'verify state')
    refuses 2 '*--ndjson "octal": expected hex, base64 or text*' lthash add --ndjson octal state ten
    refuses 2 '*--empty "maybe": expected hash or skip*' lthash add --empty maybe state ten
    refuses 2 '*--checksum "12": expected 64 lower-case hex digits*' lthash verify --checksum 12 state
    refuses 2 '*--nul, --ndjson and --files: *' lthash add --nul --ndjson hex state ten
    refuses 2 '*--nul, --ndjson and --files: *' lthash remove --nul --files state ten
    refuses 2 '*--nul, --ndjson and --files: *' lthash verify --files --ndjson hex state ten
    refuses 2 '*--empty and --files: *' lthash add --files --empty skip state tree
    refuses 2 '*--ndjson ENCODING is missing*' lthash update state ten
    refuses 2 '*are for items, and none are given' lthash verify --files state
    refuses 2 '*are for items, and none are given' lthash verify --key-file key state
    refuses 2 '*are for items, and none are given' lthash verify -0 state
    refuses 2 '*unrecognized option*' lthash update --nul state ten
    refuses 2 "*invalid option -- '0'*" lthash show -0 state
}

for part in known_answers updates forms large directories combinations keys verification ndjson damage files kills \
    mistakes; do
    mkdir $part && cd $part && $part
    cd ..
done
finish
