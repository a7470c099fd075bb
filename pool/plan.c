#include "pool/plan.h"

static unsigned lesser(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* One worker for each processor that this process may use, but one performance core is left to everything else where
 * efficiency cores do their share. */
static void count_automatically(pleach__plan *plan, const pleach_config *config, const pleach__topology *topology)
{
    const unsigned all = topology->processors - topology->efficiency, held_back = topology->efficiency != 0 && all > 1;
    const unsigned granted = topology->quota != 0 ? topology->quota : UINT_MAX;
    const unsigned performance = lesser(lesser(all - held_back, granted), PLEACH_WORKERS_MAX);
    unsigned efficiency = lesser(topology->efficiency, granted - performance);
    if (config->efficiency_workers != PLEACH_AUTO)
        efficiency = (unsigned)config->efficiency_workers;
    plan->efficiency = lesser(efficiency, PLEACH_WORKERS_MAX - performance);
    plan->workers = performance + plan->efficiency;
    if (plan->workers == PLEACH_WORKERS_MAX)
        plan->workers_reason = "as many as a pool can have";
    else if (granted < all - held_back + topology->efficiency)
        plan->workers_reason = "as many as the quota of the control group grants time for";
    else if (held_back)
        plan->workers_reason = "one for each usable processor, less one performance core that is held back";
    else
        plan->workers_reason = "one for each usable processor";
}

static void count_workers(pleach__plan *plan, const pleach_config *config, const pleach__topology *topology)
{
    if (config->workers == 0) {
        count_automatically(plan, config, topology);
        return;
    }
    plan->efficiency = config->efficiency_workers == PLEACH_AUTO ? 0 : (unsigned)config->efficiency_workers;
    plan->workers = (unsigned)config->workers + plan->efficiency;
    plan->workers_reason = "as many as the settings ask for";
}

static void place_workers(pleach__plan *plan, const pleach__topology *topology)
{
    const unsigned performance = plan->workers - plan->efficiency;
    const unsigned fast = topology->processors - topology->efficiency;
    plan->place[0].processor = plan->workers == 1 ? 0 : PLEACH__NONE;
    for (unsigned i = 1; i < plan->workers; i++) {
        if (i < performance || topology->efficiency == 0)
            plan->place[i].processor = (i - 1) % fast;
        else
            plan->place[i].processor = fast + (i - performance) % topology->efficiency;
    }
}

static bool has_given(const pleach__plan *plan, unsigned workers, uint64_t unit_id)
{
    for (unsigned i = 0; i < workers; i++)
        if (plan->place[i].streaming && plan->place[i].unit_id == unit_id)
            return true;
    return false;
}

static bool have_given(const pleach__plan *plans, uint64_t unit_id)
{
    while (plans != NULL && !has_given(plans, plans->workers, unit_id))
        plans = plans->next;
    return plans != NULL;
}

/* Gives a worker the slot of the unit that its place reaches. False if another pool has that one. */
static bool give_slot(pleach__plan *plan, unsigned worker, const pleach__topology *topology, const pleach__plan *others)
{
    pleach__place *place = &plan->place[worker];
    if (place->processor == PLEACH__NONE || topology->order[place->processor].unit == PLEACH__NONE)
        return true;
    place->unit_id = topology->order[place->processor].unit_id;
    if (have_given(others, place->unit_id))
        return false;
    place->streaming = !has_given(plan, worker, place->unit_id);
    plan->slots += place->streaming;
    return true;
}

static void give_slots(pleach__plan *plan, const pleach_config *config, const pleach__topology *topology,
                       const pleach__plan *others)
{
    const unsigned allowed = config->sme_workers == PLEACH_AUTO ? UINT_MAX : (unsigned)config->sme_workers;
    bool all_free = true;
    plan->slots = 0;
    for (unsigned i = 0; i < plan->workers; i++)
        plan->place[i].streaming = false;
    for (unsigned i = 0; i < plan->workers && plan->slots < allowed; i++)
        all_free = give_slot(plan, i, topology, others) && all_free;
    if (topology->streaming_units == 0)
        plan->slots_reason = "no streaming unit was found";
    else if (allowed == 0)
        plan->slots_reason = "the settings forbid streaming";
    else if (plan->slots == topology->streaming_units)
        plan->slots_reason = "one for each streaming unit, to the first worker on it";
    else if (plan->slots == allowed)
        plan->slots_reason = "as many as the settings allow, each to the first worker on a streaming unit";
    else if (!all_free)
        plan->slots_reason = "those that other pools of this process leave";
    else
        plan->slots_reason = "one for each streaming unit that a worker is on";
}

void pleach__plan_make(pleach__plan *plan, const pleach_config *config, const pleach__topology *topology,
                       const pleach__plan *others)
{
    count_workers(plan, config, topology);
    place_workers(plan, topology);
    give_slots(plan, config, topology, others);
}

void pleach__plan_deny(pleach__plan *plan, unsigned worker)
{
    plan->slots--;
    plan->place[worker].streaming = false;
    plan->slots_reason = "those of the workers to which the system grants the vectors that streaming needs";
}

void pleach__plan_cut(pleach__plan *plan, unsigned workers)
{
    for (unsigned i = workers; i < plan->workers; i++) {
        plan->slots -= plan->place[i].streaming;
        plan->place[i].streaming = false;
    }
    plan->slots_reason = "those of the workers that could be started";
}
