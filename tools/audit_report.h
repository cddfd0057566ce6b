/* What an audit found, as text and as JSON. */
#ifndef TOOLS_AUDIT_REPORT_H
#define TOOLS_AUDIT_REPORT_H
#include "tools/verify_report.h"

typedef struct audit_shown {
  verify_shown verify;
  uint64_t wrong; /* entries of a gradient that are shown, at most */
} audit_shown;

void audit_report(const audit_shown *shown);
void audit_report_json(tool_json *json, const audit_shown *shown);
#endif
