#!/usr/bin/env bash
# tree.sh VECTORS COMMAND...: trees in files, by the command, which has an absolute path.
# shellcheck source=tests/engine/checks.sh
. "${BASH_SOURCE%/*}/checks.sh"

certificate_transparency() {
    local index size older path root
    rfc6962_lines >lines
    while read -r size root; do
        head -n "$size" lines >part
        gives "$root  ct$size" tree build --lines "ct$size" part
        ! passed_over 2 || continue
        gives "$root  part" root --lines part
        gives "ok: $size leaves of scheme rfc6962, root $root" tree verify "ct$size"
    done < <(values rfc6962.root)
    while read -r index size path; do
        ! passed_over 5 || continue
        gives '*' tree prove "ct$size" --leaf "$index"
        check "rfc6962, leaf $index of $size" "${path#-}" "$(digests path)"
    done < <(values rfc6962.incl)
    while read -r older size path; do
        ! passed_over 5 || continue
        gives '*' tree consistency "ct$size" --older "$older"
        check "rfc6962, $older of $size" "${path#-}" "$(digests path)"
    done < <(values rfc6962.cons)

    cp ct3 growing
    tail -n +4 lines | head -n 5 >rest
    gives "$(values rfc6962.root | sed -n 's/^8 //p')  growing" tree append growing --lines - <rest
    same growing ct8
    gives "$(values rfc6962.root | sed -n 's/^3 //p')  growing" tree truncate growing --count 3
    same growing ct3
    gives "$(values rfc6962.root | sed -n 's/^0 //p')  growing" tree truncate growing --count 0
    same growing ct0
    printf 'no newline' >rest
    gives '*' tree append growing --lines rest
    gives '*' tree update growing --leaf 0 --file rest
    gives "$(printf '\0no newline' | sha256sum | head -c 64)  growing" tree append growing --lines /dev/null
}

sizes() {
    local size root last=999999
    [ -z "$quick" ] || last=299999
    big_endian 4097 >numbers
    gives '*' tree build --leaf-size 4 all numbers
    while read -r size root; do
        ! passed_over 5 || continue
        cp all growing
        gives "$root  growing" tree truncate growing --count "$size"
    done < <(values rfc6962.be32root | awk 'NR % 4 == 1')
    head -c 16000 numbers >part
    gives '*' tree build --force --leaf-size 4 growing part
    tail -c +16001 numbers >part
    gives "$(values rfc6962.be32root | sed -n 's/^4097 //p')  growing" tree append --leaf-size 4 growing part
    same growing all
    # More than one batch is read.
    { seq 100000 "$last" && seq 100000 $((last / 2)); } >lines
    tr -d '\n' <lines >part
    gives '*  part' root --leaf-size 6 part
    root=${out%% *}
    gives "$root  lines" root --lines lines
    gives "$root  large" tree build --lines large lines
    head -c 60 part >first
    tail -c +61 part >rest
    gives '*' tree build --force --leaf-size 6 growing first
    gives "$root  growing" tree append --leaf-size 6 growing rest
    same growing large
    head -c 64 numbers >leaf
    for size in 0 1 7 8; do
        head -c $((64 * size)) numbers >part
        run tree build --force --scheme blake2s --leaf-size 64 growing part
        [ $((size & (size - 1))) -eq 0 ] && [ $size -gt 0 ]
        check "blake2s, $size leaves ($err)" $? "$code"
    done
    tail -c +513 numbers | head -c 512 >part
    gives '*' tree append --leaf-size 64 growing part
    head -c 1024 numbers >part
    gives "${out%% *}  part" root --scheme blake2s --leaf-size 64 part
    head -c 512 numbers >part
    refuses 1 '*power*' tree append --leaf-size 64 growing part
    head -c 1000 numbers >part
    refuses 1 '*whole leaves of 64 bytes: the last one has 40*' tree append --leaf-size 64 growing part
    gives '*' tree build --force --scheme blake2s --leaf-size 64 growing leaf
    head -c 10 numbers >part
    refuses 1 '*whole leaves of 64 bytes: the last one has 10*' tree append --leaf-size 64 growing part
}

bitcoin() {
    local name root leaves mutated line
    while read -r name root; do
        ! passed_over 1 || continue
        transactions "$name" >ids
        gives "$root  ids" root --scheme bitcoin --hashes ids
        check "$name, standard error" "" "$err"
        gives "$root  block" tree build --force --scheme bitcoin --hashes block ids
        reversed <ids >shown
        gives "$(reversed <<<"$root")  shown" root --scheme bitcoin --hashes --reversed shown
        gives "$(reversed <<<"$root")  block" tree build --force --scheme bitcoin --hashes --reversed block shown
        gives "*root $(reversed <<<"$root")*" tree show --reversed block
        gives "ok:*root $root" tree verify block --root "$root"
        gives "ok:*" tree verify block --reversed --root "$(reversed <<<"$root")"
        while read -r line; do unhex "$line"; done <ids >raw
        gives "$root  raw" root --scheme bitcoin raw
    done < <(awk '$1 == "btc.block" { name = $2; sub(/[(].*/, "", name) } $1 == "btc.root" { print name, $2 }' "$list")
    while read -r leaves root mutated; do
        ! passed_over 3 || continue
        # shellcheck disable=SC2086 # several bytes
        repeated ${leaves//,/ } >ids
        line=''
        [ "$mutated" = 0 ] || line='pleach: *: mutated: *CVE-2012-2459*'
        gives "$root  ids" root --scheme bitcoin --hashes ids
        check_has "mutation of $leaves" "$line" "$err"
        gives "$root  block" tree build --force --scheme bitcoin --hashes block ids
        check_has "mutation of the tree of $leaves" "$line" "$err"
    done < <(sed -nE '/^btc.mut /s/.*list=([0-9,]+) root=([0-9a-f]+) mutated=([01]).*/\1 \2 \3/p' "$list")
    gives "$(values btc.empty | sed -nE 's/root=([0-9a-f]+).*/\1/p')  /dev/null" root --scheme bitcoin /dev/null
    gives "$(values btc.empty | sed -nE 's/root=([0-9a-f]+).*/\1/p')  block" \
        tree build --force --scheme bitcoin block /dev/null
}

depth_of() { # LIMIT
    local depth=0
    while [ $((1 << depth)) -lt "$1" ]; do depth=$((depth + 1)); done
    echo $depth
}

ssz() {
    local n limit byte root
    while read -r n root; do
        gives "$root  -" root --scheme ssz --hashes --depth "$n" - </dev/null
    done < <(values ssz.zerohash | awk '$1 % 7 == 1')
    while read -r limit byte n root; do
        # shellcheck disable=SC2046 # several bytes
        repeated $(for ((i = 0; i < n; i++)); do echo "$byte"; done) | sed 's/^/0x/; s/[a-f]/\U&/g' >chunks
        gives "$root  chunks" root --scheme ssz --hashes --depth "$(depth_of "$limit")" chunks
        gives "$root  ssz" tree build --force --scheme ssz --hashes --depth "$(depth_of "$limit")" ssz chunks
    done < <(values ssz.merkleize | sed -E 's/limit=([0-9]+) chunk=(0x..)[*]32 n=/\1 \2 /')
    gives '*' tree prove ssz --leaf 4
    echo "$out" >proof
    root=$(member root proof)
    check_has "the depth is said" '*"depth": 3,*' "$out"
    refuses 2 '*--count or --file' verify --root "$root" proof
    refuses 2 '*--depth (0 if not) or --file' verify --root "$root" --count 5 proof
    gives 'ok: leaf 4 of 5, *' verify --root "$root" --count 5 --depth 3 --leaf 4 proof
    rejects '*depth 3' verify --root "$root" --count 5 --depth 4 proof
    rejects '*depth 3' verify --root "$root" --count 5 --depth 0 proof
    gives 'ok: leaf 4 of 5, *' verify --root "$root" --file chunks --hashes --leaf 4 proof
    gives 'ok:*' tree verify ssz proof
    gives '*' tree build --force --scheme ssz --hashes --depth 4 ssz chunks
    rejects '*other rules*' tree verify ssz proof
    gives '*' tree append --hashes ssz chunks
    gives "${out%% *}  -" root --scheme ssz --hashes --depth 4 - < <(cat chunks chunks)
    cat chunks chunks chunks >many
    refuses 1 '*' tree append --hashes ssz many
}

updates() {
    local size=50
    repeated {1..50} >ids
    head -c $((64 * size)) numbers >changed
    gives '*' tree build --force --leaf-size 64 tree changed
    for i in 3 17 49; do
        head -c 64 /dev/zero | tr '\0' "\\$i" >leaf$i
        dd if=leaf$i of=changed bs=64 seek=$i conv=notrunc status=none
    done
    gives '*' tree update tree --leaf 49 --file leaf49 --leaf 3 --file leaf3 --leaf 17 --file leaf17
    gives "${out%% *}  changed" root --leaf-size 64 changed
    gives '*' tree build --force --scheme bitcoin --hashes tree ids
    repeated 99 >leaf
    gives '*' tree update --hashes tree --leaf 7 --file leaf
    sed -i "8s/.*/$(cat leaf)/" ids
    gives "${out%% *}  ids" root --scheme bitcoin --hashes ids
    seq 700 >lines
    gives '*' tree build --force --lines tree lines
    echo 'a line' >leaf
    gives '*' tree update --lines tree --leaf 699 --file leaf
    sed -i '700s/.*/a line/' lines
    gives "${out%% *}  lines" root --lines lines
    cp tree before
    refuses 1 'pleach: tree: *700*' tree update --lines tree --leaf 700 --file leaf
    refuses 1 '*lines: not a single line' tree update --lines tree --leaf 0 --file lines
    refuses 1 '*missing: No such file*' tree update tree --leaf 0 --file missing
    same tree before
}

files() {
    local size at
    gives '*' tree build --force --lines tree <(seq 3)
    cp tree before
    size=$(wc -c <tree)
    for at in 0 7 8 31 32 63 127 128 $((size - 32)) $((size - 1)); do
        head -c "$at" before >tree
        refuses 1 'pleach: tree: no tree, or a damaged one: *' tree verify tree
    done
    for ((at = 0; at < size; at += 5)); do
        { head -c $at before && head -c $((at + 1)) before | tail -c 1 | tr '\000-\377' '\001-\377\000' &&
            tail -c +$((at + 2)) before; } >tree
        refuses 1 'pleach: tree: no tree, or a damaged one: *' tree verify tree
    done
    { cat before && printf x; } >tree
    refuses 1 '*no tree, or a damaged one: *' tree show tree
    cp tree damaged
    refuses 1 '*no tree, or a damaged one: *' tree append --lines tree lines
    refuses 1 '*no tree, or a damaged one: *' tree truncate --count 1 tree
    refuses 1 '*no tree, or a damaged one: *' tree prove --leaf 1 tree
    same tree damaged
    cp before tree

    refuses 1 'pleach: tree: exists; --force replaces it' tree build --lines tree lines
    refuses 1 'pleach: lines: exists and is no tree: it is left alone' tree build --lines lines tree
    refuses 1 'pleach: lines: exists and is no tree: it is left alone' tree build --force --lines lines tree
    refuses 1 '*damaged one: *' tree append --lines lines tree
    refuses 1 'pleach: missing: No such file*' tree append --lines missing lines
    refuses 1 'pleach: missing: No such file*' tree show missing
    refuses 1 'pleach: missing: No such file*' tree build new missing
    refuses 1 'pleach: .: Is a directory' tree build new .
    refuses 1 '*nowhere/new.pleach-new: No such file*' tree build nowhere/new lines
    refuses 1 'pleach: -: *' tree append - lines
    mkdir folder
    refuses 1 'pleach: folder: not a regular file' tree build folder lines
    gives "ok: *" tree verify - < <(cat tree)
    ln -s tree link
    gives '*  link' tree append --lines link <(echo 4)
    check "a link stays a link" link "$([ -L link ] && echo link)"
    gives 'ok: 4 leaves*' tree verify tree
    chmod 640 tree
    gives '*' tree truncate --count 3 tree
    check "mode of a tree that was replaced" 640 "$(stat -c %a tree)"
    same tree before
    check "what was written beside trees is gone" "" "$(find . -name '*.pleach-new')"

    mkfifo slow
    "${command[@]}" tree append --lines tree slow >/dev/null &
    for ((i = 0; i < 500; i++)); do [ -e tree.pleach-new ] || sleep 0.02; done
    refuses 1 'pleach: tree: another command is changing it' tree truncate --count 1 tree
    echo 4 >slow
    wait $!
    check "the command that held the lock" 0 $?
    gives 'ok: 4 leaves*' tree verify tree

    head -c 4000000 /dev/zero >zeros
    gives '*' tree build --force --leaf-size 32 large zeros
    cp large before
    out=$(trap '' XFSZ && ulimit -f 1024 && "${command[@]}" tree append --lines large lines 2>&1)
    check "exit code where files may not be so large" 1 $?
    check_has "message where files may not be so large" 'pleach: *large.pleach-new: *' "$out"
    same large before
    check "nothing is left of it" "" "$(find . -name '*.pleach-new')"
    "${command[@]}" tree show ct7 >/dev/full 2>err
    check "full standard output" 1 $?
}

# Whenever a command is killed that writes a tree, the old one is there, or the new one.
kills() {
    local times=${quick:+12} i pid took pause during=0 old=0
    cp large before
    cp large after
    took=${EPOCHREALTIME/./}
    gives '*' tree append --lines after <(echo one more)
    took=$((${EPOCHREALTIME/./} - took))
    for ((i = 0; i < ${times:=60}; i++)); do
        cmp -s large before || cp before large
        "${command[@]}" tree append --lines large <(echo one more) >/dev/null 2>&1 &
        pid=$!
        if [ $((i % 2)) -eq 0 ]; then
            while [ ! -s large.pleach-new ] && kill -0 $pid 2>/dev/null; do :; done
        else
            pause=$((took * (RANDOM % 120) / 100))
            sleep "$((pause / 1000000)).$(printf %06d $((pause % 1000000)))"
        fi
        kill -9 $pid 2>/dev/null
        wait $pid 2>/dev/null
        [ ! -s large.pleach-new ] || during=$((during + 1))
        if cmp -s large before; then
            old=$((old + 1))
        else
            same large after
        fi
    done 2>/dev/null
    echo "killed $times times: $during times while the new tree was written, $old times before the old one was replaced"
    check "kills that came while a tree was written" yes "$([ $during -gt 0 ] && echo yes)"
    cmp -s large before || cp before large
    gives '*' tree append --lines large <(echo one more)
    same large after
    check "what the killed commands left is gone" "" "$(find . -name '*.pleach-new')"
}

mistakes() {
    local name
    refuses 2 '*Usage: pleach tree SUBCOMMAND*' tree
    refuses 2 '*no subcommand "tree grow"; try: pleach tree --help' tree grow
    gives '*build*append*update*truncate*prove*consistency*verify*show*' tree --help
    for name in build append update truncate prove consistency verify show; do
        PLEACH_WORKERS=bad gives "Usage: pleach tree $name*--workers*" tree $name --help
        refuses 2 "*Usage: pleach tree $name *TREE*" tree $name
        refuses 2 "*pleach tree $name: unrecognized option*" tree $name --bad tree
        PLEACH_BACKEND=nonesuch refuses 2 '*' tree $name --leaf 1 --count 1 --older 1 tree
    done
    refuses 2 '*--depth: a tree of scheme rfc6962 is as deep as its leaves need*' tree build --depth 3 new lines
    refuses 2 '*--depth: a tree of scheme bitcoin*' root --scheme bitcoin --depth 3 lines
    refuses 2 '*--depth "64": expected a number from 0 to 63*' root --scheme ssz --depth 64 lines
    refuses 2 '*--depth "x": expected*' root --scheme ssz --depth x lines
    refuses 2 '*--lines and --hashes: *' tree build --lines --hashes new lines
    refuses 2 '*--leaf-size and --lines: *' tree build --lines --leaf-size 4 new lines
    refuses 2 '*--leaf-size and --hashes: *' root --scheme ssz --hashes --leaf-size 32 lines
    refuses 2 '*--leaf-size 64: a leaf of scheme ssz is a digest of 32 bytes' root --scheme ssz --leaf-size 64 lines
    refuses 2 '*--lines: a leaf of scheme bitcoin is a digest; --hashes*' root --scheme bitcoin --lines lines
    refuses 2 '*--hashes: scheme blake3 hashes its leaves itself*' prove --scheme blake3 --leaf 1 --hashes lines
    refuses 2 '*--hashes: scheme rfc6962 hashes*' tree append --hashes tree lines
    refuses 2 '*--reversed: only digests of scheme bitcoin*' root --scheme ssz --reversed lines
    refuses 2 '*--reversed: only*' tree truncate --reversed --count 1 tree
    refuses 2 '*--leaf 3 is given twice*' prove --leaf 3 --leaf 4 --leaf 3 lines
    refuses 2 '*--leaf "-1": expected a number*' prove --leaf -1 lines
    refuses 2 '*--leaf is given 2 times and the file of a leaf 1 times*' tree update --leaf 1 --leaf 2 --file lines tree
    refuses 2 '*--leaf INDEX --file FILE is missing*' tree update tree
    refuses 2 '*--leaf INDEX --file FILE is missing*' tree update --leaf 1 tree
    refuses 2 '*--leaf INDEX is missing*' tree prove tree
    refuses 2 '*--count N is missing*' tree truncate tree
    refuses 2 '*--older N is missing*' tree consistency tree
    refuses 2 '*--older "x": expected*' tree consistency --older x tree
    refuses 2 '*--older-root "12": expected*' verify --older-root 12 proof
    refuses 2 '*for a proof, and none is given' tree verify tree --file lines
    refuses 2 '*for a proof, and none is given' tree verify tree --leaf 3
    refuses 1 '*no leaf 99: there are 3 leaves' tree prove --leaf 99 ct3
    refuses 1 '*no leaf 99: there are 3 leaves' tree prove --leaf 1 --leaf 99 ct3
    refuses 1 '*ct3: *' tree truncate --count 4 ct3
    rejects 'the tree has 3 leaves' tree verify --count 4 ct3
    rejects 'the tree has another root' tree verify --root "$(repeated 1)" ct3
    printf '%064d\n' 1 2 >ids
    for name in '' 12 "$(printf '%065d' 1)" "0X$(printf '%064d' 1)" "$(printf '%064d ' 1)" "$(printf '%063dg' 1)"; do
        { cat ids && echo "$name"; } >bad
        refuses 1 'pleach: bad: *line 3: expected a digest of 64 hex digits' root --scheme ssz --hashes bad
    done
    head -c 100 numbers >short
    refuses 1 '*short: *' root --scheme bitcoin short
    refuses 1 '*short: *' tree build --force --scheme ssz ssz short
}

certificate_transparency
sizes
bitcoin
ssz
updates
files
kills
mistakes
finish
