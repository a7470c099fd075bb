#!/usr/bin/env bash
# drawings.sh VECTORS COMMAND...: trees as drawings, by the command, which has an absolute path.
# shellcheck source=tests/engine/checks.sh
. "${BASH_SOURCE%/*}/checks.sh"

shown() { # NAME ARGUMENT...: expects what is on standard input
    local name=$1
    shift
    run tree show "$@"
    check "drawing of $name" "$(cat)" "$out"
}

draws_svg() { # TREE NODES
    run tree show --svg "$1"
    echo "$out" >svg
    check "$1 is drawn" 0 "$code"
    well_formed svg
    check "$1 as SVG is well-formed" 0 $?
    check "nodes of $1 as SVG" "$2" "$(grep -c '<g class="node' svg)"
    check "references of $1 as SVG" "" "$(grep -E 'href|url\(|@import' svg)"
    command -v xmllint >/dev/null || { echo "SKIPPED: xmllint: not here"; return; }
    xmllint --nonet --noout svg
    check "$1 as SVG, to xmllint" 0 $?
}

drawings() {
    local size
    big_endian 257 >numbers
    rfc6962_lines >lines
    for size in 0 1 3 7 8; do gives '*' tree build --lines ct$size <(head -n $size lines); done
    printf '<a><b></a></b>' >svg
    well_formed svg
    check "the check of SVG sees tags that cross" 1 $?
    printf '<a b="1><c/></a>' >svg
    well_formed svg
    check "the check of SVG sees an open quote" 1 $?
    shown "7 leaves" ct7 <<'DRAWING'
scheme rfc6962, 7 leaves
root ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c

0  6e340b9c ─┐
             ├─ fac54203 ─┐
1  96a296d2 ─┘            │
                          ├─ d37ee418 ─┐
2  0298d122 ─┐            │            │
             ├─ 5f083f0a ─┘            │
3  07506a85 ─┘                         ├─ ddb89be4
                                       │
4  bc1a0643 ─┐                         │
             ├─ 0ebc5d34 ─┐            │
5  4271a26b ─┘            ├─ 837dbb15 ─┘
                          │
6  b08693ec ─↑─ b08693ec ─┘

↑  a lone node moves up unchanged
DRAWING
    shown "3 leaves in ASCII" --ascii ct3 <<'DRAWING'
scheme rfc6962, 3 leaves
root aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77

0  6e340b9c -.
             +- fac54203 -.
1  96a296d2 -'            +- aeb6bcfe
                          |
2  0298d122 -^- 0298d122 -'

^  a lone node moves up unchanged
DRAWING
    shown "one leaf" ct1 <<'DRAWING'
scheme rfc6962, 1 leaf
root 6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d

0  6e340b9c
DRAWING
    shown "no leaf" ct0 <<'DRAWING'
scheme rfc6962, 0 leaves
root e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
DRAWING
    transactions block100000 >ids
    gives '*' tree build --force --scheme bitcoin --hashes block ids
    shown "block 100000" --reversed block <<'DRAWING'
scheme bitcoin, 4 leaves
root f3e94742aca4b5ef85488dc37c06c3282295ffec960994b2c0d5ac2a25a95766

0  8c14f0db ─┐
             ├─ ccdafb73 ─┐
1  fff2525b ─┘            │
                          ├─ f3e94742
2  6359f086 ─┐            │
             ├─ 8e308990 ─┘
3  e9a66845 ─┘
DRAWING
    head -n 3 ids >three
    gives '*' tree build --force --scheme bitcoin --hashes block three
    gives '*2  c46e239a ─═─ *═  a lone node is its own sibling' tree show block
    draws_svg block 6
    gives '*' tree build --force --scheme ssz --depth 40 --hashes ssz three
    gives '*scheme ssz, depth 40, 3 leaves* ─∅─ 38 levels ─ *2  c46e239a ─∅─ *∅  the sibling *' tree show ssz
    draws_svg ssz 7
    gives '*' tree build --force --scheme ssz --depth 1 --hashes ssz <(head -n 1 three)
    gives '*0  876dd0a3 ─∅─ 1 level ─ *' tree show ssz
    draws_svg ct0 0
    draws_svg ct1 1
    draws_svg ct8 15
    for size in 64 65 256 257; do
        head -c $((4 * size)) numbers >part
        gives '*' tree build --force --leaf-size 4 tree part
        case $size in
        64) gives '*63  *' tree show tree ;;
        65) refuses 1 '*tree: 65 leaves: a drawing as text has room for 64; --svg has more' tree show tree ;;
        256) draws_svg tree 511 ;;
        257)
            refuses 1 '*tree: 257 leaves: an SVG drawing has room for 256' tree show --svg tree
            refuses 1 '*tree: 257 leaves: a drawing as text has room for 64' tree show tree
            ;;
        esac
    done
    refuses 2 '*--svg and --ascii*' tree show --svg --ascii tree
    refuses 2 '*--reversed: only digests of scheme bitcoin*' tree show --reversed tree
}

drawings
finish
