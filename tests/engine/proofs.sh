#!/usr/bin/env bash
# proofs.sh VECTORS COMMAND...: proofs of leaves and of older trees, by the command, which has an absolute path.
# shellcheck source=tests/engine/checks.sh
. "${BASH_SOURCE%/*}/checks.sh"

# A proof of these leaves, by the tree and by reading, is one, and holds; the options say how the leaves are cut.
proves() { # TREE INPUT OPTIONS LEAF...
    local tree=$1 input=$2 options leaf leaves=() asked expected=''
    ! passed_over 3 || return 0
    read -ra options <<<"$3"
    shift 3
    for leaf; do leaves+=(--leaf "$leaf"); done
    asked=$(printf '%s\n' "$@" | sort -n)
    gives '*' tree prove "$tree" "${leaves[@]}"
    echo "$out" >by_tree
    gives '*' prove "${options[@]}" "${leaves[@]}" "$input"
    echo "$out" >proof
    sed '/"leaf_size"/d' proof >by_reading
    sed -i '/"leaf_size"/d' by_tree
    same by_reading by_tree
    root=$(member root proof)
    count=$(sed -nE 's/.*"count": ([0-9]+).*/\1/p' proof)
    for leaf in $asked; do expected+="ok: leaf $leaf of $count, leaf hash *"; done
    gives "$expected" verify --root "$root" --count "$count" --depth 0 "${leaves[@]}" proof
    gives "$expected" tree verify "$tree" "${leaves[@]}" proof
    gives "$expected" tree verify "$tree" "${leaves[@]}" by_tree
    gives "ok:*by the proof's own account*" verify --root "$root" --count "$count" --depth 0 proof
    # How the file is cut is left to the proof, if it says so.
    [ "${options[2]}" != --leaf-size ] || options=()
    gives "$expected" verify --root "$root" --file "$input" "${leaves[@]}" "${options[@]:2}" proof
}

proofs() {
    local scheme root count
    big_endian 4097 >numbers
    head -c 16384 numbers >whole
    head -c 9999 numbers >odd
    for scheme in rfc6962 blake3 blake2s; do
        gives '*' tree build --force --scheme $scheme --leaf-size 64 tree whole
        proves tree whole "--scheme $scheme --leaf-size 64" 3
        proves tree whole "--scheme $scheme --leaf-size 64" 200 3 2 255
    done
    gives '*' tree build --force --scheme blake3 --leaf-size 100 tree odd
    proves tree odd "--scheme blake3 --leaf-size 100" 99
    proves tree odd "--scheme blake3 --leaf-size 100" 0 99
    seq 700 >lines
    gives '*' tree build --force --lines tree lines
    proves tree lines "--scheme rfc6962 --lines" 0
    proves tree lines "--scheme rfc6962 --lines" 699 0 64
    for scheme in bitcoin ssz; do
        repeated {1..77} >ids
        gives '*' tree build --force --scheme $scheme --hashes tree ids
        proves tree ids "--scheme $scheme --hashes" 76
        proves tree ids "--scheme $scheme --hashes" 5 76 6
    done
    gives '*' tree build --force --scheme rfc6962 --leaf-size 64 tree whole
    for leaf in 2 "2 --leaf 1"; do
        # shellcheck disable=SC2086 # several options
        "${command[@]}" prove --leaf-size 64 --leaf $leaf whole >proof
        # shellcheck disable=SC2086,SC2002 # several options; a pipe is what is tested
        cat whole | "${command[@]}" prove --leaf-size 64 --leaf $leaf - >by_pipe
        same by_pipe proof
    done
}

# An edit of a proof, by sed, is rejected.
edited() { # EDIT PATTERN ARGUMENT...
    local edit=$1 pattern=$2
    shift 2
    sed -E "$edit" proof >edited
    ! cmp -s proof edited || check "edit $edit changes the proof" yes no
    rejects "$pattern" "$@" edited
}

bad_multiproofs() {
    local known
    gives '*' tree build --force --leaf-size 64 tree odd
    gives '*' prove --leaf-size 64 --leaf 7 --leaf 100 --leaf 30 odd
    echo "$out" >proof
    known=(verify --root "$(member root proof)" --count 157)
    gives '*' "${known[@]}" --leaf 30 --leaf 7 --leaf 100 proof
    for i in 7 30 100; do head -c $((64 * i + 64)) odd | tail -c 64 >leaf$i; done
    gives '*' "${known[@]}" --leaf 30 --leaf-file leaf30 --leaf 7 --leaf-file leaf7 --leaf 100 --leaf-file leaf100 proof
    gives '*' "${known[@]}" --leaf-file leaf7 --leaf-file leaf30 --leaf-file leaf100 proof
    rejects 'leaf 7 in leaf30 is not the one that was proved' \
        "${known[@]}" --leaf-file leaf30 --leaf-file leaf7 --leaf-file leaf100 proof
    rejects 'the proof is for 3 leaves, --leaf-file is given 1 times' "${known[@]}" --leaf-file leaf7 proof
    rejects '* 128 bytes instead of one leaf of 64' \
        "${known[@]}" --leaf-file <(cat leaf7 leaf30) --leaf-file leaf30 --leaf-file leaf100 proof
    refuses 1 '*missing: No such file*' "${known[@]}" --leaf-file leaf7 --leaf-file missing --leaf-file leaf30 proof
    refuses 1 '*missing: No such file*' "${known[@]}" --file missing proof
    rejects 'the proof is for leaf 30' "${known[@]}" --leaf 7 --leaf 100 proof
    rejects 'the proof is not for leaf 101' "${known[@]}" --leaf 7 --leaf 30 --leaf 100 --leaf 101 proof
    rejects '*scheme rfc6962' "${known[@]}" --scheme blake3 proof
    rejects '*leaves of 64 bytes' "${known[@]}" --leaf-size 32 proof
    rejects '*157 leaves' verify --root "$(member root proof)" --count 158 proof
    rejects '*another root' verify --root "$(member root proof | reversed)" proof
    rejects '*whole has 256 leaves of 64 bytes, the proof is for 157' "${known[@]}" --file whole proof
    cp odd other
    printf x | dd of=other bs=1 seek=1950 conv=notrunc status=none
    rejects 'leaf 30 in other is not the one that was proved' "${known[@]}" --file other proof
    tr '\0\n' '10' <odd | fold -w 64 | sed '$s/$/\n/' >lines
    gives '*' prove --lines --leaf 30 --leaf 7 lines
    echo "$out" >of_lines
    gives 'ok:*' verify --root "$(member root of_lines)" --file lines --lines of_lines
    sed '31s/$/ /' lines >other
    rejects 'leaf 30 in other is not the one that was proved' \
        verify --root "$(member root of_lines)" --file other --lines of_lines
    refuses 1 '*missing: No such file*' verify --root "$(member root of_lines)" --file missing --lines of_lines
    edited 's/"count": 157/"count": 158/' '*157*' verify --root "$(member root proof)" --file odd
    edited 's/^    30,/    31,/' '*root*' "${known[@]}"
    edited 's/^    30,/    7,/' '*= 7: after 7' "${known[@]}"
    edited 's/^    30,/    101,/' '*= 100: after 101' "${known[@]}"
    edited 's/^    100$/    157/' '*157*' "${known[@]}"
    edited 's/^    30,/    30.0,/' '"indices" is not a whole number*' "${known[@]}"
    edited '/^    30,/d' '"leaf_hashes" are 3, "indices" 2' "${known[@]}"
    edited '/"indices"/,/]/c"indices": 7,' '"indices" or "leaf_hashes" is no array' "${known[@]}"
    edited '/"indices"/,/]/c"indices": [],' '"leaf_hashes" are 3, "indices" 0' "${known[@]}"
    edited '/"leaf_hashes"/{n;s/".{8}/"01234567/}' '*root*' "${known[@]}"
    edited '/"leaf_hashes"/{n;s/".{8}/"/}' '"leaf_hashes" is not 64 lower-case hex digits' "${known[@]}"
    edited '/"siblings"/{n;s/".{8}/"01234567/}' '*root*' "${known[@]}"
    edited '/"siblings"/{n;s/".{8}/"/}' '"siblings" is not 64 lower-case hex digits' "${known[@]}"
    edited '/"siblings"/{n;d}' '*siblings*' "${known[@]}"
    edited '/"siblings"/{n;p}' '*siblings*' "${known[@]}"
    edited 's/"siblings"/"path"/' 'unknown key "path"' "${known[@]}"
    edited '/"siblings"/,/]/d' 'key "siblings" is missing' "${known[@]}"
    edited 's/"pleach_multiproof": 1/"pleach_multiproof": 2/' '"pleach_multiproof" is not *' "${known[@]}"
    edited 's/"pleach_multiproof": 1/"pleach_proof": 1/' 'unknown key "indices"' "${known[@]}"
    edited 's/"pleach_multiproof": 1,//' 'no proof: *' "${known[@]}"
    edited 's/"leaf_size"/"depth": 3, "leaf_size"/' '"depth" does not belong to scheme rfc6962' "${known[@]}"
    edited 's/"leaf_size": 64/"leaf_size": 0/' '"leaf_size" is not *' "${known[@]}"
    printf '{"pleach_multiproof":1,"scheme":"rfc6962","indices":[],"count":157,"leaf_hashes":[],"siblings":[],"root":"%s"}' \
        "$(member root proof)" >edited
    rejects '*' "${known[@]}" edited

    sed '/"leaf_size"/d' proof >plain
    refuses 2 '*does not say how odd is cut into leaves: give --leaf-size or --lines' "${known[@]}" --file odd plain
    gives 'ok:*' "${known[@]}" --file odd --leaf-size 64 plain
    rejects '*lines, the proof is for*' "${known[@]}" --file lines --lines plain
    refuses 2 '*--older:*' "${known[@]}" --older 3 proof
    refuses 2 '*--older-root:*' "${known[@]}" --older-root "$(member root proof)" proof
    gives '*' tree build --force --leaf-size 64 tree whole
    rejects '*157 leaves' tree verify tree proof
    gives '*' tree build --force --scheme bitcoin --hashes tree ids
    rejects 'the proof is for other rules*' tree verify tree proof
}

consistency() {
    local older root known
    head -c 400 numbers >older
    for scheme in rfc6962 blake3; do
        gives '*' tree build --force --scheme $scheme --leaf-size 4 tree numbers
        gives '*' root --scheme $scheme --leaf-size 4 numbers older
        root=${out%%  numbers*}
        older=${out##*$'\n'} older=${older%% *}
        gives '*' tree consistency tree --older 100
        echo "$out" >proof
        check "roots of the proof" "$older $root" "$(member older_root proof) $(member root proof)"
        known=(verify --root "$root" --older-root "$older")
        gives 'ok: the tree of 4097 leaves begins with the older one of 100' \
            "${known[@]}" --older 100 --count 4097 proof
        gives 'ok: the tree of 4097 leaves begins with the older one of 100' tree verify tree proof
        [ $scheme = rfc6962 ] || refuses 2 '*give --count and --older' "${known[@]}" --count 4097 proof
        known+=(--count 4097)
        [ $scheme = rfc6962 ] || known+=(--older 100)
        edited '/"path"/{n;s/".{8}/"01234567/}' '*' "${known[@]}"
        edited '/"path"/{n;d}' '*' "${known[@]}"
        edited '/"path"/{n;p}' '*' "${known[@]}"
        edited 's/("older_root": ").{8}/\101234567/' '*another older root' "${known[@]}"
        edited 's/"older_count": 100/"older_count": 101/' '*' "${known[@]}"
        edited 's/"older_count": 100/"older_count": 0/' '*' "${known[@]}"
        edited 's/"older_count": 100/"older_count": 5000/' '*' "${known[@]}"
    done
    rejects '*older tree of 100 leaves' verify --root "$root" --older-root "$older" --count 4097 --older 99 proof
    rejects '*another older root' verify --root "$root" --older-root "$root" --count 4097 --older 100 proof
    refuses 2 '*--older-root HEX is missing*' verify --root "$root" proof
    refuses 2 '*--leaf: the proof is about an older tree*' verify --root "$root" --older-root "$older" --leaf 1 proof
    refuses 2 '*--file: the proof is about an older tree*' verify --root "$root" --older-root "$older" --file older proof
    gives '*' tree build --force --scheme blake3 --leaf-size 4 tree older
    rejects '*' tree verify tree proof
    refuses 1 '*tree: *' tree consistency tree --older 101
    refuses 1 '*tree: *' tree consistency tree --older 0
    gives '*' tree build --force --scheme ssz --hashes tree ids
    refuses 1 '*tree: *' tree consistency tree --older 2
}

proofs
bad_multiproofs
consistency
finish
