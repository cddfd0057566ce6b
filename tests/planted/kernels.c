/* Races, divergent barriers and reads of what was never written, planted in the examples, in the kernels of tests/gradients and in the
 * primitives, against `kgrad check --run`. */
#include "foundation/ir/builder.h"
#include "foundation/ir/validate.h"
#include "fuzz/ask/ask.h"
#include "tests/planted/mutate.h"
#include "tests/planted/planted.h"

#include "tools/data.h"

#include <stdio.h>
#include <string.h>

typedef enum way {
  SAME_ELEMENT, NEIGHBOUR, GROUPS, DIVERGENT_IF, DIVERGENT_LOOP, UNWRITTEN_VAR, UNWRITTEN_SHARED, WAYS
} way;
static const char *const texts[] = {
  "kernel: a race, all store to one element", "kernel: a race, a neighbour's element without a barrier",
  "kernel: a race across workgroups", "kernel: a barrier that not all reach, in a branch",
  "kernel: a barrier that not all reach, in a loop", "kernel: a var read before it is written",
  "kernel: shared memory read before it is written",
};
enum { PLACES = 3 };

typedef struct subject {
  const char *name;
  uint8_t *bytes;
  size_t size;
  tool_list param;
} subject;

static void ignore(void *user, const kg_diag *diag) { (void)user, (void)diag; }

/* ---- what check --run says ---- */

static planted_outcome check(const subject *s, const kg_module *m) {
  kg_sink sink = {ignore, NULL};
  tool_data d = {0};
  kg_reference_report r = {0};
  void *arrays[64] = {0};
  kg_status status = KG_NO_MEMORY;
  if (tool_data_make(m, &(tool_data_params){.params = s->param, .seed = 1}, &sink, &d)) {
    for (uint32_t b = 0; b < kg_module_buffer_count(m) && b < 64; b++) arrays[b] = d.array[b].data;
    status = kg_reference_run(&(kg_reference_params){.module = m, .buffers = arrays, .lengths = d.host.length,
                                                     .param_bits = d.host.param, .step_limit = 100000000,
                                                     .checks = KG_CHECK_RACES | KG_CHECK_UNINITIALISED | KG_CHECK_RANGES}, &r);
  }
  tool_data_free(&d);
  if (r.fault) return PLANTED_BY_FAILURE;
  if (r.races || r.uninitialised) return PLANTED_BY_WATCH;
  return status == KG_OK ? PLANTED_MISSED : PLANTED_NOT;
}

/* ---- what is planted ---- */

static kgi_val lane(kgi_builder *b) { return kgi_id_value(b, KGI_ID_local_index, 0); }

/* The first buffer of floats that may be stored to. */
static kgi_obj output(const kgi_program *p) {
  for (uint32_t i = 1; i < kgi_buffer_end(&p->scope); i++)
    if (p->scope.object[i].mode != KG_READ && p->scope.object[i].type == KG_F32) return (kgi_obj){i};
  return (kgi_obj){0};
}

static bool plant(kgi_builder *b, way w) {
  const kgi_val none = {0};
  kgi_val zero = kgi_f32(b, 0), first = kgi_u32(b, 0), one = kgi_u32(b, 1), few = kgi_u32(b, 3);
  kgi_obj out = output(b->p), shared = {0};
  if (w == SAME_ELEMENT || w == NEIGHBOUR || w == UNWRITTEN_SHARED) shared = kgi_shared(b, "planted", KG_F32, kgi_len_int(b, 4096));
  switch (w) {
  case SAME_ELEMENT: kgi_store(b, shared, first, zero); break;
  case NEIGHBOUR:
    kgi_store(b, shared, lane(b), zero);
    kgi_load(b, shared, kgi_op2(b, KGI_OP_xor, lane(b), one));
    break;
  case GROUPS:
    if (!out.i) return false;
    kgi_if_begin(b, kgi_op2(b, KGI_OP_eq, lane(b), first));
    kgi_store(b, out, first, zero);
    kgi_end(b);
    break;
  case DIVERGENT_IF:
    kgi_if_begin(b, kgi_op2(b, KGI_OP_lt, lane(b), one));
    kgi_barrier_here(b);
    kgi_end(b);
    break;
  case DIVERGENT_LOOP:
    kgi_for_begin(b, "k_planted", first, kgi_op2(b, KGI_OP_min, lane(b), few), none, false);
    kgi_barrier_here(b);
    kgi_end(b);
    break;
  case UNWRITTEN_VAR: kgi_load(b, kgi_var(b, "planted", KG_F32, (kgi_dim){0}), none); break;
  case UNWRITTEN_SHARED: kgi_load(b, shared, lane(b)); break;
  case WAYS: break;
  }
  return true;
}

/* The n-th of some places in a program's body: its beginning, its middle, its end. */
static kgi_cursor place(const kgi_program *p, unsigned n) {
  uint32_t count = 0;
  KGI_EACH(p, KGI_BODY, i) count++;
  uint32_t want = count * n / (PLACES - 1), k = 0;
  kgi_cursor at = kgi_at_start(KGI_BODY);
  KGI_EACH(p, KGI_BODY, i) {
    bool ends = p->inst[i].kind == KGI_return;
    if (k++ == want || ends) break;
    at = kgi_behind(p, i);
  }
  return at;
}

static kg_module *decode(const subject *s) {
  kg_module *m = NULL;
  return kg_module_decode(NULL, s->name, s->bytes, s->size, NULL, &m) == KG_OK ? m : NULL;
}

/* Where one invocation is a workgroup it races with nobody and waits for nobody. */
static bool is_alone(const kgi_program *p) {
  for (unsigned k = 0; k < 3; k++) {
    const kgi_dim_node *d = &p->scope.dim[p->workgroup[k].i];
    if (p->workgroup[k].i && (d->op != KGI_DIM_INT || d->imm != 1)) return false;
  }
  return true;
}

/* Whether the watch of fuzz/ask/watch_races.h, which is no part of the reference, sees a race across workgroups. */
static bool crosses(const subject *s, uint32_t program, unsigned where) {
  kg_module *m = decode(s);
  kgi_builder b;
  kgi_ask f = {.data = 1};
  kgi_builder_init(&b, m, NULL);
  kgi_resume_program(&b, m->program[program]);
  b.at = place(m->program[program], where);
  bool seen = plant(&b, GROUPS) && kgi_builder_status(&b) == KG_OK && kgi_races_of(&f, m) > 0;
  kg_module_free(m);
  return seen;
}

static void try(planted_table *t, const subject *s, uint32_t program, way w, unsigned where) {
  kg_module *m = decode(s);
  kgi_builder b;
  planted_outcome found = PLANTED_NOT;
  kgi_builder_init(&b, m, NULL);
  kgi_resume_program(&b, m->program[program]);
  b.at = place(m->program[program], where);
  if (plant(&b, w) && kgi_builder_status(&b) == KG_OK && kgi_validate(m, NULL) == KG_OK) found = check(s, m);
  bool alone = is_alone(m->program[program]) && (w == SAME_ELEMENT || w == DIVERGENT_IF || w == DIVERGENT_LOOP);
  kg_module_free(m);
  if (found == PLANTED_MISSED && w == GROUPS && !crosses(s, program, where)) found = PLANTED_SAME; /* one workgroup */
  if (found == PLANTED_MISSED && alone) found = PLANTED_SAME;
  if (found == PLANTED_MISSED) printf("missed: %s, program %u, place %u: %s\n", s->name, program, where, texts[w]);
  planted_count(t, texts[w], found);
}

/* A barrier or an atomic of the kernel's own, spoilt: where no race is seen, the other watch must see none either. */
static void spoil(planted_table *t, const subject *s, kgt_mutation x, kgt_defect defect) {
  const char *text = defect == KGT_DEFECT_barrier ? "kernel: a barrier left out"
                     : defect == KGT_DEFECT_atomic ? "kernel: load, add, store for an atomic add" : "kernel: a barrier that not all reach";
  kg_module *m = decode(s);
  planted_outcome found = kgt_mutate(m, x) ? check(s, m) : PLANTED_NOT;
  kgi_ask f = {.data = 1};
  if (found == PLANTED_MISSED && kgi_races_of(&f, m) <= 0) found = PLANTED_SAME;
  if (found == PLANTED_MISSED) printf("missed: %s, program %u, instruction %u: %s\n", s->name, x.program, x.inst, text);
  planted_count(t, text, found);
  kg_module_free(m);
}

/* A stated adjoint has no run of its own, and its defects do not show in what the kernel does. */
static bool is_run(const kg_module *m, uint32_t program) {
  bool run = m->lone;
  for (uint32_t i = 1; i < m->item_count; i++) run |= m->item[i].kind == KGI_ITEM_RUN && m->item[i].program == program;
  return run;
}

static void spoil_all(planted_table *t, const subject *s, const kg_module *m) {
  for (uint32_t k = 1; k < m->program_count; k++)
    for (uint32_t i = 1; is_run(m, k) && i < m->program[k]->inst_count; i++)
      for (uint32_t v = 0; v < KGT_VARIANTS; v++) {
        kgt_mutation x = {k, i, v};
        kgt_defect defect = kgt_mutation_kind(m, x);
        if (defect == KGT_DEFECT_barrier || defect == KGT_DEFECT_atomic || defect == KGT_DEFECT_divergent) spoil(t, s, x, defect);
      }
}

static void plant_in(planted_table *t, subject *s, const kg_module *module) {
  if (!module || kg_module_encode(NULL, module, NULL, &s->bytes, &s->size) != KG_OK) return;
  kg_module *m = decode(s);
  bool sound = m && check(s, m) == PLANTED_MISSED;
  t->sound++, t->invented += !sound;
  if (!sound) printf("invented: a defect in %s\n", s->name);
  for (uint32_t k = 1; sound && k < m->program_count; k++)
    for (unsigned w = 0; w < WAYS && is_run(m, k); w++)
      for (unsigned where = 0; where < (t->all ? PLACES : 1u); where++) try(t, s, k, (way)w, where);
  if (sound) spoil_all(t, s, m);
  kg_bytes_free(NULL, s->bytes, s->size);
  kg_module_free(m);
}

static void plant_in_file(planted_table *t, const planted_file *file) {
  kg_module *m = planted_read(file);
  plant_in(t, &(subject){.name = file->name, .param = planted_params(file)}, m);
  kg_module_free(m);
}

void planted_in_kernels(planted_table *t) {
  planted_each(t, "examples", plant_in_file);
  planted_each(t, "tests/gradients", plant_in_file);
  for (uint32_t k = 0; k < kg_primitive_count(); k++) {
    kg_module *m = NULL;
    const char *name = kg_primitive_at(k)->name;
    /* random offsets descend, and these assert that they do not */
    if (!strcmp(name, "segmented_sum") || !strcmp(name, "matmul_grouped")) continue;
    if (kg_primitive_build(NULL, name, NULL, 0, NULL, &m) == KG_OK) plant_in(t, &(subject){.name = name}, m);
    kg_module_free(m);
  }
}
