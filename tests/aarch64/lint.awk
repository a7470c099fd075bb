# Reads what objdump says of objects, each behind a line "object NAME" (see machine_code.sh).
#
# Between SMSTART and SMSTOP only instructions stand that processors without FEAT_SME_FA64 execute there, and no calls;
# elsewhere none of SME, and none of SVE but in objects named arm_sve*. No branch leads from one to the other.

BEGIN {
    # What streaming code is made of so far; none of these names means anything else there.
    n = split("add sub subs cmp mov mul cbz cbnz b b.eq b.ne ldp ldr ldur stp str eor eor3 xar ptrue uzp1 uzp2 dup ld1b ld1rw " \
              "ld1w st1w", word, " ")
    for (i = 1; i <= n; i++)
        known[word[i]] = 1
    # rdsvl and the registers by which streaming.c asks, before it enters or leaves
    querying = "arm_streaming"
}

function hex(text,    value, i) {
    value = 0
    for (i = 1; i <= length(text); i++)
        value = 16 * value + index("0123456789abcdef", substr(text, i, 1)) - 1
    return value
}

function fault(text) {
    print object ": " name ": " text
    faults++
}

function end_function(    i) {
    if (streaming)
        fault("ends in streaming mode")
    for (i = 1; i <= branches; i++)
        if (to[i] in state && state[to[i]] != state[from[i]])
            fault("a branch enters or leaves streaming mode: " text[i])
    branches = streaming = 0
    split("", state)
}

# By bits 28 to 25 of the instruction, and the topmost one.
function class_of(code,    top, group) {
    top = hex(substr(code, 1, 2))
    group = int(top / 2) % 16
    if (group == 2)
        return "sve"
    if (group == 0 && top >= 128)
        return "sme"
    if (group % 8 == 7)
        return "simd"
    return "other"
}

/^object / {
    end_function()
    object = $2
    sub(/.*\//, "", object)
    objects++
    next
}

/^[0-9a-f]+ <.*>:$/ {
    end_function()
    name = $2
    gsub(/^<|>:$/, "", name)
    next
}

/^ *[0-9a-f]+:\t[0-9a-f]+ *\t/ {
    split($0, field, "\t")
    address = field[1]
    gsub(/[ :]/, "", address)
    code = field[2]
    gsub(/ /, "", code)
    if (length(code) != 8 || field[3] ~ /^\./)
        next # data
    count++
    operation = field[3]
    rest = field[4]
    if (code ~ /^d503477f$|^d503437f$/) {
        if (streaming)
            fault("enters streaming mode twice")
        streaming = 1
        stays++
        state[address] = 0
        next
    }
    state[address] = streaming
    if (code ~ /^d503467f$|^d503427f$/) {
        if (!streaming)
            fault("leaves streaming mode twice")
        streaming = 0
        next
    }
    kind = class_of(code)
    if (streaming && (!(operation in known) || kind == "simd"))
        fault("in streaming mode: " operation " " rest)
    if (!streaming && kind == "sme")
        fault("outside of streaming mode: " operation " " rest)
    if (!streaming && kind == "sve" && object !~ /^arm_sve/ && !(index(object, querying) == 1 && operation == "rdsvl"))
        fault("outside of streaming mode: " operation " " rest)
    if (operation ~ /^(b|b\..*|cbn?z|tbn?z)$/ && match(rest, /[0-9a-f]+ </)) {
        branches++
        from[branches] = address
        to[branches] = substr(rest, RSTART, RLENGTH - 2)
        text[branches] = operation " " rest
    }
}

END {
    end_function()
    if (stays == 0)
        fault("no object enters streaming mode: nothing was checked")
    print objects + 0 " objects, " count + 0 " instructions, " stays + 0 " stays in streaming mode, " faults + 0 " faults"
    exit faults > 0
}
