/* What the library uses of the header of this name, as Apple declares it. */
typedef unsigned sigset_t;
#define SIG_SETMASK 3
int sigfillset(sigset_t *set);
