/* Races, seen by the program itself: every access to a buffer or to shared memory also notes, in buffers that are added to the
 * module, who touched the element and how, since the last barrier within a workgroup, and in the whole dispatch across
 * workgroups. A second opinion, which owes nothing to the reference's own checks. */
#ifndef KGI_FUZZ_WATCH_RACES_H
#define KGI_FUZZ_WATCH_RACES_H
#include "foundation/ir/program.h"

/* Changes the module, which can be run on the reference afterwards, but no longer be printed or differentiated. Each run gets a
 * buffer `errors_<number>` of u32, an element for each object of its program: 1, two invocations of a workgroup race for an element
 * of it; 2, two workgroups do, and then 1 may be set besides. False: the module repeats runs, or memory ran out. */
bool kgi_watch_races(kg_module *m);
#endif
