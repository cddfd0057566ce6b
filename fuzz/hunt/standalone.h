/* A finding of a device as one C program that needs nothing but a compiler, and of a Vulkan device its loader. */
#ifndef KGI_FUZZ_STANDALONE_H
#define KGI_FUZZ_STANDALONE_H
#include "fuzz/ask/evidence.h"

#include <stdio.h>

typedef struct kgi_standalone {
  const kgi_evidence *evidence;
  kg_math math;
  const char *id;          /* of the device: "cpu", "vulkan:0" */
  uint32_t features;       /* kg_feature bits */
  const char *device, *driver;
} kgi_standalone;

/* False: it cannot be told so simply (views, slices that lie at odd places), or there was no memory; errors of writing show in
 * ferror(out). */
bool kgi_standalone_write(const kgi_standalone *s, FILE *out);
#endif
