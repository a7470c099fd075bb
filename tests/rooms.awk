# The arrows between rooms may only point down. A room may include itself and those below it; the command may call the
# benches; benches and tests may include anything; examples include what is installed.
BEGIN {
    floor["examples"] = 0
    floor["config"] = 1
    floor["kernels"] = 2
    floor["pool"] = 3
    floor["merkle"] = floor["lthash"] = 4
    floor["xmss"] = floor["proving"] = 5
    floor["engine"] = floor["bench"] = 6
    floor["tests"] = 8
}

FNR == 1 {
    own = FILENAME
    sub(/^\.\//, "", own)
    sub(/\/.*/, "", own)
    if (!(own in floor)) {
        print FILENAME ": " own " is no room"
        bad = 1
    }
}

/^[ \t]*#[ \t]*include[ \t]*"[a-z]+\// {
    room = $0
    sub(/^[^"]*"/, "", room)
    sub(/\/.*/, "", room)
    allowed = room == own || floor[room] < floor[own] || own == "bench" || (own == "engine" && room == "bench")
    if (!(room in floor) || !allowed) {
        print FILENAME ":" FNR ": " own " may not include " room
        bad = 1
    }
}

END { exit bad }
