/* Where the buffers of a gradient lie in a host's descriptor sets. Names are what holds the modules together: of the primal, which
 * has places already, and of what was made of it. A *memory* is what one descriptor binds: a buffer, or all views of one binding. */
#include "foundation/ir/slices.h"
#include "foundation/ir/validate.h"
#include "foundation/ir/views.h"
#include "modules/modules.h"

#include <kgrad/autodiff.h>

#include <string.h>

enum { MOST_SETS = 32, NONE = UINT32_MAX };

typedef struct memory {
  const char *name;      /* of the first buffer that lies there */
  uint32_t set, binding; /* where `given` */
  bool given, stated;    /* a place; the caller's */
  bool made;             /* of views that the result adds: they have a place already, and get another where that is taken */
  uint32_t shadow_of;    /* the memory that it is beside; NONE */
  uint32_t was_set, was_binding; /* of views, which share it */
  bool views;
} memory;

typedef struct entry {
  const char *name;
  uint32_t memory, offset, stride, row, every;
  const char *fixed; /* why it can be no view; NULL: it can */
  bool own;          /* the primal's */
  uint32_t of;       /* the primal's object; of a shadow that lies as it does, the object that it is of; 0 */
} entry;

typedef struct placing {
  const kg_module *primal;
  const kg_grad_map *map;
  const kg_place_params *params;
  kgi_diags diags;
  kgi_arena arena;
  memory *memory; uint32_t memories, memory_cap;
  entry *entry; uint32_t entries, entry_cap;
} placing;

/* ---- what there is ---- */

static uint32_t find_entry(const placing *x, const char *name) {
  for (uint32_t i = 0; i < x->entries; i++)
    if (!strcmp(x->entry[i].name, name)) return i;
  return NONE;
}

static uint32_t add_memory(placing *x, memory made) {
  if (!kgi_arena_grow(&x->arena, &x->memory, x->memories, &x->memory_cap, sizeof *x->memory)) return 0;
  x->memory[x->memories] = made;
  return x->memories++;
}

static uint32_t memory_of_views(placing *x, const char *name, uint32_t set, uint32_t binding, bool given, uint32_t shadow_of) {
  for (uint32_t i = 0; i < x->memories; i++) {
    const memory *m = &x->memory[i];
    if (m->views && m->was_set == set && m->was_binding == binding && m->shadow_of == shadow_of) return i;
  }
  return add_memory(x, (memory){.name = name, .set = set, .binding = binding, .given = given, .shadow_of = shadow_of,
                                .was_set = set, .was_binding = binding, .views = true});
}

static bool is_block_of_params(const kg_module *m, uint32_t set, uint32_t binding) {
  const kgi_scope *s = &m->program[1]->scope;
  for (uint32_t i = 1; m->lone && i < s->param_count; i++)
    if (s->param[i].placed && !s->param[i].pushed && s->param[i].set == set && s->param[i].binding == binding) return true;
  return false;
}

static bool is_claimed(const kg_module *m, uint32_t binding) {
  for (uint32_t o = 1; o < m->scope.object_count; o++)
    if (m->scope.object[o].view && !m->scope.object[o].set && m->scope.object[o].binding == binding) return true;
  return is_block_of_params(m, 0, binding);
}

/* A lone program's buffers without a place have the lowest bindings of set 0 that nobody claims (doc/abi.md). */
static uint32_t plain_binding(const kg_module *m, uint32_t object) {
  uint32_t binding = 0;
  for (uint32_t o = 1;; o++) {
    if (m->scope.object[o].view) continue;
    while (is_claimed(m, binding)) binding++;
    if (o == object) return binding;
    binding++;
  }
}

static void lie_as(entry *e, const kgi_object *view) {
  e->offset = view->offset, e->stride = view->stride, e->row = view->row, e->every = view->every;
}

static void add_primal(placing *x, uint32_t o) {
  const kgi_object *object = &x->primal->scope.object[o];
  entry e = {.name = kgi_string(x->primal, object->name), .own = true, .of = o};
  memory plain = {.name = e.name, .given = x->primal->lone, .shadow_of = NONE};
  e.stride = (uint32_t)kg_type_size((kg_type)object->type);
  if (x->primal->lone && !object->view) plain.binding = plain_binding(x->primal, o);
  if (object->view) lie_as(&e, object);
  e.memory = object->view ? memory_of_views(x, e.name, object->set, object->binding, true, NONE) : add_memory(x, plain);
  if (kgi_arena_grow(&x->arena, &x->entry, x->entries, &x->entry_cap, sizeof *x->entry)) x->entry[x->entries++] = e;
}

/* Of whom the buffer is the shadow: an entry; NONE. */
static uint32_t base_of(const placing *x, const char *shadow) {
  for (size_t i = 0; i < kg_grad_map_count(x->map); i++) {
    kg_grad_entry e = kg_grad_map_entry(x->map, i);
    if (!e.kept && !e.is_param && !strcmp(e.shadow, shadow)) return find_entry(x, e.name);
  }
  return NONE;
}

/* It holds more than the elements of one array. */
static bool is_struct(const placing *x, uint32_t at) {
  for (uint32_t k = 0; k < x->entries; k++) {
    const entry *e = &x->entry[k];
    if (e->memory != at || !e->of) continue;
    if (!e->own || e->offset || e->row || e->stride != kg_type_size((kg_type)x->primal->scope.object[e->of].type)) return true;
  }
  return false;
}

/* Whether a shadow can lie as what it is of. */
static bool fits(placing *x, const entry *shadow, const kgi_object *object) {
  const kgi_object *o = &x->primal->scope.object[shadow->of];
  const char *name = kgi_string(x->primal, o->name);
  if (kg_type_size((kg_type)o->type) != kg_type_size((kg_type)object->type)) {
    KGI_DIAG(&x->diags, layout_type, o->pos, name, kg_type_name((kg_type)o->type), kg_type_name((kg_type)object->type));
    return false;
  }
  for (uint32_t k = 0; k < x->entries; k++) {
    const entry *other = &x->entry[k];
    if (other->own || other->memory != shadow->memory || !kgi_may_overlap(&x->primal->scope, shadow->of, other->of)) continue;
    KGI_DIAG(&x->diags, layout_overlap, o->pos, name, kgi_string(x->primal, x->primal->scope.object[other->of].name));
    return false;
  }
  return true;
}

/* What the result adds: shadows, tapes, temporaries. */
static bool add_made(placing *x, const kg_module *m, const kgi_object *object) {
  entry e = {.name = kgi_string(m, object->name), .stride = (uint32_t)kg_type_size((kg_type)object->type)};
  uint32_t base = base_of(x, e.name), beside = base == NONE ? NONE : x->entry[base].memory;
  bool struct_like = base != NONE && x->params->layout == KG_LAYOUT_SAME && x->entry[base].of && is_struct(x, beside);
  if (object->view) { /* shadows of the runs alone: they lie over one another as what they are of does */
    e.memory = memory_of_views(x, e.name, object->set, object->binding, false, NONE);
    x->memory[e.memory].made = true, x->memory[e.memory].set = object->set, x->memory[e.memory].binding = object->binding;
    lie_as(&e, object);
  } else if (struct_like) {
    e.of = x->entry[base].of, lie_as(&e, &x->primal->scope.object[e.of]);
    e.memory = memory_of_views(x, e.name, x->memory[beside].was_set, x->memory[beside].was_binding, false, beside);
    if (!fits(x, &e, object)) return false;
  } else {
    e.memory = add_memory(x, (memory){.name = e.name, .shadow_of = beside});
  }
  if (kgi_arena_grow(&x->arena, &x->entry, x->entries, &x->entry_cap, sizeof *x->entry)) x->entry[x->entries++] = e;
  return true;
}

/* Slices are of what is no view, and so is what programs with stated adjoints have. */
static const char *why_fixed(const kg_module *m, uint32_t item, uint32_t k) {
  uint32_t program = m->item[item].program;
  bool stated = m->program[program]->adjoint;
  for (uint32_t i = 1; i < m->program_count; i++) stated |= m->program[i]->adjoint == program;
  if (stated) return "a program with a stated adjoint has it, or that adjoint";
  return kgi_is_slice(kgi_run_slice(m, item, k)) ? "runs bind slices of it" : NULL;
}

/* The runs of a list and those inside, in order: other items of the table may be left over. Gives how many. */
static uint32_t list_runs(const kg_module *m, uint32_t first, uint32_t count, uint32_t *run) {
  for (uint32_t i = first; i; i = m->item[i].next) {
    if (m->item[i].kind == KGI_ITEM_REPEAT) count = list_runs(m, m->item[i].first, count, run);
    else run[count++] = i;
  }
  return count;
}

static uint32_t *runs_of(placing *x, const kg_module *m, uint32_t *count) {
  uint32_t *run = kgi_arena_alloc(&x->arena, m->item_count, sizeof *run);
  *count = run ? list_runs(m, m->first_item, 0, run) : 0;
  return run;
}

static void find_fixed(placing *x, const kg_module *m) {
  uint32_t count, *run = runs_of(x, m, &count);
  for (uint32_t i = 0; i < count; i++) {
    const kgi_item *item = &m->item[run[i]];
    for (uint32_t k = 1; k < kgi_buffer_end(&m->program[item->program]->scope); k++) {
      uint32_t e = find_entry(x, kgi_string(m, m->scope.object[m->bind[item->binding + k - 1]].name));
      const char *why = why_fixed(m, run[i], k);
      if (e != NONE && why) x->entry[e].fixed = why;
    }
  }
}

static kg_status collect(placing *x, kg_module *const *made, size_t count) {
  for (uint32_t o = 1; o < x->primal->scope.object_count; o++)
    if (x->primal->scope.object[o].mode != KG_TEMP) add_primal(x, o);
  for (size_t i = 0; i < count; i++)
    for (uint32_t o = 1; o < made[i]->scope.object_count; o++) {
      const kgi_object *object = &made[i]->scope.object[o];
      if (find_entry(x, kgi_string(made[i], object->name)) == NONE && !add_made(x, made[i], object)) return KG_INVALID;
    }
  for (size_t i = 0; i < count; i++) find_fixed(x, made[i]);
  return x->arena.failed ? KG_NO_MEMORY : KG_OK;
}

/* ---- which places ---- */

static kg_status take_stated(placing *x, const kg_place *place, const char **first) {
  uint32_t e = find_entry(x, place->name);
  if (e == NONE) return KGI_DIAG(&x->diags, place_unknown, 0, place->name), KG_INVALID;
  memory *m = &x->memory[x->entry[e].memory];
  if (x->entry[e].fixed) return KGI_DIAG(&x->diags, place_fixed, 0, place->name, x->entry[e].fixed), KG_INVALID;
  if (place->set >= MOST_SETS)
    return KGI_DIAG(&x->diags, place_far, 0, place->name, KGI_NUM(place->set), KGI_NUM(MOST_SETS - 1)), KG_INVALID;
  if (m->stated && (m->set != place->set || m->binding != place->binding))
    return KGI_DIAG(&x->diags, place_twice, 0, first[x->entry[e].memory], place->name), KG_INVALID;
  m->set = place->set, m->binding = place->binding, m->given = m->stated = true;
  first[x->entry[e].memory] = place->name;
  return KG_OK;
}

static const char *who_has(const placing *x, uint32_t set, uint32_t binding, uint32_t but) {
  bool anew = !x->memory[but].views || x->memory[but].stated;
  if (anew && is_block_of_params(x->primal, set, binding)) return "a block of params";
  for (uint32_t i = 0; i < x->memories; i++)
    if (i != but && x->memory[i].given && x->memory[i].set == set && x->memory[i].binding == binding) return x->memory[i].name;
  return NULL;
}

static kg_status check_apart(placing *x) {
  for (uint32_t i = 0; i < x->memories; i++) {
    const memory *m = &x->memory[i];
    const char *other = m->stated ? who_has(x, m->set, m->binding, i) : NULL;
    if (!other) continue;
    KGI_DIAG(&x->diags, place_taken, 0, m->name, KGI_NUM(m->set), KGI_NUM(m->binding), other);
    return KG_INVALID;
  }
  return KG_OK;
}

/* The lowest set in which the primal has something. */
static uint32_t first_set(const placing *x) {
  uint32_t set = NONE;
  for (uint32_t o = 1; o < x->primal->scope.object_count; o++) {
    const kgi_object *object = &x->primal->scope.object[o];
    uint32_t here = object->view ? object->set : 0;
    if (here < set) set = here;
  }
  return set == NONE ? 0 : set;
}

/* Above all that the primal has there, so that its layout of descriptors can stay as it is and get more. */
static uint32_t above(const placing *x, uint32_t set) {
  uint32_t binding = 0;
  const kgi_scope *s = &x->primal->program[1]->scope;
  for (uint32_t i = 0; i < x->entries; i++) {
    const memory *m = &x->memory[x->entry[i].memory];
    if (x->entry[i].own && m->given && m->set == set && m->binding >= binding && m->binding < NONE) binding = m->binding + 1;
  }
  for (uint32_t i = 1; x->primal->lone && i < s->param_count; i++) {
    const kgi_param *p = &s->param[i];
    if (p->placed && !p->pushed && p->set == set && p->binding >= binding && p->binding < NONE) binding = p->binding + 1;
  }
  return binding;
}

static void assign(placing *x, uint32_t i) {
  memory *m = &x->memory[i];
  bool stays = x->params->layout == KG_LAYOUT_OWN && !(m->made && who_has(x, m->set, m->binding, i));
  m->given |= stays && m->made;
  if (m->given || stays) return;
  bool beside = m->shadow_of != NONE && x->memory[m->shadow_of].given && !x->memory[m->shadow_of].stated;
  m->set = beside ? x->memory[m->shadow_of].set : first_set(x);
  m->binding = above(x, m->set);
  while (who_has(x, m->set, m->binding, i)) m->binding++;
  m->given = true;
}

static kg_status decide(placing *x) {
  kg_status status = KG_OK;
  const char **first = kgi_arena_alloc(&x->arena, x->memories, sizeof *first);
  if (!first) return KG_NO_MEMORY;
  for (size_t i = 0; i < x->params->place_count && status == KG_OK; i++) status = take_stated(x, &x->params->places[i], first);
  if (status == KG_OK) status = check_apart(x);
  for (uint32_t i = 0; i < x->entries && status == KG_OK; i++)
    if (!x->entry[i].fixed) assign(x, x->entry[i].memory);
  return status;
}

/* ---- into the modules ---- */

static bool is_placed(const placing *x, const entry *e) {
  const memory *m = &x->memory[e->memory];
  return !e->fixed && m->given && (m->stated || m->made || x->params->layout != KG_LAYOUT_OWN);
}

static bool same_view(const kgi_object *a, const kgi_object *b) {
  return a->set == b->set && a->binding == b->binding && kgi_same_places(a, b);
}

static void copy_view(kgi_object *to, const kgi_object *from) {
  to->view = from->view, to->set = from->set, to->binding = from->binding;
  to->offset = from->offset, to->stride = from->stride, to->row = from->row, to->every = from->every;
}

static void state(const placing *x, kg_module *m) {
  for (uint32_t o = 1; o < m->scope.object_count; o++) {
    kgi_object *object = &m->scope.object[o];
    const entry *e = &x->entry[find_entry(x, kgi_string(m, object->name))];
    const memory *at = &x->memory[e->memory];
    if (!is_placed(x, e)) continue;
    object->view = true, object->set = at->set, object->binding = at->binding;
    object->offset = e->offset, object->stride = e->stride, object->row = e->row, object->every = e->every;
  }
}

/* A program that runs on other memory than an earlier run of it gets a copy, so that all programs have one scheme. */
static uint32_t program_for(kg_module *m, uint32_t item, const uint32_t *origin, uint32_t programs) {
  const uint32_t *bind = m->bind + m->item[item].binding;
  uint32_t own = m->item[item].program;
  for (uint32_t i = 1; i < m->program_count; i++) {
    bool same = i == own || (i >= programs && origin[i - programs] == own);
    for (uint32_t k = 1; same && k < kgi_buffer_end(&m->program[i]->scope); k++)
      same = same_view(&m->program[i]->scope.object[k], &m->scope.object[bind[k - 1]]);
    if (same) return i;
  }
  return 0;
}

static uint32_t copy_program(kg_module *m, uint32_t program) {
  uint32_t made = m->program_count;
  if (!kgi_arena_grow(&m->arena, &m->program, made, &m->program_cap, sizeof *m->program)) return 0;
  m->program[made] = kgi_program_copy(&m->arena, m->program[program]);
  if (!m->program[made]) return 0;
  const char *name = kgi_module_free_name(m, "", kgi_string(m, m->program[program]->name), "");
  m->program[made]->name = kgi_intern_z(m, name);
  return m->program_count++;
}

static bool place_runs(placing *x, kg_module *m) {
  uint32_t programs = m->program_count, count, *run = runs_of(x, m, &count);
  uint32_t *origin = kgi_arena_alloc(&x->arena, m->item_count, sizeof *origin);
  bool *met = kgi_arena_alloc(&x->arena, programs, sizeof *met);
  for (uint32_t i = 0; origin && met && i < count; i++) {
    kgi_item *item = &m->item[run[i]];
    uint32_t own = item->program, found = met[own] ? program_for(m, run[i], origin, programs) : own;
    if (!found) {
      found = copy_program(m, own);
      if (!found) return false;
      origin[found - programs] = own;
    }
    for (uint32_t k = 1; k < kgi_buffer_end(&m->program[found]->scope); k++)
      copy_view(&m->program[found]->scope.object[k], &m->scope.object[m->bind[item->binding + k - 1]]);
    met[own] = true, item->program = found;
  }
  return run && origin && met && !m->arena.failed;
}

/* Nothing is new in it, and nobody says otherwise. */
static bool stays(const placing *x, const kg_module *m) {
  for (uint32_t o = 1; o < m->scope.object_count; o++) {
    const entry *e = &x->entry[find_entry(x, kgi_string(m, m->scope.object[o].name))];
    if (!e->own || x->memory[e->memory].stated) return false;
  }
  return true;
}

static kg_status apply(placing *x, kg_module *m) {
  if (stays(x, m)) return KG_OK;
  state(x, m);
  return place_runs(x, m) ? kgi_validate(m, &x->diags) : KG_NO_MEMORY;
}

kg_status kg_grad_place(const kg_module *primal, const kg_grad_map *map, const kg_place_params *params, const kg_sink *sink,
                        kg_module *const *made, size_t count) {
  placing x = {.primal = primal, .map = map, .params = params, .diags = {.sink = sink, .file = primal->file}};
  if (kgi_check_choice((unsigned)params->layout <= KG_LAYOUT_SAME, "kg_grad_place", "kg_layout", params->layout, &x.diags) != KG_OK) return KG_INVALID;
  kgi_arena_init(&x.arena, NULL);
  kg_status status = collect(&x, made, count);
  if (status == KG_OK) status = decide(&x);
  for (size_t i = 0; i < count && status == KG_OK; i++) status = apply(&x, made[i]);
  if (status == KG_NO_MEMORY) KGI_DIAG(&x.diags, no_memory, 0, "");
  kgi_arena_free(&x.arena);
  return status;
}
