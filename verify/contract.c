#include "verify/contract.h"
#include "autodiff/asked.h"

#include "foundation/base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *mode_name(kg_mode mode) {
  static const char *const names[] = {[KG_READ] = "read", [KG_WRITE] = "write", [KG_READ_WRITE] = "read_write", [KG_TEMP] = "temp"};
  return names[mode];
}

/* The first fault is the one that is told; a later one may still be worse. */
static void fault(kgi_contract *c, bool broken, const char *format, ...) {
  va_list args;
  c->broken |= broken;
  if (*c->fault) return;
  va_start(args, format);
  vsnprintf(c->fault, sizeof c->fault, format, args);
  va_end(args);
}

/* ---- what was asked for ---- */

static bool names(const char *const *list, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (!strcmp(list[i], name)) return true;
  return false;
}

bool kgi_asked_of(const kg_module *m, const kg_grad_params *asked, uint32_t b) {
  kg_buffer_info info = kg_module_buffer(m, b);
  if (asked->of_count) return names(asked->of, asked->of_count, info.name);
  return kg_type_is_float(info.type) && (info.mode == KG_WRITE || info.mode == KG_READ_WRITE);
}

bool kgi_asked_wrt(const kg_module *m, const kg_grad_params *asked, uint32_t b) {
  kg_buffer_info info = kg_module_buffer(m, b);
  if (asked->wrt_count) return names(asked->wrt, asked->wrt_count, info.name);
  return kg_type_is_float(info.type) && (info.mode == KG_READ || info.mode == KG_READ_WRITE);
}

bool kgi_asked_wrt_param(const kg_module *m, const kg_grad_params *asked, uint32_t q) {
  return names(asked->wrt, asked->wrt_count, kg_module_param(m, q).name);
}

kg_type kgi_shadow_type(kg_type type) { return type == KG_F64 ? KG_F64 : KG_F32; }

const kg_grad_entry *kgi_shadow_named(const kgi_gradient *g, const char *shadow) {
  for (size_t k = 0; k < g->shadows; k++)
    if (!strcmp(g->shadow[k].shadow, shadow)) return &g->shadow[k];
  return NULL;
}

bool kgi_is_added(const kgi_gradient *g, const kg_grad_entry *e) {
  return g->adds ? g->adds[e - g->shadow] : g->asked->accumulate;
}

kg_grad_entry *kgi_shadows_of(const kg_grad_map *map, const kg_allocator *alloc) {
  size_t count = kg_grad_map_count(map);
  kg_grad_entry *list = kgi_alloc(alloc, count * sizeof *list);
  for (size_t k = 0; list && k < count; k++) list[k] = kg_grad_map_entry(map, k);
  return list;
}

/* ---- the kernel's own declarations, which the gradient repeats ---- */

static void check_buffer(const kgi_gradient *g, uint32_t b, kgi_contract *c) {
  kg_buffer_info own = kg_module_buffer(g->module, b);
  uint32_t at = kg_module_find_buffer(g->adjoint, own.name);
  if (at == UINT32_MAX) {
    if (own.mode != KG_TEMP && !kgi_is_after(own.name)) fault(c, true, "buffer %s of the kernel is missing", own.name);
    return;
  }
  kg_buffer_info info = kg_module_buffer(g->adjoint, at);
  const char *type = kg_type_name(own.type), *mode = mode_name(own.mode);
  if (info.type != own.type) fault(c, true, "%s holds %s, and is declared %s", own.name, type, kg_type_name(info.type));
  if (info.mode != own.mode) fault(c, false, "%s is `%s`, and is declared `%s`", own.name, mode, mode_name(info.mode));
  if (info.ranged != own.ranged) fault(c, false, "the range of %s is %s", own.name, own.ranged ? "lost" : "not the kernel's");
}

static void check_param(const kgi_gradient *g, uint32_t q, kgi_contract *c) {
  kg_param_info own = kg_module_param(g->module, q), info;
  uint32_t at = kg_module_find_param(g->adjoint, own.name);
  if (at == UINT32_MAX) return fault(c, true, "param %s of the kernel is missing", own.name);
  info = kg_module_param(g->adjoint, at);
  if (info.type != own.type)
    fault(c, true, "param %s is %s, and is declared %s", own.name, kg_type_name(own.type), kg_type_name(info.type));
  if (info.has_default != own.has_default || (own.has_default && info.bits != own.bits))
    fault(c, false, "the default of param %s is not the kernel's", own.name);
}

/* ---- shadows ---- */

static const kg_grad_entry *entry_of(const kgi_gradient *g, const char *name) {
  for (size_t k = 0; k < g->shadows; k++)
    if (!strcmp(g->shadow[k].name, name)) return &g->shadow[k];
  return NULL;
}

/* grad_x or tan_x, or grad_x_1 where that is taken; long names are cut. */
static bool is_shadow_name(const kgi_gradient *g, const char *shadow, const char *name) {
  enum { LONGEST = 150 };
  const char *prefix = kgi_is_forward(g) ? "tan_" : "grad_";
  size_t length = strlen(name) < LONGEST ? strlen(name) : LONGEST, start = strlen(prefix);
  if (strncmp(shadow, prefix, start) != 0) return false;
  for (size_t k = 0; k < length; k++) /* h after k:2 has grad_h_after_k_2 */
    if (shadow[start + k] != name[k] && (shadow[start + k] != '_' || !strchr(" :", name[k]))) return false;
  const char *rest = shadow + start + length;
  return !*rest || (*rest == '_' && rest[1] && strspn(rest + 1, "0123456789") == strlen(rest + 1));
}

/* The tangent of an input has its contents on entry; where the input is written, it changes with it. */
static bool is_tangent_mode(const kgi_gradient *g, const kg_grad_entry *e, kg_mode mode) {
  bool written = !e->is_param && kg_module_buffer(g->module, kg_module_find_buffer(g->module, e->name)).mode != KG_READ;
  return mode == (!e->wrt ? KG_WRITE : written ? KG_READ_WRITE : KG_READ);
}

/* A cotangent has its contents on entry. Where it is the gradient too, elements that the kernel does not store pass theirs on, so
 * that what stands there on entry always counts. A gradient alone is overwritten, or added to. */
static bool is_shadow_mode(const kgi_gradient *g, const kg_grad_entry *e, kg_mode mode) {
  if (kgi_is_forward(g)) return is_tangent_mode(g, e, mode);
  if (e->of || kgi_is_added(g, e)) return mode == KG_READ_WRITE || mode == KG_READ;
  return mode == KG_WRITE;
}

static void check_shadow(const kgi_gradient *g, const kg_grad_entry *e, kg_type type, kgi_contract *c) {
  uint32_t at = kg_module_find_buffer(g->adjoint, e->shadow);
  if (at == UINT32_MAX) return fault(c, true, "there is no buffer %s, the shadow of %s", e->shadow, e->name);
  kg_buffer_info info = kg_module_buffer(g->adjoint, at);
  const char *role = kgi_is_forward(g) ? "the tangent" : e->of && e->wrt ? "the cotangent and the gradient" : e->of ? "the cotangent" : "the gradient";
  bool doubled = kgi_shadow_named(g, e->shadow) != e || kg_module_find_buffer(g->module, e->shadow) != UINT32_MAX;
  if (doubled || !is_shadow_name(g, e->shadow, e->name)) fault(c, true, "%s is not the shadow of %s", e->shadow, e->name);
  if (info.type != kgi_shadow_type(type)) fault(c, true, "%s is declared %s", e->shadow, kg_type_name(info.type));
  if (!is_shadow_mode(g, e, info.mode))
    fault(c, false, "%s is %s of %s, and is declared `%s`", e->shadow, role, e->name, mode_name(info.mode));
  if (info.ranged) fault(c, false, "%s is declared with a range", e->shadow);
}

/* An output that no input reaches needs no shadow: its cotangent counts for nothing. If it counts, the values show it. */
static void check_entry(const kgi_gradient *g, const kg_grad_entry *want, kg_type type, kgi_contract *c) {
  const kg_grad_entry *e = entry_of(g, want->name);
  if (!e && !want->wrt && !kgi_is_forward(g)) return;
  if (!e) return fault(c, true, "no shadow of %s is named", want->name);
  if (e->of != want->of || e->wrt != want->wrt || e->is_param != want->is_param)
    return fault(c, true, "%s is named as the shadow of something else than %s", e->shadow, want->name);
  check_shadow(g, e, type, c);
}

static bool is_known(const kgi_gradient *g, kg_buffer_info info) {
  return info.mode == KG_TEMP || kg_module_find_buffer(g->module, info.name) != UINT32_MAX || kgi_shadow_named(g, info.name);
}

static void check_others(const kgi_gradient *g, kgi_contract *c) {
  for (uint32_t b = 0; b < kg_module_buffer_count(g->adjoint); b++) {
    kg_buffer_info info = kg_module_buffer(g->adjoint, b);
    if (!is_known(g, info)) fault(c, true, "%s is neither the kernel's, nor a shadow, nor `temp`", info.name);
  }
  for (uint32_t q = 0; q < kg_module_param_count(g->adjoint); q++) {
    const char *name = kg_module_param(g->adjoint, q).name;
    if (kg_module_find_param(g->module, name) == UINT32_MAX) fault(c, true, "param %s is not the kernel's", name);
  }
}

/* Entries for what was not asked, and names that stand there twice. */
static void check_map(const kgi_gradient *g, kgi_contract *c) {
  for (size_t k = 0; k < g->shadows; k++) {
    const kg_grad_entry *e = &g->shadow[k];
    uint32_t b = kg_module_find_buffer(g->module, e->name), q = kg_module_find_param(g->module, e->name);
    bool asked = b != UINT32_MAX ? kgi_asked_of(g->module, g->asked, b) || kgi_asked_wrt(g->module, g->asked, b)
                                 : q != UINT32_MAX && kgi_asked_wrt_param(g->module, g->asked, q);
    if (asked && entry_of(g, e->name) == e) continue;
    fault(c, true, "%s is named as the shadow of %s, which nobody asked for", e->shadow, e->name);
  }
}

void kgi_contract_check(const kgi_gradient *g, kgi_contract *c) {
  *c = (kgi_contract){.broken = false};
  for (uint32_t b = 0; b < kg_module_buffer_count(g->module); b++) {
    kg_buffer_info info = kg_module_buffer(g->module, b);
    bool of = kgi_asked_of(g->module, g->asked, b), wrt = kgi_asked_wrt(g->module, g->asked, b);
    kg_grad_entry want = {.name = info.name, .of = of, .wrt = wrt};
    check_buffer(g, b, c);
    if (want.of || want.wrt) check_entry(g, &want, info.type, c);
  }
  for (uint32_t q = 0; q < kg_module_param_count(g->module); q++) {
    kg_param_info info = kg_module_param(g->module, q);
    check_param(g, q, c);
    kg_grad_entry want = {.name = info.name, .is_param = true, .wrt = kgi_asked_wrt_param(g->module, g->asked, q)};
    if (want.wrt) check_entry(g, &want, info.type, c);
  }
  check_map(g, c);
  check_others(g, c);
}

/* ---- lengths and ranges ---- */

static void check_length(const kg_module *adjoint, const char *name, uint64_t right, const kg_host *host, kgi_contract *c) {
  uint32_t at = kg_module_find_buffer(adjoint, name);
  if (at == UINT32_MAX || host->length[at] == right) return;
  fault(c, true, "%s has %llu elements, not %llu", name, (unsigned long long)host->length[at], (unsigned long long)right);
}

static void check_range(const kgi_gradient *g, uint32_t b, const kg_host *host, const kg_host *adjoint, kgi_contract *c) {
  kg_buffer_info own = kg_module_buffer(g->module, b);
  uint32_t at = kg_module_find_buffer(g->adjoint, own.name);
  double range[2], other[2];
  if (at == UINT32_MAX || !own.ranged || !kg_module_buffer(g->adjoint, at).ranged) return;
  bool known = kg_module_buffer_range(g->module, host, b, NULL, &range[0], &range[1]) == KG_OK &&
               kg_module_buffer_range(g->adjoint, adjoint, at, NULL, &other[0], &other[1]) == KG_OK;
  if (!known || range[0] != other[0] || range[1] != other[1]) fault(c, false, "the range of %s is not the kernel's", own.name);
}

void kgi_contract_no_lengths(kgi_contract *c) { fault(c, true, "a length cannot be computed"); }

void kgi_contract_check_hosts(const kgi_gradient *g, const kg_host *host, const kg_host *adjoint, kgi_contract *c) {
  for (uint32_t b = 0; b < kg_module_buffer_count(g->module); b++) {
    check_length(g->adjoint, kg_module_buffer(g->module, b).name, host->length[b], adjoint, c);
    check_range(g, b, host, adjoint, c);
  }
  for (size_t k = 0; k < g->shadows; k++) {
    uint32_t b = g->shadow[k].is_param ? UINT32_MAX : kg_module_find_buffer(g->module, g->shadow[k].name);
    check_length(g->adjoint, g->shadow[k].shadow, b == UINT32_MAX ? 1 : host->length[b], adjoint, c);
  }
}
