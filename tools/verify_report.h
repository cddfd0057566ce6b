/* What was found, as text, as JSON, as a picture. */
#ifndef TOOLS_VERIFY_REPORT_H
#define TOOLS_VERIFY_REPORT_H
#include "verify/oracle.h"

typedef struct verify_outcome {
  const verify_oracle *oracle;
  const verify_device *device;
  size_t devices;
  const bool *optional; /* by device: it need not be able to run this; NULL: each must */
  bool expect_zero; /* only a gradient that is zero, rightly so, will do */
  bool no_vulkan;   /* all devices were asked for, and there is none of Vulkan's */
} verify_outcome;

/* Of one device, and of all that ran; one that could not, but need not, has no say unless none could. */
bool verify_device_passes(const verify_outcome *outcome, const verify_device *device);
bool verify_passes(const verify_outcome *outcome);
/* It passes, and nothing depends on any input. */
bool verify_is_zero(const verify_outcome *outcome);
const char *verify_word(const verify_outcome *outcome); /* "passed", "zero", "FAILED" or "INCONCLUSIVE" */

void verify_report(const verify_outcome *outcome);
void verify_report_json(tool_json *json, const verify_outcome *outcome);
/* False: no memory, or `out` failed. */
bool verify_plot(FILE *out, const verify_outcome *outcome);
#endif
