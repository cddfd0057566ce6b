/* A hunt's state in a file, so that it can go on another time. */
#ifndef TOOLS_HUNT_STATE_H
#define TOOLS_HUNT_STATE_H
#include "fuzz/hunt/hunt.h"

/* `asked` says what the hunt asks: one that asks otherwise is not its continuation. False: it could not be written; what was there stays. */
bool tool_hunt_save(const char *folder, const char *asked, const kgi_hunt *h);
/* Whether there was one, and `h` goes on from there. *other: there is one, but of another question. */
bool tool_hunt_load(const char *folder, const char *asked, kgi_hunt *h, bool *other);
#endif
