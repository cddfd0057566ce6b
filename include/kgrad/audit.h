/* kgrad/audit.h: a backward kernel that somebody wrote, held against the derivative of its forward kernel, by the judge of
 * kgrad/verify.h. doc/audit.md says what is compared with what.
 *
 *     kg_pair *pair = NULL;
 *     kg_verdict *verdict = NULL;
 *     const kg_pair_name map[] = {{.name = "dy", .means = "grad_y"}, {.name = "dx", .means = "grad_x"}};
 *     const kg_pair_params params = {.backward = &backward, .backward_count = 1, .map = map, .map_count = 2};
 *     kg_status status = kg_pair_new(forward, &params, &sink, &pair);
 *     if (status == KG_OK) status = kg_audit(pair, NULL, &sink, &verdict);
 *     bool right = status == KG_OK && kg_verdict_summary(verdict).outcome == KG_OUTCOME_PASSED;
 *     kg_verdict_free(verdict);
 *     kg_pair_free(pair); */
#ifndef KGRAD_AUDIT_H
#define KGRAD_AUDIT_H

#include <kgrad/verify.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a buffer or param of a backward module stands for: a buffer or param of the forward module, or the gradient of one, `grad_x` of
 * x. What is not named stands for what has its own name there. `file` is the backward module that is meant, by the name that
 * kg_pair_params gives it; NULL: each that has a buffer or param of that name. */
typedef struct kg_pair_name { const char *file, *name, *means; } kg_pair_name;

typedef struct kg_pair_params {
  const kg_module *const *backward; /* one or several, in the order in which they run */
  const char *const *file;          /* their names; NULL: "backward", or "backward1" and so on where they are several */
  size_t backward_count;
  const kg_pair_name *map;
  size_t map_count;
  /* Params of a backward module that do not stand for the forward's of the same name: each is one of its own, `file:name`. `means`
   * is not looked at. A grid may differ so. */
  const kg_pair_name *own;
  size_t own_count;
  bool overwrite; /* gradients must be stored; without it, one that is added to what stands there is taken to be meant so */
  bool combined;  /* the backward modules do the forward's work themselves, and run in its place */
  const kg_allocator *alloc; /* NULL: malloc */
} kg_pair_params;

/* A forward module and its backward modules, which belong together. It refers to nothing of the caller's but the allocator. */
typedef struct kg_pair kg_pair;

/* KG_INVALID, with diagnostics: a name is none, types do not fit, or nothing says what a backward buffer holds. */
KG_API kg_status kg_pair_new(const kg_module *forward, const kg_pair_params *params, const kg_sink *sink, kg_pair **out);
KG_API void kg_pair_free(kg_pair *pair);

/* What `host` and `data` of kg_audit belong to: the forward module, and after its params those that backward modules have of their
 * own, by their names, or `file:name` where the forward has that name. It lives as long as the pair. */
KG_API const kg_module *kg_pair_kernel(const kg_pair *pair);

/* Judges the backward modules: one run of the forward module, then of each backward one, on what it left. What is judged is the gradient
 * of the outputs that have a cotangent there, by the inputs that have a gradient there. `params` may be NULL; `of`, `wrt`, `mode`,
 * `accumulate`, `deterministic`, `tape_limit`, `adjoint` and `map` mean nothing. As kg_verify, it gives a verdict with KG_OK, whatever
 * it is. In that verdict an entry says whether it was ever written, and a gradient whether it is added to what stood there, and
 * where it is wrong in a pattern that is certain, which (kg_verdict_gradient). */
KG_API kg_status kg_audit(const kg_pair *pair, const kg_verify_params *params, const kg_sink *sink, kg_verdict **out);

#ifdef __cplusplus
}
#endif

#endif
