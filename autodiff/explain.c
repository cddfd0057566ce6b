/* What was decided about each run, in words. Nothing is decided here: it is read from the plan. */
#include "autodiff/explain.h"

/* ---- runs ---- */

static const char *role_of(const kgi_ad_run *r) {
  if (!r->has_content) return "nothing";
  if (r->stated) return "stated";
  if (r->fused) return "combined";
  return r->forward ? "taped" : "separate";
}

static const char *space_of(unsigned space) { return space == KGI_SHARED ? "shared " : space == KGI_VAR ? "var " : ""; }

/* `list`, `what` `name`; all in one text. */
static const char *listed(kgi_explainer *x, const char *list, const char *what, const char *name) {
  return kgi_explain_text(x, "%s%s%s%s", list, *list ? ", " : "", what, name);
}

static const char *active_in(kgi_explainer *x) {
  const kgi_scope *s = &x->a->f.p->scope;
  const char *list = "";
  for (uint32_t o = 1; o < s->object_count && x->r->has_content; o++)
    if (kgi_ad_active_object(x->a, o) && o < x->a->f.made_from)
      list = listed(x, list, space_of(s->object[o].space), kgi_ad_object_name(x->a, o));
  for (uint32_t q = 1; q < s->param_count && x->r->has_content; q++)
    if (x->a->f.param_value[q] && kgi_ad_active(x->a, x->a->f.param_value[q]))
      list = listed(x, list, "param ", kgi_string(x->g->work, s->param[q].name));
  return list;
}

static void add_run(kgi_explainer *x) {
  kgi_explanation *to = x->to;
  if (!kgi_arena_grow(to->arena, &to->run, to->run_count, &to->run_cap, sizeof *to->run)) return;
  kgi_pos pos = x->g->m->lone ? x->a->f.p->pos : x->g->m->item[x->r->item].pos;
  const char *program = kgi_explain_text(x, "%s", kgi_string(x->g->work, x->a->f.p->name)), *active = active_in(x);
  to->run[to->run_count++] = (kg_grad_run){.program = program, .line = kgi_pos_line(pos), .role = role_of(x->r), .active = active};
}

/* ---- tapes ---- */

static void add_tape(kgi_explainer *x, uint32_t t) {
  kgi_explanation *to = x->to;
  const kgi_ad_tape *tape = &x->a->tape[t];
  kgi_explained_length length = kgi_explain_tape(x, t, tape->values);
  const char *buffer = kgi_explain_tape_name(x, t);
  if (!kgi_arena_grow(to->arena, &to->tape, to->tape_count, &to->tape_cap, sizeof *to->tape)) return;
  to->tape[to->tape_count++] = (kg_grad_tape){.run = to->run_count - 1, .buffer = buffer, .type = tape->type, .elements = length.text,
                                              .bytes = kgi_explain_bytes(length, tape->type), .list = kgi_ad_is_list(tape),
                                              .copy_of = ""};
}

/* `copy`: an object of the result, for the buffer of the run's program; it holds so many rounds, {0}: it is in no repeat,
 * of a part of such a length, {0}: of all. */
static void add_copy(kgi_explainer *x, uint32_t object, uint32_t copy, kgi_dim rounds, kgi_dim part) {
  kgi_explanation *to = x->to;
  kg_module *work = x->g->work;
  kgi_dim factor[2];
  unsigned count = 0;
  uint32_t bound = kgi_ad_bound(x->g, x->r, object);
  const kgi_object *of = &x->g->m->scope.object[bound];
  if (!copy) return;
  if (rounds.i) factor[count++] = rounds;
  if (part.i) factor[count++] = part;
  else if (!of->scalar) factor[count++] = of->length.i ? of->length : kgi_dim_leaf(&work->arena, &work->scope, KGI_DIM_LEN, bound);
  kgi_explained_length length = kgi_explain_length(x, factor, count, 1);
  const char *buffer = kgi_explain_text(x, "%s", kgi_string(x->g->out, x->g->out->scope.object[copy].name));
  const char *name = kgi_explain_text(x, "%s", kgi_string(x->g->m, of->name));
  if (!kgi_arena_grow(to->arena, &to->tape, to->tape_count, &to->tape_cap, sizeof *to->tape)) return;
  to->tape[to->tape_count++] = (kg_grad_tape){.run = to->run_count - 1, .buffer = buffer, .type = (kg_type)of->type, .copy_of = name,
                                              .elements = length.text, .bytes = kgi_explain_bytes(length, (kg_type)of->type)};
}

/* ---- segments ---- */

static void add_segments(kgi_explainer *x, const kgi_ad_segments *c) {
  kgi_explanation *to = x->to;
  const kgi_item *item = &x->g->m->item[c->repeat];
  const char *buffers = "";
  for (uint32_t o = 1; o < x->g->m->scope.object_count; o++)
    if (c->slices[o]) buffers = listed(x, buffers, "", kgi_string(x->g->m, x->g->m->scope.object[o].name));
  const char *repeat = kgi_explain_text(x, "%s", kgi_string(x->g->m, item->name));
  kgi_explained_length count = kgi_explain_length(x, &c->slots, 1, 1);
  if (!kgi_arena_grow(to->arena, &to->segment, to->segment_count, &to->segment_cap, sizeof *to->segment)) return;
  to->segment[to->segment_count++] = (kg_grad_segments){
      .repeat = repeat, .line = kgi_pos_line(item->pos), .rounds = c->rounds, .group = c->group, .buffers = buffers, .snapshots = count.text,
      .bytes = (uint64_t)kgi_ad_copies(c), .rounds_again = (uint64_t)(c->trips * c->around) * (c->group > 1 ? 2 : 1)};
}

void kgi_ad_explain(const kgi_ad_module *g, kgi_explanation *to) {
  kgi_explainer of_module = {.g = g, .to = to};
  for (uint32_t i = 0; i < g->segment_count && !to->arena->failed; i++) add_segments(&of_module, &g->segments[i]);
  for (uint32_t i = 0; i < g->run_count && !to->arena->failed; i++) {
    kgi_explainer x = {.g = g, .to = to, .r = &g->run[i], .a = &g->run[i].ad};
    add_run(&x);
    if (!x.r->has_content) continue;
    if (!x.r->stated) {
      kgi_explain_values(&x);
      kgi_explain_checkpoints(&x);
      kgi_explain_shares(&x);
    }
    for (uint32_t t = 0; t < x.a->tape_count; t++) add_tape(&x, t);
    for (uint32_t o = 1; o < kgi_buffer_end(&x.a->f.p->scope); o++) {
      if (x.r->aside) add_copy(&x, o, x.r->aside[o], x.r->aside_rounds, x.a->object[o].part_length);
      if (x.r->end && kgi_ad_first_end(g, x.r, o) == o) add_copy(&x, o, x.r->end[o], x.a->rounds, x.a->object[o].part_length);
    }
    if (x.a->scratch.failed) to->arena->failed = true; /* an analysis was asked again */
  }
}
