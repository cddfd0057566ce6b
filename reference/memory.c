/* Loads and stores: first which element each lane means, then the elements. */
#include "reference/bound.h"
#include "reference/watch.h"

/* Loops over lanes are to become vectors; at -O2 gcc's cost model leaves loops of unknown length alone. */
#if defined __GNUC__ && !defined __clang__ && defined __OPTIMIZE__
#pragma GCC optimize("O3")
#endif

/* Slots of an index type, held against the length; a negative index is out of bounds as a huge one is. */
#define LOCATE(T, U) \
  { \
    const T *index = slots; \
    size_t first = begin; \
    for (uint32_t l = mask->first; l < mask->end; l++) { \
      uint64_t i = (uint64_t)(U)index[l]; \
      bool inside = i < length; \
      outside += mask->lane[l] & !inside; \
      where[l] = (mask->lane[l] & inside) ? (size_t)i * step + first : KGI_NOWHERE; \
      first += own; \
    } \
    break; \
  }

static uint32_t first_outside(const kgi_machine *m, const kgi_mask *mask) {
  uint32_t l = mask->first;
  while (!mask->lane[l] || m->where[l] != KGI_NOWHERE) l++;
  return l;
}

/* An index as a number. One of an unsigned type that is past 2^63 wraps. */
static int64_t index_at(const kgi_machine *m, uint32_t value, uint32_t lane) {
  const void *slots = m->slot[value];
  kg_type type = kgi_type_at(m->plan->program, value);
  if (type == KG_I32) return ((const int32_t *)slots)[lane];
  if (type == KG_U32) return ((const uint32_t *)slots)[lane];
  return ((const int64_t *)slots)[lane];
}

static void count_outside(kgi_machine *m, uint32_t inst, const kgi_mask *mask, uint64_t outside) {
  const kgi_inst *x = &m->plan->program->inst[inst];
  kg_reference_report *report = m->report;
  uint32_t lane = first_outside(m, mask), group = m->outside ? lane / m->group_lanes : 0;
  int64_t index = index_at(m, x->arg[1], lane);
  if (m->watcher->checks & KG_CHECK_BOUNDS) kgi_watch_outside(m, inst, lane, index, outside);
  if (group < m->outside) {
    m->outside = group;
    report->out_of_bounds_index = index, report->out_of_bounds_length = m->memory[x->arg[0]].length;
    report->out_of_bounds_line = kgi_pos_line(m->plan->program->inst_pos[inst]);
    report->out_of_bounds_column = kgi_pos_column(m->plan->program->inst_pos[inst]);
  }
  if (kgi_writes(x)) report->out_of_bounds_stores += outside;
  else report->out_of_bounds_loads += outside;
}

void kgi_locate(kgi_machine *m, uint32_t inst, const kgi_mask *mask) {
  const kgi_memory *memory = &m->memory[m->plan->program->inst[inst].arg[0]];
  uint32_t index = m->plan->program->inst[inst].arg[1];
  size_t *where = m->where, step = memory->row ? 1 : memory->step, own = memory->lanes != 0;
  size_t begin = memory->row ? 0 : memory->first + mask->first * own; /* rows are found at the end */
  uint64_t length = memory->length, outside = 0;
  const void *slots = m->slot[index];
  switch (index ? kgi_type_at(m->plan->program, index) : KG_NONE) {
  case KG_I32: LOCATE(int32_t, int64_t)
  case KG_U32: LOCATE(uint32_t, uint64_t)
  case KG_I64: LOCATE(int64_t, int64_t)
  case KG_U64: LOCATE(uint64_t, uint64_t)
  case KG_NONE: /* a scalar */
    for (uint32_t l = mask->first; l < mask->end; l++) where[l] = mask->lane[l] ? memory->first + l * own : KGI_NOWHERE;
    break;
  case KG_BOOL: case KG_F16: case KG_F32: case KG_F64: case KG_I8: case KG_U8: case KG_I16: case KG_U16: case KG_BF16: break;
  }
  for (uint32_t l = mask->first; index && memory->row && l < mask->end; l++)
    if (where[l] != KGI_NOWHERE) where[l] = kgi_memory_at(memory, where[l]);
  if (outside) count_outside(m, inst, mask, outside);
}

#define GATHER(SLOT, ELEMENT, FROM) \
  { \
    SLOT *y = slots; \
    const ELEMENT *x = (const void *)memory->base; \
    for (uint32_t l = first; l < end; l++) y[l] = where[l] == KGI_NOWHERE ? (SLOT)0 : (SLOT)FROM(x[where[l]]); \
    break; \
  }
#define SCATTER(SLOT, ELEMENT, TO) \
  { \
    const SLOT *x = slots; \
    ELEMENT *y = (void *)memory->base; \
    for (uint32_t l = first; l < end; l++) \
      if (where[l] != KGI_NOWHERE) y[where[l]] = (ELEMENT)TO(x[l]); \
    break; \
  }
#define SAME(x) (x)

void kgi_gather(const kgi_memory *memory, const size_t *where, void *slots, uint32_t first, uint32_t end) {
  switch ((kg_type)memory->type) {
  case KG_BOOL: GATHER(uint32_t, uint8_t, SAME)
  case KG_I32: case KG_U32: GATHER(uint32_t, uint32_t, SAME)
  case KG_I64: case KG_U64: GATHER(uint64_t, uint64_t, SAME)
  case KG_F32: GATHER(float, float, SAME)
  case KG_F64: GATHER(double, double, SAME)
  case KG_F16: GATHER(float, uint16_t, kgi_half_decode)
  case KG_BF16: GATHER(float, uint16_t, kgi_bf16_decode)
  case KG_I8: GATHER(int32_t, int8_t, SAME)
  case KG_U8: GATHER(uint32_t, uint8_t, SAME)
  case KG_I16: GATHER(int32_t, int16_t, SAME)
  case KG_U16: GATHER(uint32_t, uint16_t, SAME)
  case KG_NONE: break;
  }
}

void kgi_scatter(const kgi_memory *memory, const size_t *where, const void *slots, uint32_t first, uint32_t end) {
  switch ((kg_type)memory->type) {
  case KG_BOOL: SCATTER(uint32_t, uint8_t, SAME)
  case KG_I32: case KG_U32: SCATTER(uint32_t, uint32_t, SAME)
  case KG_I64: case KG_U64: SCATTER(uint64_t, uint64_t, SAME)
  case KG_F32: SCATTER(float, float, SAME)
  case KG_F64: SCATTER(double, double, SAME)
  case KG_F16: SCATTER(float, uint16_t, kgi_half_encode)
  case KG_BF16: SCATTER(float, uint16_t, kgi_bf16_encode)
  case KG_I8: SCATTER(int32_t, int8_t, SAME)
  case KG_U8: SCATTER(uint32_t, uint8_t, SAME)
  case KG_I16: SCATTER(int32_t, int16_t, SAME)
  case KG_U16: SCATTER(uint32_t, uint16_t, SAME)
  case KG_NONE: break;
  }
}

/* A scalar var of a type that is stored as it computes lies like the slots themselves. */
static bool like_slots(const kgi_memory *memory, uint32_t index) {
  return memory->lanes && !index && memory->size == kgi_slot_size((kg_type)memory->type);
}

/* For the active lanes; nothing is where the others would write. */
static void copy_slots(const kgi_mask *mask, size_t size, void *to, const void *from) {
  uint32_t first = mask->first, end = mask->end;
  const uint32_t *active = mask->lane;
  if (kgi_dense(mask)) {
    memcpy((char *)to + first * size, (const char *)from + first * size, (end - first) * size);
  } else if (size == 4) {
    uint32_t *y = to;
    const uint32_t *x = from;
    for (uint32_t l = first; l < end; l++) y[l] = active[l] ? x[l] : y[l];
  } else {
    uint64_t *y = to;
    const uint64_t *x = from;
    for (uint32_t l = first; l < end; l++) y[l] = active[l] ? x[l] : y[l];
  }
}

void kgi_exec_load(kgi_machine *m, uint32_t i, const kgi_mask *mask) {
  const kgi_inst *x = &m->plan->program->inst[i];
  const kgi_memory *memory = &m->memory[x->arg[0]];
  bool own = like_slots(memory, x->arg[1]);
  if (own) {
    size_t from = (size_t)mask->first * memory->size, bytes = (size_t)(mask->end - mask->first) * memory->size;
    memcpy((char *)m->slot[i] + from, memory->base + from, bytes);
    if (memory->watch) kgi_watch_own(m, i, mask);
    if (!memory->tangent && !memory->cells) return;
  }
  kgi_locate(m, i, mask);
  if (!own && memory->watch) kgi_watch_access(m, i, mask);
  if (!own) kgi_gather(memory, m->where, m->slot[i], mask->first, mask->end);
  if (memory->tangent) kgi_tangent_gather(m, memory, i, mask);
  if (memory->cells) kgi_bound_load(m, i, mask);
}

void kgi_exec_store(kgi_machine *m, uint32_t i, const kgi_mask *mask) {
  const kgi_inst *x = &m->plan->program->inst[i];
  const kgi_memory *memory = &m->memory[x->arg[0]];
  bool own = like_slots(memory, x->arg[1]);
  if (own) {
    copy_slots(mask, memory->size, memory->base, m->slot[x->arg[2]]);
    if (memory->watch) kgi_watch_own(m, i, mask);
    if (!memory->tangent && !memory->cells) return;
  }
  kgi_locate(m, i, mask);
  if (!own && memory->watch) kgi_watch_access(m, i, mask);
  if (!own) kgi_scatter(memory, m->where, m->slot[x->arg[2]], mask->first, mask->end);
  if (memory->tangent) kgi_tangent_scatter(m, memory, x->arg[2], mask);
  if (memory->cells) kgi_bound_store(m, i, mask);
}

static void clear(const kgi_machine *m, const kgi_memory *memory, size_t at, size_t count) {
  memset(memory->base + at * memory->size, 0, count * memory->size);
  if (memory->watch) memset(memory->watch->written + at, 0, count);
  for (uint32_t k = 0; k < m->tangents && memory->tangent; k++) {
    memset(memory->tangent + k * memory->total + at, 0, count * sizeof(double));
    memset(memory->magnitude + k * memory->total + at, 0, count * sizeof(double));
  }
}

/* What a var holds after its declaration is not defined; here it is 0, always. */
void kgi_exec_var(kgi_machine *m, uint32_t i, const kgi_mask *mask) {
  const kgi_memory *memory = &m->memory[m->plan->program->inst[i].arg[0]];
  if (memory->cells) kgi_bound_var(m, i, mask);
  for (uint64_t e = 0; e < memory->length; e++) {
    size_t row = (size_t)e * memory->lanes;
    for (uint32_t l = mask->first, end; l < mask->end; l = end) { /* runs of active lanes */
      end = kgi_dense(mask) ? mask->end : l + 1;
      if (mask->lane[l]) clear(m, memory, row + l, end - l);
    }
  }
}
