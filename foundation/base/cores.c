#define _GNU_SOURCE /* sched_getaffinity */
#include "foundation/base/cores.h"

#include <sched.h>
#include <unistd.h>

uint32_t kgi_cores(void) {
#ifdef __linux__
  cpu_set_t set; /* machines of more than 1024 cores fall through */
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return (uint32_t)CPU_COUNT(&set);
#endif
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 1 ? (uint32_t)online : 1;
}
