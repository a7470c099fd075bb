/* The command `pleach bench`. */
#ifndef PLEACH_BENCH_H
#define PLEACH_BENCH_H

/*
 * argv[0] is the first argument after the word `bench`; argc may be 0. Results go to standard output, errors to
 * standard error. Returns the exit code: 0 done; 1 something failed, such as a row whose digests were wrong; 2 wrong
 * usage.
 */
int pleach__bench_main(int argc, char **argv);

#endif
