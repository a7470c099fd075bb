/* How much processor time the control groups of this process grant it. */
#ifndef PLEACH_QUOTA_H
#define PLEACH_QUOTA_H

/*
 * In processors, rounded up: the tightest limit among the process's group and the groups around it, version 1 and 2; 0
 * if there is none, or none can be read. `root` stands before every path.
 */
unsigned pleach__quota_read(const char *root);

#endif
