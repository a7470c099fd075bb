#!/usr/bin/env bash
# command.sh VECTORS COMMAND...: the command, by its absolute path, from outside and against known answers.
# shellcheck source=tests/engine/checks.sh
. "${BASH_SOURCE%/*}/checks.sh"

# The first COUNT words of the vectors' generator, little-endian.
stream() { # COUNT
    local j z i text=''
    for ((j = 1; j <= $1; j++)); do
        z=$((j * 0x9E3779B97F4A7C15))
        z=$(((z ^ (z >> 30 & 0x3FFFFFFFF)) * 0xBF58476D1CE4E5B9))
        z=$(((z ^ (z >> 27 & 0x1FFFFFFFFF)) * 0x94D049BB133111EB))
        z=$((z ^ (z >> 31 & 0x1FFFFFFFF)))
        for ((i = 0; i < 64; i += 8)); do
            printf -v text '%s\\x%02x' "$text" $((z >> i & 255))
        done
    done
    printf '%b' "$text"
}

known_roots() {
    local leaves size root
    for leaves in 1 4 16; do
        root=$(awk -v section="[tree $leaves 64]" '$0 == section { on = 1 } on && $1 == "root" { print $3; exit }' \
            "$vectors/leanvm-b.txt")
        stream $((leaves * 8)) >"tree$leaves"
        run root --scheme blake2s --leaf-size 64 "tree$leaves"
        check "blake2s, $leaves leaves" "0 $root  tree$leaves" "$code $out"
    done
    big_endian 4097 >numbers
    while read -r size root; do
        head -c $((4 * size)) numbers >part
        run root --leaf-size 4 part
        check "rfc6962, $size leaves" "0 $root  part" "$code $out"
    done < <(awk '$1 == "rfc6962.be32root" { print $2, $3 }' "$vectors/sha256-merkle.txt")
    : >empty
    run root empty
    check "rfc6962, empty file" "$(sha256sum empty)" "$out"
    { printf '\0' && cat tree1; } >leaf
    run root --leaf-size 1M tree1
    check "rfc6962, one short leaf" "$(sha256sum <leaf | cut -c 1-64)  tree1" "$out"
}

inputs() {
    local root
    run root --leaf-size 4 part
    root=${out%% *}
    run root --leaf-size 4 - <part
    check "standard input" "$root  -" "$out"
    # shellcheck disable=SC2002 # a pipe is what is tested
    out=$(cat part | "${command[@]}" root --leaf-size 4 -)
    check "pipe" "$root  -" "$out"

    mkdir -p tree/a tree/a.b tree/Z
    for name in tree/a/x tree/a.b/x tree/a-b tree/Z/y tree/b; do cp part $name; done
    ln -s ../part tree/link
    ln -s . tree/loop
    mkfifo tree/fifo
    run root --leaf-size 4 tree
    check "directory, in byte order of paths" \
        "$(printf "$root  %s\n" tree/Z/y tree/a-b tree/a.b/x tree/a/x tree/b)" "$out"
    check "directory, standard error" "" "$err"
    ln -s tree named
    run root --leaf-size 4 named tree/link
    check_has "links that are named are followed" "*named/b*tree/link" "$out"
    run root --leaf-size 4 part missing tree/b
    check "a missing file does not stop the others" "1 $(printf "$root  %s\n" part tree/b)" "$code $out"
    check "a missing file is named" "pleach: missing: No such file or directory" "$err"
    cp part $'new\nline'
    run root --leaf-size 4 $'new\nline'
    check "names are escaped as sha256sum does" "\\$root  new\\nline" "$out"
    "${command[@]}" root part >/dev/full 2>err
    check "full standard output" 1 $?
}

refusals() {
    refuses 1 "*empty: *" root --scheme blake2s --leaf-size 64 empty
    head -c 100 part >short
    refuses 1 "*short: *64*" root --scheme blake2s --leaf-size 64 short
    head -c 192 part >three
    refuses 1 "*three: *powers of two*" root --scheme blake2s --leaf-size 64 three
    refuses 2 "*Usage: pleach root*" root
    refuses 2 "*unrecognized option*" root --bad part
    refuses 2 "*--scheme \"md5\"*rfc6962*" root --scheme md5 part
    local size
    for size in 0 -1 4x 1G 2048M '' 99999999999999999999; do
        refuses 2 "*--leaf-size \"$size\"*expected*" root --leaf-size "$size" part
    done
    refuses 2 "*no subcommand \"hash\"*" hash
    refuses 2 "*Usage*"
    refuses 2 "*PLEACH_WORKERS*many*" root --workers many part
    refuses 2 "*PLEACH_BACKEND*nonesuch*" root --backend nonesuch part
}

settings() {
    local backend root usable unusable scheme family
    run info --json
    check_has "info --json" '{"version":"*}' "$out"
    run info
    check "info parses what the library describes" 0 "$code"
    check_has "info, a line for each participant" $'*\nworker *kind *busy ms\n0 *callers *\n*' "$out"
    usable=$(sed -n -E 's/^.{10}([a-z0-9]+) +[0-9]+  (chosen|usable,).*/\1/p' <<<"$out" | sort -u)
    unusable=$(sed -n -E 's/^.{10}([a-z0-9]+) +[0-9]+  this host.*/\1/p' <<<"$out" | sort -u)
    check_has "portable is usable everywhere" "*portable*" "$usable"
    head -c 16384 numbers >whole
    for scheme in rfc6962:sha256 blake2s:blake2s; do
        family=${scheme#*:} scheme=${scheme%:*}
        run root --scheme "$scheme" --leaf-size 64 whole
        root=$out
        for backend in $usable; do
            PLEACH_BACKEND=$family:$backend run root --scheme "$scheme" --leaf-size 64 whole
            [ "$code" = 2 ] && [[ $err == *"$family"*"$backend"* ]] && continue # another family's backend
            check "$scheme with PLEACH_BACKEND=$family:$backend" "0 $root" "$code $out"
        done
        PLEACH_WORKERS=1 PLEACH_BACKEND=portable run root --scheme "$scheme" --leaf-size 64 whole
        check "$scheme, portable alone" "0 $root" "$code $out"
    done
    [ -n "$unusable" ] || echo "SKIPPED: pinning a backend that cannot run: this host runs all"
    for backend in $unusable; do
        PLEACH_BACKEND=$backend refuses 2 "*$backend*" root whole
    done
    PLEACH_BACKEND=nonesuch refuses 2 "*PLEACH_BACKEND*nonesuch*portable*" root whole
    PLEACH_BACKEND=nonesuch refuses 2 "*PLEACH_BACKEND*nonesuch*portable*" info
    PLEACH_BACKEND=nonesuch refuses 2 "*PLEACH_BACKEND*nonesuch*portable*" verify --root "${root:0:64}" whole
    PLEACH_BACKEND=sha256:nonesuch refuses 2 "*nonesuch*" root whole
    PLEACH_WORKERS=two refuses 2 "*PLEACH_WORKERS*two*" root whole
    PLEACH_WORKERS=3 run info --json
    check_has "PLEACH_WORKERS" '*"asked":3*' "$out"
    run info --json --workers 4
    check_has "--workers" '*"asked":4*' "$out"
    check_has "info --json, participants" '*"participants":*{"index":0,"kind":"callers",*{"index":3,*"busy_ns":*}\]*' "$out"
}

verifies() { # OUTPUT-PATTERN ARGUMENT...: exit code 0 with "ok", otherwise 1
    local pattern=$1
    shift
    run verify "$@"
    check_has "verify $*" "$pattern" "$out$err"
    local expected=1
    [[ $out != ok:* ]] || expected=0
    check "exit code of verify $*" $expected "$code"
}

# The proof with one edit by sed.
edited() {
    ! passed_over 3 || return 0
    sed -E "$1" proof >edited
    ! cmp -s proof edited || check "edit $1 changes the proof" yes no
    shift
    verifies "$@" edited
}

proofs() {
    local scheme leaves leaf root
    for scheme in "rfc6962 part 4 4097" "rfc6962 short 64 2" "rfc6962 tree1 4k 1" "blake2s whole 64 256"; do
        read -r scheme file size leaves <<<"$scheme"
        run root --scheme "$scheme" --leaf-size "$size" "$file"
        root=${out%% *}
        for leaf in 0 $((leaves / 2)) $((leaves - 1)); do
            [ "$leaf" -eq $((leaves - 1)) ] || ! passed_over 3 || continue
            run prove --scheme "$scheme" --leaf-size "$size" --leaf "$leaf" "$file"
            check "prove $scheme $leaf of $leaves" 0 "$code"
            echo "$out" >proof
            verifies "ok: leaf $leaf of $leaves, *" --root "$root" --file "$file" --leaf "$leaf" proof
            verifies "ok: leaf $leaf of $leaves, *" --root "$root" --count "$leaves" --leaf "$leaf" - <proof
        done
        refuses 1 "*no leaf $leaves*" prove --scheme "$scheme" --leaf-size "$size" --leaf "$leaves" "$file"
    done
    verifies "ok: *" --root "$root" --count 256 proof
    refuses 2 "*--count*" verify --root "$root" proof

    run root --leaf-size 4 part
    root=${out%% *}
    "${command[@]}" prove --leaf-size 4 --leaf 1000 part >proof
    big_endian 1001 | tail -c 4 >leaf
    verifies "ok: *own account*" --root "$root" proof
    verifies "ok: *" --root "$root" --leaf-file leaf proof
    head -c 4 part >other
    verifies "refused: *not the one*" --root "$root" --leaf-file other proof
    verifies "refused: *instead of one*" --root "$root" --leaf-file part proof
    verifies "refused: *instead of one*" --root "$root" --leaf-file empty proof
    verifies "refused: *leaves*" --root "$root" --file whole proof
    verifies "refused: *leaf 1000*" --root "$root" --leaf 1001 proof
    verifies "refused: *4097 leaves*" --root "$root" --count 4096 proof
    verifies "refused: *another root*" --root "${root//[0-7]/8}" proof

    edited 's/"index": 1000/"index": 1001/' "refused: *root*" --root "$root"
    edited 's/"index": 1000/"index": 4097/' "refused: *" --root "$root"
    edited 's/"count": 4097/"count": 9000/' "refused: *nodes*" --root "$root"
    # This count gives leaf 1000 a path of the same shape: what is not known from elsewhere is not checked, and said so.
    edited 's/"count": 4097/"count": 8000/' "ok: leaf 1000 of 8000 by the proof's own account*" --root "$root"
    edited 's/"count": 4097/"count": 8000/' "refused: *" --root "$root" --count 4097
    edited 's/"count": 4097/"count": 8000/' "refused: *" --root "$root" --file part
    edited 's/("leaf_hash": ")./\1g/' "refused: *leaf_hash*" --root "$root"
    edited 's/("leaf_hash": ").{8}/\101234567/' "refused: *root*" --root "$root"
    edited '/"path"/{n;s/".{8}/"01234567/}' "refused: *root*" --root "$root"
    edited '/"path"/{n;d}' "refused: *nodes*" --root "$root"
    edited '/"path"/{n;p}' "refused: *nodes*" --root "$root"
    edited '/"root"/s/[a-f]/\U&/g' "refused: *root*lower*" --root "$root"
    edited 's/"rfc6962"/"blake2s"/' "refused: *powers of two*" --root "$root" --count 4097
    edited 's/"rfc6962"/"rfc6963"/' "refused: *scheme*" --root "$root"
    edited 's/"pleach_proof": 1/"pleach_proof": 2/' "refused: *pleach_proof*" --root "$root"
    edited 's/"index": 1000/"index": 1000.0/' "refused: *index*" --root "$root"
    edited 's/"index": 1000/"index": -1/' "refused: *index*" --root "$root"
    edited 's/"index"/"extra": 1, "index"/' "refused: *unknown key \"extra\"*" --root "$root"
    edited 's/"index"/"count": 4097, "index"/' "refused: *duplicate*" --root "$root"
    edited '/"leaf_hash"/d' "refused: *leaf_hash*missing*" --root "$root"
    edited 's/^}$/} 0/' "refused: *" --root "$root"
    edited 's/^}$//' "refused: *" --root "$root"
    head -c 17000000 /dev/zero | tr '\0' ' ' >edited
    verifies "refused: *longer*" --root "$root" edited
    refuses 2 "*--root*" verify proof
    refuses 2 "*--leaf*" prove part
    refuses 1 "*missing*" verify --root "$root" missing
    refuses 1 "*missing*" verify --root "$root" --file missing proof
    refuses 1 "*directory*" prove --leaf 0 .
}

help_and_version() {
    local name
    run --version
    check_has "--version" "pleach [0-9]*.[0-9]*.[0-9]*" "$out"
    run --help
    check "--help" 0 "$code"
    check_has "exit codes are in --help" "*Exit codes: 0*1*2*" "$out"
    for name in root prove verify info block demo tree bench; do
        check_has "--help names $name" "*  $name *" "$out"
    done
    for name in root prove verify info block demo; do
        PLEACH_WORKERS=bad run "$name" --help
        check_has "$name --help" "0 Usage: pleach $name*--workers*" "$code $out"
    done
}

demo() {
    run demo --leaf-size 64 whole
    check "demo" 0 "$code"
    check_has "demo hashes blocks" "*as Bitcoin does*Merkle root*as Sei does*LtHash*state checksum*" "$out"
    check_has "demo proves and verifies" "*rfc6962*blake2s*proofs*: verified*: refused*: verified*: refused*" "$out"
    run root --leaf-size 64 whole
    check_has "demo prints the roots" "*${out%% *}*" "$("${command[@]}" demo --leaf-size 64 whole)"
    refuses 1 "*empty*" demo empty
}

# A terminal for standard error, and input that takes more than a second.
progress() {
    local size=40000000
    [ -z "$quick" ] || size=4000000
    script -qec true /dev/null >/dev/null 2>&1 || { echo "SKIPPED: progress bar: no terminal can be made here"; return; }
    mkfifo slow
    { head -c $size /dev/zero && sleep 1.5 && head -c $size /dev/zero; } >slow &
    printf -v line '%q ' "${command[@]}"
    check_has "progress bar on a terminal" "*MB/s*" "$(script -qec "$line root - <slow" /dev/null)"
    { head -c $size /dev/zero && sleep 1.5 && head -c $size /dev/zero; } >slow &
    run root - <slow
    check "no progress bar in a pipe" "" "$err"
    wait
}

known_roots
inputs
refusals
settings
proofs
help_and_version
demo
progress
finish
