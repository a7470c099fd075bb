/* What the library uses of the header of this name, as Apple declares it. */
#include <pthread/qos.h>
#include <signal.h>
typedef struct {
    long signature;
    char opaque[8];
} pthread_once_t;
#define PTHREAD_ONCE_INIT \
    {                     \
        0x30B1BCBA,       \
        {                 \
            0             \
        }                 \
    }
int pthread_once(pthread_once_t *once, void (*routine)(void));
int pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
