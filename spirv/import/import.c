/* From the bytes of a module to a program: kg_spirv_import. */
#include "spirv/import/import.h"
#include "foundation/base/floats.h"
#include "foundation/ir/validate.h"
#include "foundation/passes/clean.h"
#include "foundation/passes/passes.h"
#include "foundation/passes/specialise.h"

#include <stdio.h>
#include <string.h>

enum { BASE_MEMORY = 1 << 28, MEMORY_PER_BYTE = 1 << 10 };

/* ---- the entry point ---- */

/* What does not fit is left out. */
static void append_name(char list[200], const char *name) {
  size_t used = strlen(list);
  if (used + strlen(name) + 3 < 200) snprintf(list + used, 200 - used, "%s%s", used ? ", " : "", name);
}

static bool find_entry(kgi_import *im, const char *wanted) {
  uint32_t found = 0;
  char names[200] = "", what[100] = "are there";
  for (uint32_t at = 5; at < im->words && kgi_im_fine(im); at = kgi_im_next(im, at)) {
    kgi_im_inst x = kgi_im_at(im, at);
    if (x.op == SpvOpFunction) break;
    if (x.op != SpvOpEntryPoint || kgi_im_arg(im, &x, 0) != SpvExecutionModelGLCompute) continue;
    const char *name = kgi_im_string(im, &x, 2);
    append_name(names, name);
    if (wanted && strcmp(wanted, name)) continue;
    if (!found++) im->entry = kgi_im_arg(im, &x, 1), im->entry_at = at;
  }
  if (!kgi_im_fine(im)) return false;
  if (found == 1) return true;
  if (wanted) snprintf(what, sizeof what, "are named %.80s", wanted);
  KGI_DIAG(im->diags, import_entry, 0, KGI_NUM(found), what, *names ? names : "none");
  im->status = KG_INVALID;
  return false;
}

/* The constant that is the workgroup's size whatever else is said. */
static uint32_t stated_size(kgi_import *im) {
  for (uint32_t id = 1; id < im->bound; id++) {
    uint32_t builtin = 0;
    if (!im->def[id] || !kgi_im_decorated(im, id, KGI_IM_NONE, SpvDecorationBuiltIn, &builtin)) continue;
    kgi_im_inst x = kgi_im_def(im, id);
    bool constant = x.op == SpvOpConstantComposite || x.op == SpvOpSpecConstantComposite;
    if (builtin == SpvBuiltInWorkgroupSize && constant) return x.at;
  }
  return 0;
}

/* Hosts that always state it leave 0 as the default. */
static void refuse_empty(kgi_import *im, uint32_t size, kgi_dim dim) {
  char name[64];
  int64_t is = 1;
  if (!kgi_im_fine(im) || kgi_dim_eval(&im->b.p->scope, dim, &(kgi_dim_env){0}, &is) != KGI_DIM_OK || is) return;
  if (!kgi_im_unsaid(im, size, name)) return; /* who validates says that it is 0 */
  KGI_DIAG(im->diags, import_workgroup, 0, name);
  im->status = KG_INVALID;
}

static void set_workgroup(kgi_import *im) {
  kgi_im_inst size = {.args = 0}, stated = kgi_im_at(im, stated_size(im));
  bool ids = true;
  for (uint32_t at = 5; at < im->words; at = kgi_im_next(im, at)) {
    kgi_im_inst x = kgi_im_at(im, at);
    if (x.op == SpvOpFunction) break;
    bool is_mode = (x.op == SpvOpExecutionMode || x.op == SpvOpExecutionModeId) && x.args == 5 && x.arg[0] == im->entry;
    if (!is_mode || (x.arg[1] != SpvExecutionModeLocalSize && x.arg[1] != SpvExecutionModeLocalSizeId)) continue;
    size = x, size.arg += 2, size.args = 3, ids = x.arg[1] == SpvExecutionModeLocalSizeId;
  }
  if (stated.args == 3) size = stated, ids = true;
  if (size.args != 3) return (void)kgi_im_malformed(im, im->entry_at, "an entry point that states no size of its workgroup");
  int64_t last[3] = {0};
  for (unsigned k = 0; k < 3 && kgi_im_fine(im); k++) {
    if (ids && !kgi_im_known(im, size.arg[k], &last[k])) last[k] = 2;
    else if (!ids) last[k] = size.arg[k];
    im->b.p->workgroup[k] = ids ? kgi_im_dim(im, size.arg[k]) : kgi_len_int(&im->b, size.arg[k]);
    if (ids) refuse_empty(im, size.arg[k], im->b.p->workgroup[k]);
  }
  for (unsigned k = 3; k-- > 1 && last[k] == 1;) im->b.p->workgroup[k] = (kgi_dim){0};
}

static bool is_grid_known(const kgi_import *im) { return im->told->grid[0] || im->told->grid[1] || im->told->grid[2]; }

static bool check_grid(kgi_import *im) {
  const uint32_t *grid = im->told->grid;
  if (!is_grid_known(im) || (grid[0] && grid[1] && grid[2])) return true;
  KGI_DIAG(im->diags, import_grid, 0, KGI_NUM(grid[0]), KGI_NUM(grid[1]), KGI_NUM(grid[2]));
  im->status = KG_INVALID;
  return false;
}

static void state_grid(kgi_import *im) {
  const uint32_t *grid = im->told->grid;
  for (unsigned k = 0; k < 3; k++)
    if (k == 0 || grid[k] != 1 || (k == 1 && grid[2] != 1)) im->b.p->grid[k] = kgi_len_int(&im->b, grid[k]);
}

/* The host says how many workgroups there are, unless the caller has: by params, one for each axis along which the program tells them apart. */
static void set_grid(kgi_import *im) {
  const kgi_program *p = im->b.p;
  uint32_t *uses = kgi_arena_alloc(im->arena, p->inst_count, sizeof *uses);
  unsigned axes = 1;
  if (is_grid_known(im)) return state_grid(im);
  if (!uses) return;
  kgi_count_uses(p, KGI_BODY, uses);
  for (uint32_t i = 1; i < p->inst_count; i++) {
    const kgi_inst *x = &p->inst[i];
    bool tells = x->kind == KGI_id && (x->op == KGI_ID_global_id || x->op == KGI_ID_workgroup_id || x->op == KGI_ID_num_workgroups);
    if (tells && uses[i] && x->arg[0] >= axes) axes = x->arg[0] + 1;
  }
  for (unsigned k = 0; k < axes && kgi_im_fine(im); k++) {
    char name[] = "groups_x";
    name[7] = "xyz"[k];
    kgi_str string = kgi_intern_z(im->b.m, kgi_im_fresh_name(im, name));
    uint32_t param = kgi_param_add(&im->b, &(kgi_param){.name = string, .type = KG_U32});
    im->b.p->grid[k] = kgi_len_param(&im->b, param);
  }
}

/* ---- walks ---- */

static void make_walk(kgi_import *im) {
  im->value = kgi_arena_alloc(im->arena, im->bound, sizeof *im->value);
  im->place = kgi_arena_alloc(im->arena, im->bound, sizeof *im->place);
  im->local = kgi_arena_alloc(im->arena, im->bound, sizeof *im->local);
  im->held = kgi_arena_alloc(im->arena, im->bound, sizeof *im->held);
  im->addresses = im->holders = 0;
  im->phi = kgi_arena_alloc(im->arena, im->bound, sizeof *im->phi);
  im->object = NULL, im->object_count = im->object_cap = 0;
  im->spilled = NULL, im->spilled_count = im->spilled_cap = 0;
  im->exits = im->loops = im->in_loop = im->calls = im->steps = im->nested = im->choices = 0;
  im->b.pos = 0;
  im->loop_exits = 0;
}

static void declare_private(kgi_import *im) {
  for (uint32_t i = 0; i < im->variable_count && kgi_im_fine(im); i++) {
    kgi_im_inst x = kgi_im_at(im, im->variables_at[i]);
    if (kgi_im_arg(im, &x, 0) == SpvStorageClassPrivate) kgi_im_own_variable(im, &x);
  }
}

/* Specialization constants, so that their names are theirs. */
static void declare_constants(kgi_import *im) {
  for (uint32_t at = 5; at < im->words && kgi_im_fine(im); at = kgi_im_next(im, at)) {
    kgi_im_inst x = kgi_im_at(im, at);
    if (x.op == SpvOpFunction) return;
    if (x.op == SpvOpSpecConstant || x.op == SpvOpSpecConstantTrue || x.op == SpvOpSpecConstantFalse) kgi_im_value(im, x.result);
  }
}

/* `main` says nothing: then the file's name does. */
static const char *program_name(kgi_import *im, const char *file) {
  kgi_im_inst x = kgi_im_at(im, im->entry_at);
  const char *name = kgi_im_string(im, &x, 2), *slash = file ? strrchr(file, '/') : NULL;
  if (slash) file = slash + 1;
  if (strcmp(name, "main") || !file || !*file) return kgi_im_fresh_name(im, name);
  char *base = kgi_arena_strdup(im->arena, file, strcspn(file, "."));
  return base ? kgi_im_fresh_name(im, base) : "";
}

static kg_status walk_through(kgi_import *im, const char *file) {
  make_walk(im);
  kgi_begin_program(&im->b, "main");
  if (!kgi_im_fine(im)) return im->arena->failed ? KG_NO_MEMORY : im->b.status;
  im->b.p->name = kgi_intern_z(im->b.m, program_name(im, file));
  im->b.simplify = true;
  declare_constants(im);
  set_workgroup(im);
  kgi_im_declare(im);
  if (kgi_im_fine(im)) declare_private(im);
  if (kgi_im_fine(im)) kgi_im_zero_shared(im);
  if (kgi_im_fine(im)) kgi_im_walk_entry(im);
  if (kgi_im_fine(im)) kgi_im_settle(im);
  if (kgi_im_fine(im)) kgi_im_settle_pointers(im);
  if (kgi_im_fine(im) && !im->first_walk) kgi_im_check_bindings(im);
  if (im->arena->failed) kgi_fail(&im->b, KG_NO_MEMORY);
  kg_status status = kgi_builder_status(&im->b);
  return im->status != KG_OK ? im->status : status;
}

typedef kg_status (*pass)(kg_module *m, kgi_program *p);

/* One form after another: what counts in an inner loop may show what an outer one does. */
static kg_status tidy(kg_module *m, kgi_program *p) {
  static const pass passes[] = {kgi_unbound_loops, kgi_leave_early, kgi_join_vars, kgi_hand_on_arrays,
                                kgi_choose_values, kgi_leave_in_turn, kgi_count_loops, kgi_count_in_step, kgi_drop_clamps};
  enum { ROUNDS = 3, PASSES = sizeof passes / sizeof *passes };
  kg_status status = kgi_clean(m, p);
  for (unsigned k = 0; k < ROUNDS * PASSES && status == KG_OK; k++) {
    status = passes[k % PASSES](m, p);
    if (status == KG_OK) status = kgi_clean(m, p);
  }
  return status;
}

/* What is known of params tells more of loops, too. Constants were fixed as they were read. */
static kg_status fix_facts(kgi_import *im) {
  kg_module *m = im->b.m;
  kg_facts facts = im->told->facts;
  facts.constants = NULL, facts.constant_count = 0;
  kg_status status = kgi_specialise(m, &facts, im->diags);
  if (status == KG_OK && facts.param_count) status = tidy(m, m->program[1]);
  if (status == KG_OK && facts.param_count) status = kgi_write_places(m, m->program[1]);
  return status == KG_OK && facts.param_count ? kgi_validate(m, im->diags) : status;
}

/* Into the module of `im->b`; what a walk that is not the first gives is cleaned. */
static kg_status build(kgi_import *im, const char *file) {
  kg_module *m = im->b.m;
  kg_status status = walk_through(im, file);
  if (status == KG_OK && im->first_walk) return kgi_im_need_addresses(im);
  if (status != KG_OK) return status;
  kgi_program *p = im->b.p;
  status = kgi_validate_program(m, p, im->diags);
  if (status == KG_OK && is_grid_known(im) && !kgi_fix_grid(&im->b, im->told->grid, im->arena)) status = KG_NO_MEMORY;
  if (status == KG_OK) status = kgi_load_still(p, im->arena);
  if (status == KG_OK) status = tidy(m, p);
  if (status == KG_OK) status = kgi_set_unset(m, p, im->arena);
  if (status == KG_OK) status = kgi_hold_floats(m, p);
  if (status == KG_OK) status = kgi_hold_halves(m, p);
  if (status == KG_OK) status = kgi_write_places(m, p);
  if (status == KG_OK) status = kgi_declare_near(p, im->arena);
  if (status == KG_OK) status = kgi_write_lines(m, p, im->arena);
  if (status != KG_OK) return status;
  set_grid(im);
  kgi_end_program(&im->b);
  status = kgi_builder_status(&im->b);
  if (status == KG_OK) kgi_module_finish_lone(m);
  if (status == KG_OK) status = kgi_validate(m, im->diags);
  return status == KG_OK ? fix_facts(im) : status;
}

static kg_status import_bytes(kgi_import *im, const kg_allocator *alloc, const char *name, const void *bytes, size_t size,
                              kg_module **out) {
  if (!check_grid(im) || !kgi_im_read(im, bytes, size) || !find_entry(im, im->told->entry) || !kgi_im_fix_constants(im))
    return im->arena->failed ? KG_NO_MEMORY : im->status;
  kgi_im_reflect(im);
  kg_status status = im->arena->failed ? KG_NO_MEMORY : im->status;
  for (int walk = 0; walk < 2 && status == KG_OK; walk++) {
    kg_module *m = kgi_module_new(alloc, name);
    kgi_builder_init(&im->b, m, im->diags);
    im->first_walk = walk == 0;
    im->again = false;
    if (!m) return KG_NO_MEMORY;
    m->arena.limit = im->arena->limit;
    status = build(im, name);
    m->arena.limit = 0;
    if (status == KG_OK && walk == 1) *out = m; else kg_module_free(m);
    if (im->again && im->status == KG_OK) status = KG_OK, walk = -1;
  }
  return status;
}

static kgi_import *begin(kgi_arena *arena, kgi_diags *diags, const kg_allocator *alloc, size_t size, const kg_spirv_import_params *told) {
  static const kg_spirv_import_params nothing;
  kgi_arena_init(arena, alloc);
  arena->limit = BASE_MEMORY + (size < SIZE_MAX / MEMORY_PER_BYTE / 2 ? size * MEMORY_PER_BYTE : SIZE_MAX / 2);
  kgi_import *im = kgi_arena_alloc(arena, 1, sizeof *im);
  if (im) im->arena = arena, im->diags = diags, im->told = told ? told : &nothing;
  return im;
}

bool kg_spirv_bindings_meet(const kg_allocator *alloc, const void *bytes, size_t size) {
  kgi_diags diags = {.sink = NULL};
  kgi_arena arena;
  kgi_import *im = begin(&arena, &diags, alloc, size, NULL);
  bool meet = im && kgi_im_read(im, bytes, size) && kgi_im_bindings_meet(im);
  kgi_arena_free(&arena);
  return meet;
}

kg_status kg_spirv_import(const kg_allocator *alloc, const char *name, const void *bytes, size_t size,
                          const kg_spirv_import_params *params, const kg_sink *sink, kg_module **out) {
  KGI_OWN_FLOATS;
  kgi_diags diags = {.sink = sink, .file = name};
  kgi_arena arena;
  kgi_import *im = begin(&arena, &diags, alloc, size, params);
  kg_status status = im ? import_bytes(im, alloc, name, bytes, size, out) : KG_NO_MEMORY;
  if (status == KG_NO_MEMORY) KGI_DIAG(&diags, no_memory, 0, "");
  kgi_arena_free(&arena);
  return status;
}
