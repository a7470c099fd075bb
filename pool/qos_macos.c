#include "pool/qos_macos.h"

#include <pthread/qos.h>

/* Threads of the utility class are kept on efficiency cores while others are busy; the system may refuse: then the
   class of the thread that made the pool stays. */
void pleach__qos_take(bool efficiency)
{
    (void)pthread_set_qos_class_self_np(efficiency ? QOS_CLASS_UTILITY : QOS_CLASS_USER_INITIATED, 0);
}
