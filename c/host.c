/* The function that a host calls: it does in C what foundation/host/layout.c does, and runs the kernels. */
#include "c/arguments.h"
#include "c/emit.h"
#include "foundation/host/layout.h"
#include "foundation/ir/slices.h"

#include <inttypes.h>

/* ---- lengths ---- */

static bool is_signed_word(unsigned type) { return kgi_type_kind_of(type) == KGI_SINT && kgi_type_bits(type) == 32; }

static const char *length_of(kgi_c_emit *e, const void *names, uint32_t i) {
  (void)names;
  return kgi_c_format(e, "kg_n[%u]", i - 1);
}

/* The module's are arguments, ... */
static const char *outer_param(kgi_c_emit *e, const void *names, uint32_t i) {
  const kgi_c_arguments *a = names;
  if (a->m->scope.param[i].type == KG_U64) return kgi_c_format(e, "kg_size_of_u64(kg_h, %s)", a->param[i]);
  return kgi_c_format(e, "(int64_t)%s", a->param[i]);
}

/* ... a program's are bits that its run passes. */
static const char *inner_param(kgi_c_emit *e, const void *names, uint32_t i) {
  const kgi_scope *s = names;
  unsigned type = s->param[i].type;
  if (type == KG_U64) return kgi_c_format(e, "kg_size_of_u64(kg_h, kg_q[%u])", i - 1);
  return kgi_c_format(e, "(int64_t)%skg_q[%u]", is_signed_word(type) ? "(int32_t)(uint32_t)" : "", i - 1);
}

static const char *outer_dim(kgi_c_emit *e, const kgi_c_arguments *a, kgi_dim dim) {
  kgi_c_dims dims = {.scope = &a->m->scope, .host = true, .names = a, .length = length_of, .param = outer_param};
  return kgi_c_dim_of(e, &dims, dim);
}

static const char *inner_dim(kgi_c_emit *e, const kgi_scope *s, kgi_dim dim) {
  return kgi_c_dim_of(e, &(kgi_c_dims){.scope = s, .host = true, .names = s, .length = length_of, .param = inner_param}, dim);
}

/* Each extent of a declaration is a size by itself. */
static void extents(kgi_c_emit *e, const kgi_object *o, const char *const *text) {
  for (unsigned k = 0; k < o->rank; k++) kgi_c_line(e, "kg_size_within(kg_h, %s, 0, INT32_MAX);", text[k]);
}

/* ---- the runs of a program ---- */

static void inner_lengths(kgi_c_emit *e, const kgi_scope *s, uint32_t buffers) {
  const char *text[KGI_MAX_RANK];
  if (buffers) kgi_c_line(e, "int64_t kg_n[%u];", buffers);
  for (uint32_t i = 1; i <= buffers; i++) {
    const kgi_object *o = &s->object[i];
    for (unsigned k = 0; k < o->rank; k++) text[k] = inner_dim(e, s, o->extent[k]);
    extents(e, o, text);
    if (!o->scalar && !o->length.i) kgi_c_line(e, "kg_n[%u] = kg_b[%u].to - kg_b[%u].from;", i - 1, i - 1, i - 1);
    else kgi_c_line(e, "kg_n[%u] = kg_declared(kg_h, %s, &kg_b[%u]);", i - 1, o->scalar ? "1" : inner_dim(e, s, o->length), i - 1);
  }
}

/* Of every `while`, whether or not it is reached. */
static void limits(kgi_c_emit *e, const kgi_program *p) {
  for (uint32_t i = 1; i < p->inst_count; i++) {
    kgi_dim limit = {p->inst[i].arg[3]};
    if (p->inst[i].kind == KGI_while && p->inst[i].block && limit.i && p->scope.dim[limit.i].op != KGI_DIM_INT)
      kgi_c_line(e, "(void)%s;", inner_dim(e, &p->scope, limit));
  }
}

/* What the kernel takes: the memory, and lengths of 32 bits. */
static void tables(kgi_c_emit *e, uint32_t buffers) {
  kgi_c_text at = {.arena = e->arena}, length = {.arena = e->arena};
  for (uint32_t i = 0; i < buffers; i++) {
    kgi_c_put(&at, "%skg_b[%u].at", i ? ", " : "", i);
    kgi_c_put(&length, "%s(uint32_t)kg_n[%u]", i ? ", " : "", i);
  }
  if (!buffers) return;
  kgi_c_line(e, "void *const kg_at[] = {%s};", at.at);
  kgi_c_line(e, "const uint32_t kg_lengths[] = {%s};", length.at);
}

static void starter(kgi_c_emit *e, uint32_t index) {
  const kgi_program *p = e->m->program[index];
  uint32_t buffers = kgi_buffer_end(&p->scope) - 1;
  int64_t size[3] = {1, 1, 1};
  for (unsigned k = 0; k < 3; k++)
    if (p->workgroup[k].i && kgi_dim_eval(&p->scope, p->workgroup[k], &(kgi_dim_env){0}, &size[k]) != KGI_DIM_OK)
      kgi_c_refuse(e, KG_INVALID);
  kgi_c_line(e, "static __attribute__((unused)) void kg_run_%u(struct kg_call *kg_h, const struct kg_bound *kg_b,", index);
  kgi_c_line(e, "    const uint64_t *kg_q, const int64_t *kg_g, bool kg_each) {");
  e->depth++;
  inner_lengths(e, &p->scope, buffers);
  limits(e, p);
  tables(e, buffers);
  kgi_c_line(e, "static const uint32_t kg_size[3] = {%" PRId64 ", %" PRId64 ", %" PRId64 "};", size[0], size[1], size[2]);
  const char *grid[3];
  for (unsigned k = 0; k < 3; k++) grid[k] = p->grid[k].i ? inner_dim(e, &p->scope, p->grid[k]) : "1";
  bool own = kgi_dim_is_set(p->grid);
  if (own) kgi_c_line(e, "const int64_t kg_own[3] = {%s, %s, %s};", grid[0], grid[1], grid[2]);
  const char *memory = buffers ? ".buffer = kg_at, .length = kg_lengths, " : "", *each = p->grid_is_invocations ? "true" : "false";
  kgi_c_line(e, "struct kg_args kg_a = {%s.param = kg_q};", memory);
  const char *which = own ? kgi_c_format(e, "kg_g ? kg_g : kg_own, kg_g ? kg_each : %s", each) : "kg_g, kg_each";
  kgi_c_line(e, "kg_dispatch(kg_h, kg_kernel_%u, &kg_a, kg_size, %s);", index, which);
  e->depth--;
  kgi_c_line(e, "}\n");
}

/* ---- one run ---- */

static const char *constant(kgi_c_emit *e, uint64_t bits) { return kgi_c_format(e, "UINT64_C(0x%" PRIx64 ")", bits); }

static const char *bits_of_argument(kgi_c_emit *e, const kgi_c_arguments *a, uint32_t i) {
  const char *name = a->param[i];
  unsigned type = a->m->scope.param[i].type;
  if (type == KG_F32 || type == KG_F64) return kgi_c_format(e, "kg_bits_of_%s(%s)", kg_type_name((kg_type)type), name);
  if (type == KG_BOOL) return kgi_c_format(e, "(uint64_t)(%s ? 1 : 0)", name);
  return kgi_c_format(e, "(uint64_t)%s%s", is_signed_word(type) ? "(uint32_t)" : "", name);
}

/* An expression over integers, as a number of the param's type. */
static const char *bits_of_integer(kgi_c_emit *e, unsigned type, const char *text) {
  if (type == KG_F32) return kgi_c_format(e, "kg_bits_of_f32((float)(double)%s)", text);
  if (type == KG_F64) return kgi_c_format(e, "kg_bits_of_f64((double)%s)", text);
  if (type == KG_F16) return kgi_c_format(e, "kg_bits_of_f16(%s)", text);
  if (type == KG_BOOL) return kgi_c_format(e, "(uint64_t)kg_size_within(kg_h, %s, 0, 255)", text);
  if (type == KG_I32) return kgi_c_format(e, "(uint32_t)kg_size_within(kg_h, %s, INT32_MIN, INT32_MAX)", text);
  if (type == KG_U32) return kgi_c_format(e, "(uint64_t)kg_size_within(kg_h, %s, 0, UINT32_MAX)", text);
  if (type == KG_U64) return kgi_c_format(e, "(uint64_t)kg_size_within(kg_h, %s, 0, INT64_MAX)", text);
  return kgi_c_format(e, "(uint64_t)%s", text);
}

static const char *passed(kgi_c_emit *e, const kgi_c_arguments *a, const kgi_param *p, uint32_t dim) {
  const kgi_scope *outer = &a->m->scope;
  const kgi_dim_node *n = &outer->dim[dim];
  uint64_t bits;
  if (!dim) return constant(e, p->bits);
  if (n->op == KGI_DIM_PARAM && outer->param[n->a].type == p->type) return bits_of_argument(e, a, n->a);
  if (kgi_dim_eval_bits(outer, (kgi_dim){dim}, &(kgi_dim_env){0}, (kg_type)p->type, &bits) == KGI_DIM_OK) return constant(e, bits);
  return bits_of_integer(e, p->type, outer_dim(e, a, (kgi_dim){dim}));
}

static const char *memory_of(kgi_c_emit *e, const kgi_c_arguments *a, uint32_t object) {
  uint32_t first = a->blocks.of[object];
  return a->own[first] ? kgi_c_format(e, "kg_t%u", first) : a->pointer[first];
}

static const char *bound(kgi_c_emit *e, const kgi_c_arguments *a, uint32_t item, uint32_t i) {
  const kgi_item *run = &e->m->item[item];
  const kgi_object *inner = &e->m->program[run->program]->scope.object[i];
  uint32_t to = e->m->bind[run->binding + i - 1];
  const char *at = memory_of(e, a, to), *length = length_of(e, a, to);
  kgi_slice slice = kgi_run_slice(e->m, item, i);
  if (!kgi_is_slice(slice)) return kgi_c_format(e, "kg_whole(%s, %s)", at, length);
  const char *from = outer_dim(e, a, slice.from), *end = outer_dim(e, a, slice.to);
  const char *written = inner->mode == KG_READ ? "false" : "true";
  unsigned size = (unsigned)kg_type_size((kg_type)inner->type);
  return kgi_c_format(e, "kg_slice(kg_h, %s, %s, %s, %s, %u, %u, %s)", at, length, from, end, size, to, written);
}

/* Several slices of a run may be of one buffer. */
static void bind(kgi_c_emit *e, const kgi_c_arguments *a, uint32_t item) {
  uint32_t buffers = kgi_buffer_end(&e->m->program[e->m->item[item].program]->scope) - 1, slices = 0;
  if (!buffers) return;
  kgi_c_line(e, "const struct kg_bound kg_b[] = {");
  for (uint32_t i = 1; i <= buffers; i++) {
    const char *text = bound(e, a, item, i);
    slices += kgi_is_slice(kgi_run_slice(e->m, item, i));
    kgi_c_line(e, "  %s,", text);
  }
  kgi_c_line(e, "};");
  if (slices > 1) kgi_c_line(e, "kg_keep_apart(kg_h, kg_b, %u);", buffers);
}

static void run(kgi_c_emit *e, const kgi_c_arguments *a, uint32_t item) {
  const kgi_item *r = &e->m->item[item];
  const kgi_scope *s = &e->m->program[r->program]->scope;
  uint32_t buffers = kgi_buffer_end(s) - 1;
  const uint32_t *passes = e->m->bind + r->binding + buffers;
  kgi_c_line(e, "if (!kg_h->fault) {");
  e->depth++;
  bind(e, a, item);
  if (s->param_count > 1) kgi_c_line(e, "const uint64_t kg_q[] = {");
  for (uint32_t i = 1; i < s->param_count; i++) {
    const char *text = passed(e, a, &s->param[i], passes[i - 1]);
    kgi_c_line(e, "  %s,", text);
  }
  if (s->param_count > 1) kgi_c_line(e, "};");
  const char *grid[3];
  for (unsigned k = 0; k < 3; k++) grid[k] = r->grid[k].i ? outer_dim(e, a, r->grid[k]) : "1";
  bool stated = kgi_dim_is_set(r->grid);
  if (stated) kgi_c_line(e, "const int64_t kg_g[3] = {%s, %s, %s};", grid[0], grid[1], grid[2]);
  kgi_c_line(e, "kg_run_%u(kg_h, %s, %s, %s, %s);", r->program, buffers ? "kg_b" : "NULL", s->param_count > 1 ? "kg_q" : "NULL",
             stated ? "kg_g" : "NULL", r->grid_is_invocations ? "true" : "false");
  e->depth--;
  kgi_c_line(e, "}");
}

/* ---- the order of work ---- */

static bool has_runs(const kg_module *m, uint32_t first) {
  for (uint32_t i = first; i; i = m->item[i].next)
    if (m->item[i].kind == KGI_ITEM_RUN || has_runs(m, m->item[i].first)) return true;
  return false;
}

static void items(kgi_c_emit *e, const kgi_c_arguments *a, uint32_t first, unsigned nested);

static void repeat(kgi_c_emit *e, const kgi_c_arguments *a, uint32_t i, unsigned nested) {
  const kgi_item *r = &e->m->item[i];
  const char *from = outer_dim(e, a, r->from), *to = outer_dim(e, a, r->to), *step = r->step.i ? outer_dim(e, a, r->step) : "1";
  kgi_c_line(e, "if (!kg_h->fault) {");
  e->depth++;
  kgi_c_line(e, "const int64_t kg_from%u = %s, kg_to%u = %s, kg_step%u = %s;", i, from, i, to, i, step);
  kgi_c_line(e, "const uint64_t kg_trips%u = kg_trips_of(kg_h, kg_from%u, kg_to%u, kg_step%u);", i, i, i, i);
  kgi_c_line(e, "for (uint64_t kg_trip%u = 0; kg_trip%u < kg_trips%u && !kg_h->fault; kg_trip%u++) {", i, i, i, i);
  e->depth++;
  const char *trip = r->reversed ? kgi_c_format(e, "(kg_trips%u - 1 - kg_trip%u)", i, i) : kgi_c_format(e, "kg_trip%u", i);
  kgi_c_line(e, "const int64_t kg_k%u = (int64_t)((uint64_t)kg_from%u + %s * (uint64_t)kg_step%u);", i, i, trip, i);
  items(e, a, r->first, nested + 1);
  e->depth--;
  kgi_c_line(e, "}");
  e->depth--;
  kgi_c_line(e, "}");
}

static void items(kgi_c_emit *e, const kgi_c_arguments *a, uint32_t first, unsigned nested) {
  for (uint32_t i = first; i; i = e->m->item[i].next) {
    if (e->m->item[i].kind == KGI_ITEM_RUN) run(e, a, i);
    else if (nested >= KGI_MAX_REPEATS) {
      KGI_DIAG(e->diags, too_large, e->m->item[i].pos, "the nesting of repeats", KGI_NUM(KGI_MAX_REPEATS));
      kgi_c_refuse(e, KG_INVALID);
    } else if (has_runs(e->m, e->m->item[i].first)) repeat(e, a, i, nested);
  }
}

/* ---- the function ---- */

/* What the host states is known to every declaration. */
static void outer_lengths(kgi_c_emit *e, const kgi_c_arguments *a) {
  const kgi_scope *s = &e->m->scope;
  const char *text[KGI_MAX_RANK];
  if (s->object_count > 1) kgi_c_line(e, "int64_t kg_n[%u] = {0};", s->object_count - 1);
  for (uint32_t i = 1; i < s->object_count; i++)
    if (a->length[i]) kgi_c_line(e, "kg_n[%u] = %s;", i - 1, a->length[i]);
  for (uint32_t i = 1; i < s->object_count; i++) {
    const kgi_object *o = &s->object[i];
    for (unsigned k = 0; k < o->rank; k++) text[k] = outer_dim(e, a, o->extent[k]);
    extents(e, o, text);
    if (o->scalar) kgi_c_line(e, "kg_n[%u] = 1;", i - 1);
    else if (o->length.i) kgi_c_line(e, "kg_n[%u] = kg_size_within(kg_h, %s, 0, UINT32_MAX);", i - 1, outer_dim(e, a, o->length));
  }
}

static void temporary(kgi_c_emit *e, const kgi_c_arguments *a, uint32_t block) {
  const kgi_scope *s = &e->m->scope;
  kgi_c_line(e, "uint64_t kg_bytes%u = 0;", block);
  for (uint32_t i = block; i < s->object_count; i++) {
    const kgi_object *o = &s->object[i];
    unsigned size = (unsigned)kg_type_size((kg_type)o->type), stride = o->view ? o->stride : size;
    if (a->blocks.of[i] != block) continue;
    kgi_c_line(e, "kg_bytes%u = kg_reach(kg_h, kg_bytes%u, kg_n[%u], %u, %u, %u, %u, %u);", block, block, i - 1, size, o->offset,
               stride, o->row, o->every);
  }
  kgi_c_line(e, "unsigned char *const kg_t%u = kg_room(kg_h, kg_bytes%u);", block, block);
}

static void function(kgi_c_emit *e, const kgi_c_arguments *a) {
  uint32_t objects = e->m->scope.object_count;
  kgi_c_text prototype = {.arena = e->arena};
  kgi_c_prototype(&prototype, a);
  const char *text = prototype.at ? prototype.at : "";
  kgi_c_line(e, "%s;", text);
  kgi_c_line(e, "%s {", text);
  e->depth++;
  kgi_c_line(e, "struct kg_call kg_call = {0}, *const kg_h = &kg_call;");
  outer_lengths(e, a);
  for (uint32_t i = 1; i < objects; i++)
    if (a->own[i]) temporary(e, a, i);
  items(e, a, e->m->first_item, 0);
  for (uint32_t i = 1; i < objects; i++)
    if (a->own[i]) kgi_c_line(e, "free(kg_t%u);", i);
  kgi_c_line(e, "return kg_h->fault;");
  e->depth--;
  kgi_c_line(e, "}");
}

void kgi_c_host(kgi_c_emit *e, const kg_allocator *alloc) {
  kgi_c_arguments a;
  e->depth = 0;
  bool made = kgi_c_arguments_make(&a, alloc, e->m);
  if (!made) kgi_c_refuse(e, KG_NO_MEMORY);
  kgi_c_line(e, "#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n");
  for (uint32_t i = 1; made && i < e->m->program_count; i++) starter(e, i);
  if (made) function(e, &a);
  kgi_c_arguments_free(&a);
}
