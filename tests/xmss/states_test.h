/* A key in a file of a directory of its own. */
#ifndef PLEACH_STATES_TEST_H
#define PLEACH_STATES_TEST_H

#include "keys_test.h"

/* Of the file of what was used. */
enum { PAGE = 4096, STATE = 2 * PAGE, RECORD = 160 };

extern char key_path[64], state_path[80];

/* Set up and torn down with a group of tests. */
int open_directory(void **state);
int close_directory(void **state);

void save_new_key(uint32_t first, uint32_t last);
void remove_key(void);

pleach_status open_key(pleach_xmss_key **key);
pleach_xmss_key *open_good_key(void);

#endif
