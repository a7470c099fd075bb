# Reads what objdump says of objects, each behind a line "object NAME" (see machine_code.sh), and follows the code of
# the functions that tables name, through calls and jumps: none may return with dirty upper halves of vector registers.
# Objects whose name has "shani" have no VEX- or EVEX-encoded instruction but vzeroupper.

BEGIN {
    CLEAN = 1
    DIRTY = 2 # or perhaps dirty
}

function hex(text,    value, i) {
    value = 0
    sub(/^(0x)?0*/, "", text)
    for (i = 1; i <= length(text); i++)
        value = 16 * value + index("0123456789abcdef", substr(text, i, 1)) - 1
    return value
}

function fault(text) {
    print text
    faults++
}

# A function by the name that the code of an object gives it; objects see each other's global ones.
function named(from, name) {
    return (from, name) in first ? from SUBSEP name : (global[name] != "" ? global[name] SUBSEP name : "")
}

# A function by the value of a relocation: a name, or a section and an offset.
function relocated(from, value, bias,    offset) {
    offset = 0
    if (match(value, /[-+]0x[0-9a-f]+$/)) {
        offset = hex(substr(value, RSTART + 1))
        if (substr(value, RSTART, 1) == "-")
            offset = -offset
        value = substr(value, 1, RSTART - 1)
    }
    if (value !~ /^\./)
        return named(from, value)
    return from SUBSEP at[from, value, offset + bias]
}

/^object / {
    object = $2
    sub(/.*\//, "", $2)
    sha_ni = $2 ~ /shani/
    next
}

/^SYMBOL TABLE/ { part = "symbols"; next }
/^Disassembly of section / {
    part = "code"
    section = $4
    sub(/:$/, "", section)
    next
}
/^RELOCATION RECORDS FOR/ { part = $4 ~ /^\[\.data/ ? "tables" : ""; next }

part == "symbols" && / g .* F / { global[$NF] = object; next }

part == "tables" && $2 == "R_X86_64_64" { table[++tables] = object SUBSEP $3; next }

part == "code" && /^[0-9a-f]+ <.*>:$/ {
    name = $2
    gsub(/^<|>:$/, "", name)
    current = object SUBSEP name
    first[object, name] = count + 1
    functions[++function_count] = current
    at[object, section, hex($1)] = name
    next
}

part == "code" && /^ *[0-9a-f]+:\t/ {
    n = split($0, field, "\t")
    if (n < 3)
        next # the end of a long instruction
    address = field[1]
    gsub(/[ :]/, "", address)
    count++
    last[current] = count
    where[object, section, hex(address)] = count
    text[count] = field[3]
    split(field[3], word, " ")
    operation = word[1]
    for (w = 2; operation ~ /^(bnd|notrack|rep|repz|lock|data16|cs|ds)$/; w++)
        operation = word[w]
    bytes = field[2]
    while (bytes ~ /^(26|2e|36|3e|64|65|67) /)
        bytes = substr(bytes, 4)
    if (operation == "vzeroupper" || operation == "vzeroall") {
        kind[count] = "clean"
    } else if (sha_ni && bytes ~ /^(c4|c5|62) /) {
        fault(object ": " name ": " field[3])
    } else if (field[3] ~ /%[yz]mm/) {
        kind[count] = "dirty"
        dirtied++
    } else if (operation ~ /^ret/) {
        kind[count] = "return"
    } else if (operation ~ /^(ud2|hlt)/) {
        kind[count] = "end"
    } else if (operation ~ /^(call|j)/) {
        kind[count] = operation ~ /^call/ ? "call" : operation ~ /^jmp/ ? "jump" : "branch"
        if (n > 3) {
            split(field[4], word, " ")
            reference[count] = word[3]
        } else if (field[3] ~ /\*/) {
            reference[count] = "*"
        } else {
            target[count] = section SUBSEP hex(word[w])
        }
        owner[count] = object
        home[count] = current
    }
}

# The function that instruction i goes to, or "" if that is not among the objects: it leaves the registers as they are.
function callee(i,    place) {
    if (i in reference)
        return reference[i] == "*" ? "" : relocated(owner[i], reference[i], 4)
    split(target[i], place, SUBSEP)
    return owner[i] SUBSEP at[owner[i], place[1], place[2]]
}

function reach(i, s) {
    if (state[i] < s) {
        state[i] = s
        again = 1
    }
}

# Leaves function f at instruction i.
function leave(f, entry, i, s) {
    if (result[f, entry] < s) {
        result[f, entry] = s
        if (s == DIRTY)
            exit_of[f, entry] = text[i]
        changed = 1
    }
}

function after(i, s,    to) {
    if (go[i] == "" || !((go[i], s) in result))
        return go[i] == "" ? s : 0
    return result[go[i], s]
}

function follow(f, entry,    i, s, begin, end) {
    begin = first[f]
    end = last[f]
    for (i = begin; i <= end; i++)
        state[i] = 0
    state[begin] = entry
    do {
        again = 0
        for (i = begin; i <= end; i++) {
            s = state[i]
            if (s == 0 || kind[i] == "end")
                continue
            if (kind[i] == "return") {
                leave(f, entry, i, s)
                continue
            }
            if (kind[i] == "jump" || kind[i] == "branch") {
                if (inside[i])
                    reach(inside[i], s)
                else
                    leave(f, entry, i, after(i, s))
                if (kind[i] == "jump")
                    continue
            }
            if (kind[i] == "call")
                s = after(i, s)
            else if (kind[i] == "clean")
                s = CLEAN
            else if (kind[i] == "dirty")
                s = DIRTY
            if (i < end)
                reach(i + 1, s)
        }
    } while (again)
}

END {
    for (i = 1; i <= count; i++) {
        if (!(i in owner))
            continue
        split(target[i], place, SUBSEP)
        to = where[owner[i], place[1], place[2]]
        if (kind[i] != "call" && !(i in reference) && to >= first[home[i]] && to <= last[home[i]]) {
            inside[i] = to
            continue
        }
        go[i] = callee(i)
        if (go[i] != "" && !(go[i] in first))
            fault(owner[i] ": cannot follow: " text[i])
    }
    for (i = 1; i <= function_count; i++)
        result[functions[i], CLEAN] = result[functions[i], DIRTY] = 0
    do {
        changed = 0
        for (j = 1; j <= function_count; j++) {
            follow(functions[j], CLEAN)
            follow(functions[j], DIRTY)
        }
    } while (changed)
    for (i = 1; i <= tables; i++) {
        split(table[i], place, SUBSEP)
        entry = relocated(place[1], place[2], 0)
        if (!(entry in first) || entry in seen)
            continue
        seen[entry] = 1
        entries++
        split(entry, place, SUBSEP)
        if (result[entry, CLEAN] == DIRTY)
            fault(place[1] ": " place[2] " returns with dirty upper halves, by: " exit_of[entry, CLEAN])
        if (result[entry, CLEAN] == 0)
            fault(place[1] ": " place[2] ": no way out was found")
    }
    if (entries == 0 || dirtied == 0)
        fault("no table names a function, or none uses wide vectors: nothing was checked")
    print entries + 0 " functions that tables name, " count + 0 " instructions, " faults + 0 " faults"
    exit faults > 0
}
