/* How many threads are worth starting. */
#ifndef KGI_CORES_H
#define KGI_CORES_H
#include <stdint.h>

/* The cores that this process may run on, at least 1. */
uint32_t kgi_cores(void);
#endif
