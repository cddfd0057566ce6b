/* What was found, as text, as JSON, as a picture. */
#ifndef TOOLS_VERIFY_REPORT_H
#define TOOLS_VERIFY_REPORT_H
#include "tools/json.h"

#include <kgrad/verify.h>

#include <stdio.h>

typedef struct verify_shown {
  const kg_verdict *verdict;
  const char *kernel;        /* its name */
  const char *const *device; /* as the user named them, the reference first */
  bool differences, expect_zero; /* as asked */
  bool no_vulkan;            /* all devices were asked for, and there is none of Vulkan's */
  kg_math math;              /* as asked */
} verify_shown;

void verify_report(const verify_shown *shown);
void verify_report_json(tool_json *json, const verify_shown *shown);
/* False: no memory, or `out` failed. */
bool verify_plot(FILE *out, const verify_shown *shown);
#endif
