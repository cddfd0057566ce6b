/* A device in a process of its own: what a driver does to that process, or how long it takes, costs a run. */
#ifndef KGI_FUZZ_REMOTE_H
#define KGI_FUZZ_REMOTE_H
#include "fuzz/ask/ask.h"
#include "fuzz/hunt/child.h"

typedef struct kgi_remote {
  kgi_child child;
  const char *which;  /* as kg_device_open takes it */
  double seconds;     /* that a run may take */
  char id[40], name[256], driver[256]; /* as kg_device_info has them, ... */
  uint32_t features;  /* ... and these */
  kgi_target target;  /* that its process stands behind */
} kgi_remote;

/* Opens it, and asks what it is. False: there is no such device; the diagnostic goes to `sink`. kgi_remote_close either way. */
bool kgi_remote_open(kgi_remote *r, const char *which, double seconds, const char *said, const kg_sink *sink);
void kgi_remote_close(kgi_remote *r);

/* What a run is told that did not come back: what the id of a diagnostic begins with. Behind it stand the last words of the process. */
#define KGI_DEVICE_FELL "device-fell"
#define KGI_DEVICE_LATE "device-late"

/* What programs that are made of the features of generate.h must do without, on a device with those of kg_feature. */
uint32_t kgi_lacking(uint32_t features);

/* What devices there are, ids with blanks between, but for the reference: looked for in a process of its own. */
void kgi_remote_list(char *ids, size_t size);
#endif
