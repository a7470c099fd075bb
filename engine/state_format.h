/* Sealed states as bytes; engine.h has the layout. */
#ifndef PLEACH_STATE_FORMAT_H
#define PLEACH_STATE_FORMAT_H

#include "engine/state.h"

/* Makes a state, used once, of what pleach_engine_state_export() wrote. Errors as pleach_engine_state_import(). */
pleach_status pleach__state_parse(pleach_pool *pool, pleach_read read, void *context, pleach_monitor *monitor,
                                  pleach_engine_view **state);

#endif
