/* Memory: loads, stores, atomics. Elements of each type have functions of their own in the file (KG_ACCESS in c/access.h). */
#include "c/c.h"
#include "c/emit.h"

#include <inttypes.h>

static const kgi_object *object_of(const kgi_c_emit *e, uint32_t i) { return &e->p->scope.object[i]; }

/* What an element is in memory, and as what it is loaded. */
typedef struct element { const char *memory, *lanes, *one; } element;
static element element_of(unsigned type) {
  static const element rows[] = {
    [KG_BOOL] = {"uint8_t", "kg_u32v", "uint32_t"}, [KG_I8] = {"int8_t", "kg_u32v", "uint32_t"},
    [KG_U8] = {"uint8_t", "kg_u32v", "uint32_t"},   [KG_I16] = {"int16_t", "kg_u32v", "uint32_t"},
    [KG_U16] = {"uint16_t", "kg_u32v", "uint32_t"}, [KG_F16] = {"uint16_t", "kg_u32v", "uint32_t"},
    [KG_BF16] = {"uint16_t", "kg_u32v", "uint32_t"}, [KG_I32] = {"uint32_t", "kg_u32v", "uint32_t"},
    [KG_U32] = {"uint32_t", "kg_u32v", "uint32_t"}, [KG_I64] = {"uint64_t", "kg_u64v", "uint64_t"},
    [KG_U64] = {"uint64_t", "kg_u64v", "uint64_t"}, [KG_F32] = {"float", "kg_f32v", "float"},
    [KG_F64] = {"double", "kg_f64v", "double"},
  };
  return rows[type];
}

/* Types of memory that are alike in memory have one name. */
static const char *memory_name(unsigned type) {
  if (type == KG_BOOL) return "u8";
  if (type == KG_F16 || type == KG_BF16) return "u16";
  if (type == KG_I32) return "u32";
  return type == KG_I64 ? "u64" : kg_type_name((kg_type)type);
}

static unsigned memory_type(unsigned type) {
  if (type == KG_BOOL) return KG_U8;
  if (type == KG_F16 || type == KG_BF16) return KG_U16;
  if (type == KG_I32) return KG_U32;
  return type == KG_I64 ? KG_U64 : type;
}

/* Whether elements lie in steps of their own. */
static bool is_strided(const kgi_object *o) { return o->view && (o->row || o->stride != kg_type_size((kg_type)o->type)); }

/* Makes the functions for elements of the type, once. */
static const char *accessed(kgi_c_emit *e, unsigned type, bool strided) {
  uint32_t *made = strided ? &e->views : &e->accesses, bit = UINT32_C(1) << memory_type(type);
  element x = element_of(type);
  const char *name = memory_name(type);
  const char *macro = strided ? "KG_ACCESS_STRIDED" : "KG_ACCESS";
  if (!(*made & bit)) kgi_c_put(&e->made, "%s(%s, %s, %s, %s)\n", macro, name, x.memory, x.lanes, x.one);
  *made |= bit;
  return name;
}

/* The same for shared memory. */
static const char *accessed_shared(kgi_c_emit *e, unsigned type) {
  const char *name = accessed(e, type, false);
  uint32_t bit = UINT32_C(1) << memory_type(type);
  element x = element_of(type);
  const char *carrier = kgi_c_carrier(memory_type(type));
  if (!(e->parts & bit)) kgi_c_put(&e->made, "KG_ACCESS_SHARED(%s, %s, %s, kg_select_%s)\n", name, x.memory, x.lanes, carrier);
  e->parts |= bit;
  return name;
}

void kgi_c_buffer(kgi_c_emit *e, uint32_t i) {
  const kgi_object *o = object_of(e, i);
  const char *name = accessed(e, o->type, false);
  kgi_c_line(e, "const uint32_t kg_n%u = args->length[%u];", i, i - 1);
  if (is_strided(o)) {
    accessed(e, o->type, true);
    kgi_c_line(e, "unsigned char *const kg_b%u = (unsigned char *)args->buffer[%u] + %uu;", i, i - 1, o->offset);
  } else if (o->view) kgi_c_line(e, "kg_at_%s *const kg_b%u = (void *)((unsigned char *)args->buffer[%u] + %uu);", name, i, i - 1, o->offset);
  else kgi_c_line(e, "kg_at_%s *const kg_b%u = args->buffer[%u];", name, i, i - 1);
  e->added[i] = kgi_c_is_only_added(e->p, i);
  if (e->added[i]) kgi_c_line(e, "kg_at_%s *const kg_o%u = args->own ? args->own[%u] : 0;", name, i, i - 1);
}

static const char *var_name(kgi_c_emit *e, uint32_t i) {
  return kgi_c_format(e, e->plan.var[i] == KGI_C_VAR_ROW ? "w%u[kg_c]" : "w%u", i);
}

/* Lanes under no mask are loaded and stored with the others, so all is there from the beginning: compilers take what nobody has stored
 * for whatever suits them, and masks do not keep that to the lanes that it belongs to. What is large is not cleared: KG_THERE says that
 * it holds something. */
void kgi_c_object(kgi_c_emit *e, uint32_t i) {
  const kgi_object *o = object_of(e, i);
  if (o->space == KGI_SHARED) {
    const char *name = accessed_shared(e, o->type);
    const char *size = kgi_c_format(e, "(%u + KG_LANES - 1) / KG_LANES * KG_LANES", e->length[i] ? e->length[i] : 1);
    kgi_c_line(e, "kg_at_%s kg_b%u[%s] __attribute__((aligned(64)));", name, i, size);
    kgi_c_line(e, "KG_THERE(kg_b%u);", i);
    kgi_c_line(e, "const uint32_t kg_n%u = %u;", i, e->length[i]);
    return;
  }
  bool row = e->plan.var[i] == KGI_C_VAR_ROW, scalar = e->plan.var[i] == KGI_C_VAR_SCALAR;
  const char *type = kgi_c_type(kgi_type_value(o->type), !scalar), *chunks = row ? kgi_c_format(e, "[(%u + KG_LANES - 1) / KG_LANES]", e->invocations) : "";
  const char *zero = row ? "" : scalar && o->scalar ? " = 0" : scalar || o->scalar ? " = {0}" : " = {{0}}";
  if (o->scalar) kgi_c_line(e, "%s w%u%s%s;", type, i, chunks, zero);
  else kgi_c_line(e, "%s w%u%s[%u]%s;", type, i, chunks, e->length[i] ? e->length[i] : 1, zero);
  if (row) kgi_c_line(e, "KG_THERE(w%u);", i);
}

/* Its contents are undefined from here on: who stores under this mask need not keep what other lanes have. */
void kgi_c_declare(kgi_c_emit *e, uint32_t i) { e->var_mask[i] = e->mask; }

/* ---- indices ---- */

static unsigned index_type(const kgi_c_emit *e, const kgi_inst *inst) { return e->p->inst[inst->arg[1]].type; }

/* As a number of 64 bits in which a negative one is past any length. */
static const char *one_index(kgi_c_emit *e, const kgi_inst *inst) {
  if (!inst->arg[1]) return "0";
  const char *i = kgi_c_value(e, inst->arg[1], false);
  return index_type(e, inst) == KG_I32 ? kgi_c_format(e, "(uint64_t)(int32_t)%s", i) : i;
}

static const char *lane_index(kgi_c_emit *e, const kgi_inst *inst) {
  if (!inst->arg[1]) return "kg_splat_u32(0u)";
  const char *i = kgi_c_value(e, inst->arg[1], true);
  unsigned type = index_type(e, inst);
  if (kgi_type_bits(type) == 64) return kgi_c_format(e, "kg_index_u64(%s)", i);
  return type == KG_I32 ? kgi_c_format(e, "kg_index_i32(%s)", i) : i;
}

/* Neighbours in memory for neighbouring lanes: where the first one's is, and when that is so (NULL: always). NULL: who knows. */
static const char *first_index(kgi_c_emit *e, const kgi_inst *inst, const char **when) {
  const char *sure, *base = inst->arg[1] && !is_strided(object_of(e, inst->arg[0])) ? kgi_c_base(e, inst->arg[1], &sure) : NULL;
  if (!base) return NULL;
  bool is_signed = index_type(e, inst) == KG_I32;
  *when = kgi_c_both(e, sure, is_signed ? kgi_c_format(e, "%s <= INT32_MAX - KG_LANES", base) : NULL);
  return base;
}

static bool has_one_place(const kgi_c_emit *e, const kgi_inst *inst) { return !inst->arg[1] || kgi_c_is_scalar(e, inst->arg[1]); }

static const char *steps(kgi_c_emit *e, const kgi_object *o) {
  uint32_t size = (uint32_t)kg_type_size((kg_type)o->type);
  return o->view ? kgi_c_format(e, "%u, %u, %u", o->stride, o->row, o->every) : kgi_c_format(e, "%u, 0, 0", size);
}

/* ---- between memory and values ---- */

static const char *from_memory(kgi_c_emit *e, unsigned type, const char *x, bool lanes) {
  const char *half = type == KG_F16 ? "f16" : type == KG_BF16 ? "bf16" : NULL;
  if (half) return kgi_c_format(e, lanes ? "kg_decode_%s(%s)" : "kg_decode_%s(kg_splat_u32(%s))[0]", half, x);
  if (type == KG_BOOL) return kgi_c_format(e, lanes ? "(kg_mask)(%s != 0)" : "%s != 0", x);
  return x;
}

static const char *to_memory(kgi_c_emit *e, unsigned type, const char *x, bool lanes) {
  const char *half = type == KG_F16 ? "f16" : type == KG_BF16 ? "bf16" : NULL;
  if (half) return kgi_c_format(e, lanes ? "kg_encode_%s(%s)" : "kg_encode_%s(kg_splat_f32(%s))[0]", half, x);
  if (type == KG_BOOL) return kgi_c_format(e, lanes ? "((kg_u32v)%s & 1u)" : "(uint32_t)%s", x);
  return x;
}

/* A var holds what a load of it gives. */
static const char *kept(kgi_c_emit *e, unsigned type, const char *x, bool lanes) {
  if (type == KG_BF16) return from_memory(e, type, to_memory(e, type, x, lanes), lanes);
  if (type != KG_I8 && type != KG_U8 && type != KG_I16 && type != KG_U16) return x;
  const char *cast = kg_type_name((kg_type)type);
  return kgi_c_format(e, lanes ? "kg_wrap_%s(%s)" : "kg_wrap_%s(kg_splat_u32(%s))[0]", cast, x);
}

/* ---- vars ---- */

static const char *var_functions(kgi_c_emit *e, unsigned type) {
  const char *carrier = kgi_c_carrier(type);
  uint32_t bit = UINT32_C(1) << kgi_c_carrier_index(type);
  if (!(e->owns & bit)) kgi_c_put(&e->made, "KG_ACCESS_OWN(%s, %s)\n", carrier, kgi_c_type(type, true));
  e->owns |= bit;
  return carrier;
}

static void load_var(kgi_c_emit *e, uint32_t i) {
  const kgi_inst *inst = &e->p->inst[i];
  uint32_t object = inst->arg[0], n = e->length[object];
  const char *w = var_name(e, object);
  bool lanes = !kgi_c_is_scalar(e, i);
  if (object_of(e, object)->scalar) kgi_c_define(e, i, w);
  else if (has_one_place(e, inst)) {
    const char *at = one_index(e, inst), *zero = kgi_c_format(e, "(%s){0}", kgi_c_type(inst->type, lanes));
    kgi_c_define(e, i, kgi_c_format(e, "%s < %uu ? %s[%s] : %s", at, n, w, at, zero));
  } else {
    const char *at = lane_index(e, inst), *name = var_functions(e, inst->type);
    kgi_c_define(e, i, kgi_c_format(e, "kg_own_get_%s(%s, %uu, %s)", name, w, n, at));
  }
}

static void store_var(kgi_c_emit *e, const kgi_inst *inst) {
  uint32_t object = inst->arg[0], n = e->length[object];
  const kgi_object *o = object_of(e, object);
  bool scalar = e->plan.var[object] == KGI_C_VAR_SCALAR;
  const char *w = var_name(e, object), *value = kept(e, o->type, kgi_c_value(e, inst->arg[2], !scalar), !scalar);
  const char *carrier = kgi_c_carrier(kgi_type_value(o->type));
  bool all = e->var_mask[object] == e->mask, one = has_one_place(e, inst);
  const char *at = o->scalar ? "" : one ? one_index(e, inst) : lane_index(e, inst);
  if (scalar && !o->scalar) kgi_c_line(e, "if (%s < %uu) %s[%s] = %s;", at, n, w, at, value);
  else if (scalar || (o->scalar && all)) kgi_c_line(e, "%s = %s;", w, value);
  else if (o->scalar) kgi_c_line(e, "%s = kg_select_%s(m%u, %s, %s);", w, carrier, e->mask, value, w);
  else if (one) kgi_c_line(e, "if (%s < %uu) %s[%s] = kg_select_%s(m%u, %s, %s[%s]);", at, n, w, at, carrier, e->mask, value, w, at);
  else {
    var_functions(e, kgi_type_value(o->type));
    kgi_c_line(e, "kg_own_set_%s(%s, %uu, %s, %s, m%u);", carrier, w, n, at, value, e->mask);
  }
}

/* ---- loads and stores ---- */

/* Where all lanes load one element it is loaded once. */
static bool load_alike(kgi_c_emit *e, uint32_t i, const char *name, const char *lanes) {
  const kgi_inst *inst = &e->p->inst[i];
  const kgi_object *o = object_of(e, inst->arg[0]);
  const char *sure, *at = kgi_c_same(e, inst->arg[1], &sure), *carrier = kgi_c_carrier(memory_type(o->type));
  if (!at || kgi_type_bits(index_type(e, inst)) == 64) return false;
  const char *when = sure ? sure : "true", *cast = index_type(e, inst) == KG_I32 ? "(uint64_t)(int32_t)" : "";
  const char *one = kgi_c_format(e, "kg_get_%s(kg_b%u, kg_n%u, %s%s)", name, inst->arg[0], inst->arg[0], cast, at);
  kgi_c_line(e, "const %s e%u = %s ? %s : 0;", element_of(o->type).one, i, when, one);
  const char *both = kgi_c_format(e, "(%s ? kg_splat_%s(e%u) : %s)", when, carrier, i, lanes);
  kgi_c_define(e, i, from_memory(e, o->type, both, true));
  const char *value = from_memory(e, o->type, kgi_c_format(e, "e%u", i), false);
  e->same[i] = value, e->sure[i] = sure;
  return true;
}

/* The way for places that may not lie side by side, and its arguments. What a place is made of is enough where that is known: then
 * nobody needs the places themselves, but that way. */
static const char *any_place(kgi_c_emit *e, const kgi_inst *inst, const char *name, const char *set) {
  uint32_t object = inst->arg[0];
  const char *flat = e->flat[inst->arg[1]], *index = flat ? flat : lane_index(e, inst);
  return kgi_c_format(e, "kg_%ssome_%s%s(kg_b%u, kg_n%u, %s", set, flat ? "flat_" : "", name, object, object, index);
}

static const char *row(kgi_c_emit *e, const kgi_inst *inst, const char *name, const char *first, const char *when) {
  uint32_t object = inst->arg[0];
  const char *kind = object_of(e, object)->space == KGI_SHARED ? "part" : "row";
  const char *side_by_side = kgi_c_format(e, "kg_%s_%s(kg_b%u, kg_n%u, %s, m%u)", kind, name, object, object, first, e->mask);
  if (!when) return side_by_side;
  return kgi_c_format(e, "(%s ? %s : %s, m%u))", when, side_by_side, any_place(e, inst, name, ""), e->mask);
}

static void set_row(kgi_c_emit *e, const kgi_inst *inst, const char *name, const char *first, const char *when, const char *x) {
  uint32_t object = inst->arg[0];
  const char *kind = object_of(e, object)->space == KGI_SHARED ? "part" : "row";
  if (when) kgi_c_line(e, "if (!(%s)) %s, %s, m%u);", when, any_place(e, inst, name, "set_"), x, e->mask);
  const char *side_by_side = kgi_c_format(e, "kg_set_%s_%s(kg_b%u, kg_n%u, %s", kind, name, object, object, first);
  kgi_c_line(e, "%s%s, %s, m%u, f%u);", when ? "else " : "", side_by_side, x, e->mask, e->mask);
}

void kgi_c_load(kgi_c_emit *e, uint32_t i) {
  const kgi_inst *inst = &e->p->inst[i];
  uint32_t object = inst->arg[0];
  const kgi_object *o = object_of(e, object);
  e->same[i] = e->sure[i] = NULL; /* what a copy of its block found out holds there */
  if (o->space == KGI_VAR) {
    load_var(e, i);
    return;
  }
  bool strided = is_strided(o), one = has_one_place(e, inst), lanes = !kgi_c_is_scalar(e, i);
  const char *name = accessed(e, o->type, strided), *when, *first = one ? NULL : first_index(e, inst, &when), *x;
  const char *extra = strided ? kgi_c_format(e, ", %s", steps(e, o)) : "", *kind = strided ? "strided_" : "";
  if (one) x = kgi_c_format(e, "kg_get_%s%s(kg_b%u, kg_n%u, %s%s)", kind, name, object, object, one_index(e, inst), extra);
  else if (first) {
    kgi_c_ask_ahead(e, inst, kgi_c_format(e, "kg_b%u", object), first);
    x = row(e, inst, name, first, when);
  }
  else x = kgi_c_format(e, "kg_gather_%s%s(kg_b%u, kg_n%u, %s, m%u, f%u%s)", kind, name, object, object, lane_index(e, inst), e->mask, e->mask, extra);
  if (!one && !first && !strided && load_alike(e, i, name, x)) return;
  if (e->tiled[i] && !first) x = kgi_c_tile(e, i, x);
  if (one && lanes) x = kgi_c_format(e, "kg_splat_%s(%s)", kgi_c_carrier(memory_type(o->type)), x);
  kgi_c_define(e, i, from_memory(e, o->type, x, lanes));
}

void kgi_c_store(kgi_c_emit *e, uint32_t i) {
  const kgi_inst *inst = &e->p->inst[i];
  uint32_t object = inst->arg[0];
  const kgi_object *o = object_of(e, object);
  if (o->space == KGI_VAR) {
    store_var(e, inst);
    return;
  }
  bool strided = is_strided(o), one = has_one_place(e, inst) && kgi_c_is_scalar(e, inst->arg[2]);
  const char *name = accessed(e, o->type, strided), *when, *first = one ? NULL : first_index(e, inst, &when);
  const char *extra = strided ? kgi_c_format(e, ", %s", steps(e, o)) : "", *kind = strided ? "strided_" : "";
  const char *x = to_memory(e, o->type, kgi_c_value(e, inst->arg[2], !one), !one);
  if (one) kgi_c_line(e, "if (f%u || kg_any(m%u)) kg_set_%s%s(kg_b%u, kg_n%u, %s, %s%s);", e->mask, e->mask, kind, name, object, object, one_index(e, inst), x, extra);
  else if (first) set_row(e, inst, name, first, when, x);
  else kgi_c_line(e, "kg_scatter_%s%s(kg_b%u, kg_n%u, %s, %s, m%u%s);", kind, name, object, object, lane_index(e, inst), x, e->mask, extra);
}

/* ---- atomics ---- */

static const char *changed(kgi_atomic op, bool is_signed, bool real) {
  switch (op) {
  case KGI_ATOMIC_add: return "old + x";
  case KGI_ATOMIC_min: return real ? "kg_less(old, x)" : is_signed ? "(kg_as_signed(old) < kg_as_signed(x) ? old : x)" : "(old < x ? old : x)";
  case KGI_ATOMIC_max: return real ? "kg_more(old, x)" : is_signed ? "(kg_as_signed(old) > kg_as_signed(x) ? old : x)" : "(old > x ? old : x)";
  case KGI_ATOMIC_and: return "old & x";
  case KGI_ATOMIC_or: return "old | x";
  case KGI_ATOMIC_xor: return "old ^ x";
  case KGI_ATOMIC_compare_exchange: return "(old == x ? y : old)";
  case KGI_ATOMIC_exchange: case KGI_ATOMIC_store: return "x";
  case KGI_ATOMIC_load: case KGI_ATOMIC_COUNT: break;
  }
  return "old";
}

/* The function that does it for each lane, in order. */
static const char *atomic_function(kgi_c_emit *e, const kgi_inst *inst) {
  const kgi_object *o = object_of(e, inst->arg[0]);
  kgi_atomic op = (kgi_atomic)inst->op;
  bool shared = o->space == KGI_SHARED, is_signed = kgi_type_kind_of(o->type) == KGI_SINT, real = kgi_is_float(o->type);
  bool extreme = op == KGI_ATOMIC_min || op == KGI_ATOMIC_max;
  element x = element_of(o->type);
  const char *type = extreme ? kg_type_name((kg_type)o->type) : memory_name(o->type);
  const char *name = kgi_c_format(e, "kg_%s_%s_%s", shared ? "shared" : "atomic", kgi_atomic_rows[op].name, type);
  uint32_t key = (uint32_t)op * 64 + memory_type(o->type) * 4 + shared * 2 + (extreme && is_signed);
  if (e->atomics[key]) return name;
  e->atomics[key] = true;
  kgi_c_put(&e->made, "%s(%s, %s, %s, %s, %s)\n", op == KGI_ATOMIC_load ? "KG_ATOMIC_LOAD" : shared ? "KG_SHARED_ATOMIC" : "KG_ATOMIC", name,
            x.memory, x.lanes, x.one, changed(op, is_signed, real));
  return name;
}

/* Sums whose results nobody uses, of shared memory, or of a buffer that this thread may have for itself. */
static bool is_sum(const kgi_c_emit *e, uint32_t i) {
  const kgi_inst *inst = &e->p->inst[i];
  return inst->op == KGI_ATOMIC_add && !e->plan.uses[i];
}

static void add(kgi_c_emit *e, const kgi_inst *inst, const char *where, const char *x) {
  const kgi_object *o = object_of(e, inst->arg[0]);
  const char *name = accessed(e, o->type, false), *when, *first = has_one_place(e, inst) ? NULL : first_index(e, inst, &when);
  uint32_t bit = UINT32_C(1) << memory_type(o->type);
  element t = element_of(o->type);
  const char *carrier = kgi_c_carrier(memory_type(o->type));
  if (!(e->adds & bit)) kgi_c_put(&e->made, "KG_ADD(%s, %s, %s, kg_select_%s)\n", name, t.lanes, t.one, carrier);
  e->adds |= bit;
  const char *one = has_one_place(e, inst) ? one_index(e, inst) : NULL, *index = lane_index(e, inst);
  if (one) kgi_c_line(e, "kg_add_one_%s(%s, kg_n%u, %s, %s[0]);", name, where, inst->arg[0], one, x);
  else if (first) {
    kgi_c_ask_ahead(e, inst, where, first);
    if (when) kgi_c_line(e, "if (!(%s)) kg_add_%s(%s, kg_n%u, %s, %s, m%u);", when, name, where, inst->arg[0], index, x, e->mask);
    const char *side_by_side = kgi_c_format(e, "kg_add_row_%s(%s, kg_n%u, %s", name, where, inst->arg[0], first);
    kgi_c_line(e, "%s%s, %s, m%u, f%u);", when ? "else " : "", side_by_side, x, e->mask, e->mask);
  } else kgi_c_line(e, "kg_add_%s(%s, kg_n%u, %s, %s, m%u);", name, where, inst->arg[0], index, x, e->mask);
}

/* Many lanes that add to one element: their sum is added, once. */
static const char *folded(kgi_c_emit *e, const kgi_inst *inst, const char *x) {
  const char *function = kgi_c_fold(e, KGI_SUBGROUP_add, object_of(e, inst->arg[0])->type);
  return kgi_c_format(e, "%s(%s, m%u)", function, x, e->mask);
}

static void atomic(kgi_c_emit *e, uint32_t i, const char *x, bool fold) {
  const kgi_inst *inst = &e->p->inst[i];
  const kgi_object *o = object_of(e, inst->arg[0]);
  const char *function = atomic_function(e, inst), *index = lane_index(e, inst), *y = x;
  if (inst->arg[3]) y = kgi_c_value(e, inst->arg[3], true);
  const char *mask = kgi_c_format(e, fold ? "kg_first_of(m%u)" : "m%u", e->mask), *zero = kgi_c_format(e, "(%s){0}", element_of(o->type).lanes);
  const char *call = kgi_c_format(e, "%s((void *)kg_b%u, kg_n%u, %s, %s, %s, %s, %s)", function, inst->arg[0], inst->arg[0], index,
                                  x ? x : zero, y ? y : zero, mask, steps(e, o));
  if (e->plan.uses[i] && inst->type) kgi_c_define(e, i, call);
  else kgi_c_line(e, "%s;", call);
}

void kgi_c_atomic(kgi_c_emit *e, uint32_t i) {
  const kgi_inst *inst = &e->p->inst[i];
  const kgi_object *o = object_of(e, inst->arg[0]);
  if (o->type == KG_F16) {
    KGI_DIAG(e->diags, spirv_atomic, e->p->inst_pos[i], kgi_string(e->m, o->name));
    kgi_c_refuse(e, KG_REFUSED);
    return;
  }
  const char *x = inst->arg[2] ? kgi_c_value(e, inst->arg[2], true) : NULL;
  bool fold = is_sum(e, i) && has_one_place(e, inst);
  if (fold) x = folded(e, inst, x);
  if (!is_sum(e, i)) atomic(e, i, x, false);
  else if (o->space == KGI_SHARED) add(e, inst, kgi_c_format(e, "kg_b%u", inst->arg[0]), x);
  else if (e->added[inst->arg[0]]) {
    kgi_c_line(e, "if (kg_o%u) {", inst->arg[0]);
    e->depth++;
    add(e, inst, kgi_c_format(e, "kg_o%u", inst->arg[0]), x);
    e->depth--;
    kgi_c_line(e, "} else {");
    e->depth++;
    atomic(e, i, x, fold);
    e->depth--;
    kgi_c_line(e, "}");
  } else atomic(e, i, x, fold);
}
