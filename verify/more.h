/* kg_verify with what kg_audit knows besides. */
#ifndef KGI_VERIFY_MORE_H
#define KGI_VERIFY_MORE_H
#include "verify/findings.h"

typedef struct kgi_verify_more {
  const bool *adds; /* by shadow, as in kgi_gradient */
  kg_status (*remark)(void *user, kgi_findings *findings); /* gives the findings their remarks: KG_OK, or KG_NO_MEMORY */
  void *user;
} kgi_verify_more;
kg_status kgi_verify(const kg_module *module, const kg_verify_params *params, const kgi_verify_more *more, const kg_sink *sink,
                     kg_verdict **out);
#endif
