/* Lists of contributions, where the bits of a gradient must not depend on the order in which invocations come. The reverse sweep writes each
 * contribution and its element, at a place that is nobody else's, and a run of its own adds them to the shadow in the order of the
 * list. So the shadow is complete only behind the run, and nothing in the run may look at it. Shadows of shared memory are looked at
 * behind each barrier, and have copies instead (autodiff/emit/spread.c). */
#include "autodiff/plan/ad.h"

static void refuse(kgi_ad *a, uint32_t object, uint32_t param) {
  if (object) KGI_AD_REFUSE(a, grad_not_deterministic, a->f.p->scope.object[object].pos, kgi_ad_object_name(a, object));
  else KGI_AD_REFUSE(a, grad_not_deterministic, a->f.p->scope.param[param].pos, kgi_string(a->f.work, a->f.p->scope.param[param].name));
}

static uint32_t find(const kgi_ad *a, uint32_t object, uint32_t param, uint32_t loop) {
  uint32_t t = 0;
  while (t < a->tape_count && (a->tape[t].object != object || a->tape[t].param != param || a->tape[t].loop != loop)) t++;
  return t;
}

static bool add_tape(kgi_ad *a, kgi_ad_tape tape) {
  if (!kgi_arena_grow(&a->scratch, &a->tape, a->tape_count, &a->tape_cap, sizeof *a->tape)) return kgi_ad_fail(a, KG_NO_MEMORY), false;
  a->tape[a->tape_count++] = tape;
  return true;
}

/* A place for what is contributed in the loop. Not listed: nothing bounds the trips, and a diagnostic was sent. */
static kgi_ad_entry list(kgi_ad *a, uint32_t object, uint32_t param, uint32_t loop) {
  const kgi_scope *s = &a->f.p->scope;
  uint32_t t = find(a, object, param, loop);
  kgi_ad_tape tape = {.object = object, .param = param, .loop = loop, .type = kgi_ad_type(object ? s->object[object].type : s->param[param].type)};
  if (t == a->tape_count) {
    if (!kgi_ad_tape_loops(a, 0, loop, 0)) return refuse(a, object, param), (kgi_ad_entry){0};
    if (!add_tape(a, tape)) return (kgi_ad_entry){0};
    tape.type = KG_U32;
    if (!add_tape(a, tape)) return (kgi_ad_entry){0};
    if (a->status == KG_OK) kgi_ad_find_lanes(a);
  }
  a->tape[t + 1].values++;
  return (kgi_ad_entry){t + 1, a->tape[t].values++};
}

/* Each contribution to the object that others may meet. */
static void list_loads(kgi_ad *a, uint32_t object) {
  for (uint32_t i = a->f.object[object].first; i && a->status == KG_OK; i = a->f.access_next[i]) {
    if (a->f.p->inst[i].kind != KGI_load || !kgi_ad_active(a, i) || a->flags[i] & KGI_AD_PLAIN || a->sum_of[i]) continue;
    if (kgi_ad_can_keep(a, i)) a->entry[i] = list(a, object, 0, a->f.block[a->f.p->inst[i].block].loop);
    else refuse(a, object, 0);
  }
}

/* What each workgroup has summed up. */
static void list_sums(kgi_ad *a) {
  for (uint32_t s = 0; s < a->sum_count && a->status == KG_OK; s++)
    if (a->sum[s].way == KGI_AD_SUM_ATOMIC) a->sum[s].entry = list(a, a->sum[s].object, a->sum[s].param, 0);
}

/* As many elements as the object has for each invocation. */
static void spread(kgi_ad *a, uint32_t object) {
  const kgi_object *o = &a->f.p->scope.object[object];
  kgi_ad_tape tape = {.object = object, .type = kgi_ad_type(o->type), .values = 1};
  if (!o->scalar) tape.each = kgi_ad_lifted(a, o->length);
  if (!add_tape(a, tape)) return;
  a->object[object].spread = a->tape_count;
  kgi_ad_find_lanes(a);
}

void kgi_ad_make_lists(kgi_ad *a) {
  for (uint32_t o = 1; o < a->f.p->scope.object_count; o++) {
    if (a->object[o].share == KGI_AD_LISTED) list_loads(a, o);
    if (a->object[o].share == KGI_AD_SPREAD && a->status == KG_OK) spread(a, o);
  }
  if (a->req.deterministic && !a->req.alone) list_sums(a);
}
