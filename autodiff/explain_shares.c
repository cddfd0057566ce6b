/* How contributions to each shadow meet, with the proof, or what stands against one. */
#include "autodiff/explain.h"
#include "foundation/analysis/distinct.h"

enum { MOST_PARTNERS = 64 };

typedef struct loads {
  uint32_t contended[MOST_PARTNERS], count; /* those whose contributions may meet another invocation's; as many as there is room for */
  uint32_t plain, summed, all;
  uint32_t first; /* of all */
} loads;

static bool is_own(const kgi_ad *a, uint32_t i) { return a->flags[i] & KGI_AD_PLAIN; }

static loads loads_of(const kgi_ad *a, uint32_t object) {
  loads found = {.count = 0};
  for (uint32_t i = a->f.object[object].first; i; i = a->f.access_next[i]) {
    if (a->f.p->inst[i].kind != KGI_load || !kgi_ad_active(a, i)) continue;
    if (!found.all++) found.first = i;
    if (is_own(a, i)) found.plain++;
    else if (a->sum_of[i]) found.summed++;
    if (!is_own(a, i) && found.count < MOST_PARTNERS) found.contended[found.count++] = i;
  }
  return found;
}

static unsigned wanted(const kgi_ad *a, uint32_t object) {
  return a->f.p->scope.object[object].space == KGI_SHARED ? KGI_OWN_IN_INTERVAL : KGI_OWN_IN_INTERVAL | KGI_OWN_ACROSS;
}

/* The first access whose element another invocation may have too, by itself or by which other one. */
static const char *why_contended(kgi_explainer *x, uint32_t object, const loads *l) {
  const kgi_ad *a = x->a;
  unsigned want = wanted(a, object);
  uint32_t pair[2] = {l->contended[0]}, line = kgi_explain_line(x, pair[0]);
  unsigned alone = a->distinct ? kgi_disjoint(a->distinct, pair, 1, NULL) : 0;
  if ((alone & want) != want) {
    const char *who = alone & KGI_OWN_IN_INTERVAL ? "an invocation of another workgroup" : "another invocation";
    return kgi_explain_text(x, "%s may load the same element in line %u", who, line);
  }
  for (uint32_t k = 1; k < l->count; k++) {
    pair[1] = l->contended[k];
    if ((kgi_disjoint(a->distinct, pair, 2, NULL) & want) != want)
      return kgi_explain_text(x, "what one invocation loads in line %u another one may load in line %u", line,
                              kgi_explain_line(x, pair[1]));
  }
  return kgi_explain_text(x, "what one invocation loads in line %u another one may load elsewhere", line);
}

static const char *why_own(kgi_explainer *x, uint32_t object, const loads *l) {
  if (x->a->req.alone) return "there is one invocation in all";
  if (x->a->f.object[object].writes)
    return "no two invocations load one element between two barriers, or the one that does stores to it too";
  return kgi_explain_text(x, "no two invocations load one element: line %u", kgi_explain_line(x, l->first));
}

/* What is said besides of an object that holds a sum over the workgroup. */
static const char *and_tree(kgi_explainer *x, uint32_t object, const char *why) {
  for (uint32_t t = 0; t < x->a->tree_count; t++) {
    const kgi_ad_tree *tree = &x->a->tree[t];
    if (tree->object != object) continue;
    uint32_t line = kgi_explain_line(x, tree->loop);
    return kgi_explain_text(x, "%s; the sum over the workgroup in line %u goes back in one step", why, line);
  }
  return why;
}

static void add(kgi_explainer *x, const char *object, const char *how, const char *why) {
  kgi_explanation *to = x->to;
  if (!kgi_arena_grow(to->arena, &to->share, to->share_count, &to->share_cap, sizeof *to->share)) return;
  const char *name = kgi_explain_text(x, "%s", object);
  to->share[to->share_count++] = (kg_grad_share){.run = to->run_count - 1, .object = name, .how = how, .why = why};
}

static void explain(kgi_explainer *x, uint32_t object) {
  const kgi_ad_object *o = &x->a->object[object];
  const char *name = kgi_ad_object_name(x->a, object);
  loads l = loads_of(x->a, object);
  if (!l.all) return;
  bool sole = o->share == KGI_AD_SOLE, summed = l.summed && l.summed + l.plain == l.all;
  if ((sole || o->share == KGI_AD_OWN) && l.summed)
    return add(x, name, sole ? "stored" : "own", kgi_explain_text(x, "the whole workgroup loads the same element in line %u, and no other one does%s",
               kgi_explain_line(x, l.contended[0]), sole ? "; every element is some workgroup's" : ""));
  if (o->share == KGI_AD_OWN) return add(x, name, "own", and_tree(x, object, why_own(x, object, &l)));
  bool stored = o->share == KGI_AD_COLLECTED, collected = stored || o->share == KGI_AD_COLLECTED_TO;
  if (collected && !o->homes)
    return add(x, name, stored ? "stored" : "own", kgi_explain_text(x, "lanes add up for one another what goes to it in line %u, and each element is one lane's",
               kgi_explain_line(x, l.contended[0])));
  if (collected && o->front && o->home[0])
    return add(x, name, "own", kgi_explain_text(x, "the load in line %u reaches each element once, up to some number, and who makes it collects what its "
               "neighbours add; what goes past that is added atomically", kgi_explain_line(x, o->home[0])));
  if (collected && o->front)
    return add(x, name, "own", kgi_explain_text(x, "each element, up to some number, is some invocation's by its ids, which collects what its neighbours "
               "add in line %u; what goes past that is added atomically", kgi_explain_line(x, l.contended[0])));
  if (collected && !o->home[0])
    return add(x, name, stored ? "stored" : "own", kgi_explain_text(x, "each element is some invocation's by its ids, which collects what its neighbours add in line %u",
               kgi_explain_line(x, l.contended[0])));
  if (collected)
    return add(x, name, stored ? "stored" : "own", kgi_explain_text(x, "the load in line %u reaches every element once, and who makes it collects what its neighbours add",
               kgi_explain_line(x, o->home[0])));
  uint32_t line = kgi_explain_line(x, sole ? o->stored_load : l.contended[0]);
  if (sole && o->reached.i)
    return add(x, name, "stored", kgi_explain_text(x, "what is loaded in line %u reaches each element once, up to some number; the rest is zeroed", line));
  if (sole) return add(x, name, "stored", kgi_explain_text(x, "the load in line %u reaches every element once", line));
  if (o->share == KGI_AD_LISTED) return add(x, name, "gathered", summed ? "the whole workgroup loads the same element" : why_contended(x, object, &l));
  if (o->share == KGI_AD_SPREAD) return add(x, name, "gathered", and_tree(x, object, why_contended(x, object, &l)));
  if (!summed) return add(x, name, "atomic", and_tree(x, object, why_contended(x, object, &l)));
  add(x, name, "summed", kgi_explain_text(x, "the whole workgroup loads the same element in line %u", line));
}

static const kgi_ad_sum *sum_of(const kgi_ad *a, uint32_t param) {
  uint32_t s = 0;
  while (a->sum[s].param != param) s++;
  return &a->sum[s];
}

static void explain_param(kgi_explainer *x, uint32_t param) {
  const kgi_ad_sum *sum = sum_of(x->a, param);
  const char *how = sum->entry.tape ? "gathered" : sum->way == KGI_AD_SUM_STORED ? "stored" : sum->way == KGI_AD_SUM_ADDED ? "own" : "summed";
  const char *why = sum->way == KGI_AD_SUM_ATOMIC ? "every invocation has it" : "every invocation of the only workgroup has it";
  add(x, kgi_string(x->g->work, x->a->f.p->scope.param[param].name), how, why);
}

void kgi_explain_shares(kgi_explainer *x) {
  const kgi_scope *s = &x->a->f.p->scope;
  for (uint32_t o = 1; o < s->object_count; o++)
    if (kgi_ad_active_object(x->a, o) && s->object[o].space != KGI_VAR) explain(x, o);
  for (uint32_t q = 1; q < s->param_count; q++)
    if (x->a->f.param_value[q] && kgi_ad_active(x->a, x->a->f.param_value[q]))
      explain_param(x, q);
}
