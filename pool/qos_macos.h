/* macOS places threads by their class, not by masks of processors. */
#ifndef PLEACH_QOS_MACOS_H
#define PLEACH_QOS_MACOS_H

#include <stdbool.h>

/* Sets the class of the calling thread, which is a worker. */
void pleach__qos_take(bool efficiency);

#endif
