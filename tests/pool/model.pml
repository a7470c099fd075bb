/*
 * Promela model of the pool: publish, claim, check in, fail, block, park, wake, close. Each access to a shared atomic
 * is one step, sequentially consistent; job.c and park.c say what weaker orderings they may use and why.
 *
 *   spin -a model.pml && cc -O2 -DCOLLAPSE -DSAFETY -o pan pan.c && ./pan -m1000000 -w28
 *
 * `spin -a -DNAME=value` changes the size; -DBREAK=1 to 13 plants a fault that must be found, 5 and 10 with -DFAIL=1, 11 to 13 with
 * -DCLOSE=1:
 *   1 a worker parks without looking again
 *   2 a caller looks for sleepers before it publishes
 *   3 a worker reads the job before it has claimed
 *   4 a claim is a load and a store
 *   5 a failing claim does not settle what it takes
 *   6 a caller leaves without waiting
 *   7 a caller tests the count and sets BLOCKED in two steps
 *   8 withdrawing forgets the post that is on its way
 *   9 the last check-in posts though its caller does not sleep
 *  10 the text of a failure is written after its claim was checked in
 *  11 a caller looks whether the pool is closing, and enters, in two steps
 *  12 a caller leaves the pool before it gives its entry back
 *  13 the pool is freed as soon as no caller is inside
 *
 * Simplified towards more behaviours than the code has: a worker serves any job it sees, leaves it after any claim, and
 * parks whenever it finds nothing; wake-ups after a participant's first are optional. Claims are of one item, as they are
 * for so few.
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef CALLERS
#define CALLERS 2
#endif
#ifndef ENTRIES
#define ENTRIES 1 /* fewer than callers: one works alone, or finds the entry just vacated */
#endif
#ifndef JOBS
#define JOBS 2 /* of each caller */
#endif
#ifndef ITEMS
#define ITEMS 3
#endif
#ifndef NEST
#define NEST 0 /* 1: item 1 of job 0 runs a job, on whichever thread it falls */
#endif
#ifndef FAIL
#define FAIL 0 /* 1: any claim of job 0 may fail: its task fails, or its monitor was cancelled */
#endif
#ifndef CLOSE
#define CLOSE 0 /* 1: the pool is closed while callers come and go; they come no more once the last has left */
#endif
#ifndef BREAK
#define BREAK 0
#endif
#define ALL_JOBS (CALLERS * JOBS + NEST)
#define NONE 255

byte unclaimed[ENTRIES], pending[ENTRIES], job_of[ENTRIES], posted[ENTRIES], token[WORKERS];
byte status[ENTRIES], text[ENTRIES]; /* of the first failure: the claim it came from */
bool blocked[ENTRIES], taken[ENTRIES], parked[WORKERS], stopping;
byte returned, exited, inside;
bool closing;
#if NEST
chan nested_done = [0] of { bit };
#endif

/* Ghosts. */
bool alive[ALL_JOBS];  /* its caller has not returned: its memory may be touched */
bool failed[ALL_JOBS];
bool ran[ALL_JOBS * ITEMS];
bool asleep[WORKERS];
bool looked[ENTRIES];  /* the publisher has looked for sleepers */
bool drained, freed;   /* destroy has found nobody inside; the pool's memory is gone */

#if WORKERS == 1
#define all_asleep (asleep[0] && parked[0])
#else
#define all_asleep (asleep[0] && parked[0] && asleep[1] && parked[1])
#endif
#define neglected(e) (looked[e] && unclaimed[e] > 0 && all_asleep)
#if ENTRIES == 1
#define check_awake() assert(!neglected(0))
#else
#define check_awake() assert(!neglected(0) && !neglected(1))
#endif

inline touch(j) { assert(j != NONE && job_of[e] == j && alive[j]) }

inline run_item(j, item)
{
    atomic { assert(alive[j] && !ran[j * ITEMS + item]); ran[j * ITEMS + item] = true };
#if NEST
    if
    :: j == 0 && item == 1 -> run caller(CALLERS); nested_done ? 1
    :: else
    fi;
#endif
}

inline tell()
{
    if
    :: won != 0 -> atomic { text[e] = won; won = 0 }
    :: else
    fi
}

inline touch_pool() { assert(!freed) }
inline leave() { atomic { touch_pool(); inside-- } }

/* The claim that lowered `unclaimed` from `left`. */
inline run_claim()
{
    touch(j);
    run_item(j, ITEMS - left);
    atomic { settled++; touch(j) };
#if FAIL
    if
    :: j == 0 ->
        atomic {
            failed[j] = true;
            if
            :: status[e] == 0 -> status[e] = left; won = left
            :: else
            fi
        };
#if BREAK != 10
        tell();
#endif
        atomic {
#if BREAK != 5
            settled = settled + unclaimed[e];
#endif
            unclaimed[e] = 0
        }
    :: true
    fi;
#endif
}

/* left = the value lowered, or NONE. */
inline take_claim()
{
    atomic { left = unclaimed[e]; if :: left == 0 -> left = NONE :: else fi };
    do
    :: left == NONE -> break
#if BREAK == 4
    :: left != NONE && unclaimed[e] == left -> unclaimed[e] = left - 1; break
#else
    :: atomic { left != NONE && unclaimed[e] == left -> unclaimed[e] = left - 1 }; break
#endif
    :: atomic { left != NONE && unclaimed[e] != left -> left = unclaimed[e]; if :: left == 0 -> left = NONE :: else fi }
    od
}

/* At most one; the load, the fetch_and and the post are a step each. */
inline wake_one()
{
    do
    :: atomic {
            v = NONE;
            if
            :: parked[0] -> v = 0
#if WORKERS > 1
            :: !parked[0] && parked[1] -> v = 1
#endif
            :: else
            fi
       };
       if
       :: v == NONE -> break
       :: atomic { v != NONE && parked[v] -> parked[v] = false }; atomic { token[v]++; v = NONE }; break
       :: v != NONE && !parked[v] /* somebody else's: look again */
       fi
    od
}

inline look(x)
{
    atomic {
        if
        :: unclaimed[x] > 0 -> e = x
        :: unclaimed[x] > 0 && e != NONE
        :: else
        fi
    }
}

/* e = an entry with unclaimed items, or NONE. */
inline pick()
{
    e = NONE;
    look(0)
#if ENTRIES > 1
    ;
    look(1)
#endif
}

proctype worker(byte w)
{
    byte e = NONE, j = NONE, left, settled, won, v = NONE;
    bool last;
end:
    do
    :: atomic { stopping -> touch_pool() }; break
    :: atomic { !stopping -> touch_pool() };
        pick();
        if
        :: e != NONE ->
#if BREAK == 3
            atomic { j = job_of[e]; touch(j); j = NONE };
#endif
            take_claim();
            if
            :: left != NONE ->
                j = job_of[e];
                if
                :: left > 1 -> wake_one()
                :: else
                fi;
                do
                :: run_claim();
                   if
                   :: break
                   :: take_claim();
                      if
                      :: left == NONE -> break
                      :: left != NONE
                      :: left > 1 && left != NONE -> wake_one()
                      fi
                   fi
                od;
                atomic {
                    pending[e] = pending[e] - settled;
#if BREAK == 9
                    last = pending[e] == 0;
#else
                    last = pending[e] == 0 && blocked[e];
#endif
                    settled = 0;
                    j = NONE
                };
#if BREAK == 10
                tell();
#endif
                if
                :: last -> atomic { posted[e]++; last = false }
                :: else
                fi
            :: else
            fi;
            atomic { left = 0; e = NONE }
        :: e == NONE -> /* spin on, or park */
            if
            :: skip
            :: parked[w] = true;
#if BREAK != 1
                pick();
#endif
                if
                :: atomic { (e != NONE || stopping) && parked[w] -> parked[w] = false; e = NONE }; goto end
#if BREAK == 8
                :: atomic { (e != NONE || stopping) && !parked[w] -> e = NONE }; goto end
#else
                :: atomic { (e != NONE || stopping) && !parked[w] -> e = NONE }
#endif
                :: e == NONE && !stopping
                fi;
                atomic { asleep[w] = true; check_awake() };
                atomic { token[w] > 0 -> token[w]--; asleep[w] = false; assert(token[w] == 0 && !parked[w]) }
            fi
        fi
    od;
    exited++
}

proctype caller(byte c)
{
    byte round, e = NONE, j = NONE, left, settled, won, v = NONE;
    bool wait;
#if CLOSE
    bool shut;
#endif
    do
    :: round < JOBS ->
#if CLOSE
        if /* a task may finish what it began */
        :: drained && c != CALLERS -> break
#if BREAK == 11
        :: atomic { !drained || c == CALLERS -> shut = closing && c != CALLERS };
            atomic { inside++; assert(shut || !drained) }
#else
        :: atomic {
                !drained || c == CALLERS ->
                shut = closing && c != CALLERS;
                inside++;
                assert(shut || !drained)
           }
#endif
        fi;
        if
        :: shut -> leave(); break
        :: else
        fi;
#endif
        atomic { j = c * JOBS + round; alive[j] = true; left = ITEMS };
        do /* alone until an entry is free */
        :: left == 0 -> break
        :: atomic { left > 1 && !taken[0] -> taken[0] = true; e = 0 }; break
#if ENTRIES > 1
        :: atomic { left > 1 && taken[0] && !taken[1] -> taken[1] = true; e = 1 }; break
#endif
        :: left == 1 || (left > 1 && taken[0] && taken[ENTRIES - 1]) -> run_item(j, ITEMS - left); left--
        od;
        if
        :: e != NONE ->
            job_of[e] = j;
#if BREAK == 2
            wake_one();
#endif
            atomic { pending[e] = left; blocked[e] = false; status[e] = 0; text[e] = 0 };
            unclaimed[e] = left - 1; /* the first claim is the caller's */
#if BREAK != 2
            wake_one();
#endif
            atomic { looked[e] = true; check_awake() };
            do
            :: run_claim();
               take_claim();
               if
               :: left == NONE -> break
               :: left != NONE
               :: left > 1 && left != NONE -> wake_one()
               fi
            od;
            atomic { looked[e] = false; pending[e] = pending[e] - settled; wait = pending[e] != 0; settled = 0 };
#if BREAK == 10
            tell();
#endif
            if
            :: !wait
            :: wait && pending[e] == 0 /* seen while it spins */
#if BREAK == 6
            :: wait
#elif BREAK == 7
            :: wait -> wait = pending[e] != 0; blocked[e] = true; if :: atomic { wait && posted[e] > 0 -> posted[e]-- } :: !wait fi
#else
            :: wait -> atomic { wait = pending[e] != 0; blocked[e] = true };
                if
                :: atomic { wait && posted[e] > 0 -> posted[e]-- }
                :: !wait
                fi
#endif
            fi;
#if BREAK != 6
            assert(pending[e] == 0 && unclaimed[e] == 0 && posted[e] == 0);
            assert(text[e] == status[e]);
#endif
            atomic { alive[j] = false; wait = false };
#if BREAK == 12
            leave();
#endif
            atomic { touch_pool(); taken[e] = false };
            e = NONE
        :: else ->
            alive[j] = false
#if BREAK == 12
            ;
            leave()
#endif
        fi;
#if CLOSE && BREAK != 12
        leave();
#endif
        atomic {
            left = 0;
            do
            :: left < ITEMS -> assert(ran[j * ITEMS + left] || failed[j]); ran[j * ITEMS + left] = false; left++
            :: else -> break
            od;
            failed[j] = false; left = 0; j = NONE; round++
        };
        if
        :: c == CALLERS -> break /* the nested one has one job */
        :: else
        fi
    :: else -> break
    od;
    if
#if NEST
    :: c == CALLERS -> nested_done ! 1
#endif
    :: c < CALLERS -> returned++
    fi
}

init
{
    byte n, v = NONE;
    atomic {
        do
        :: n < WORKERS -> run worker(n); n++
        :: else -> break
        od;
        n = 0;
        do
        :: n < CALLERS -> run caller(n); n++
        :: else -> break
        od;
        n = 0
    };
#if CLOSE
    closing = true;
    atomic { inside == 0 -> drained = true };
#if BREAK == 13
    freed = true;
#endif
#else
    returned == CALLERS;
#endif
    stopping = true;
    do
    :: parked[0] || parked[WORKERS - 1] -> wake_one()
    :: !parked[0] && !parked[WORKERS - 1] -> break
    od;
    exited == WORKERS;
    freed = true;
    returned == CALLERS
}
