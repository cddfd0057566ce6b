/* What kg_audit finds out beside the verdict. */
#ifndef KGI_AUDIT_H
#define KGI_AUDIT_H
#include "verify/findings.h"
#include "verify/pair.h"

/* What becomes of an element of a gradient that held something on entry. */
typedef enum kgi_touch { KGI_TOUCH_STORED, KGI_TOUCH_ADDED, KGI_TOUCH_UNWRITTEN, KGI_TOUCH_OTHER } kgi_touch;

/* touched.c: by entry of the map, of each element, from two runs on the reference that differ in what stands there on entry. NULL for
 * what is a cotangent, and for all where it cannot be run. KG_OK or KG_NO_MEMORY; in `arena`. */
kg_status kgi_touched(const kg_pair *pair, const kg_verify_params *params, kgi_arena *arena, uint64_t *count, uint8_t **touch);

/* hints.c: why gradient `k` is wrong on the reference, where that is certain. */
void kgi_hint(const kgi_findings *findings, size_t k, const uint8_t *touch, kgi_remark *remark);
#endif
