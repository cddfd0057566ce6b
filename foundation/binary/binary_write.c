#include "foundation/binary/binary.h"
#include "foundation/ir/adjoint.h"
#include "foundation/ir/slices.h"

#include <stdio.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

const char *kgi_make_up(kgi_made_up *out, char letter, uint32_t number) {
  out->text[0] = letter, out->text[1] = 0;
  if (letter && number) snprintf(out->text, sizeof out->text, "%c%u", letter, number);
  return out->text;
}

bool kgi_has_name(const kgi_inst *inst, char *letter) {
  *letter = inst->kind == KGI_var ? 'v' : 0;
  return inst->kind == KGI_var || kgi_is_region(inst) || inst->type != KG_NONE;
}

/* ---- bytes ---- */

typedef struct section { uint8_t *bytes; size_t size, cap; } section;

typedef struct writer {
  kg_allocator alloc;
  const kg_module *m;
  section semantics, names;
  bool failed, named;        /* `named`: an entry says what a reader would not make up */
  kgi_arena scratch;
  uint32_t *string;          /* of each string: its number among those in the names, from 1 */
  uint32_t strings, position;
  bool *stated;              /* by program: it names its adjoint, or is one */
  bool told;                 /* so is the one being declared: the semantics tell its names */
  /* the program being written */
  const kgi_program *p;
  const kgi_scope *scope;
  uint32_t *value;           /* of each instruction: its number, from 1; 0: none yet */
  uint32_t values;
  uint32_t *object;          /* of each object: its number, from 1 */
  uint32_t objects, vars;
  uint32_t open[KGI_MAX_DEPTH + 1], opened; /* repeats around */
  uint32_t repeats;
} writer;

static void put(writer *w, section *s, const void *bytes, size_t size) {
  size_t need, wanted = s->cap ? s->cap : 256;
  if (w->failed || !size) return;
  if (!kgi_size_add(s->size, size, &need)) w->failed = true;
  while (!w->failed && wanted < need)
    if (!kgi_size_mul(wanted, 2, &wanted)) w->failed = true;
  if (w->failed) return;
  if (wanted != s->cap) {
    uint8_t *grown = kgi_resize(&w->alloc, s->bytes, s->cap, wanted);
    if (!grown) {
      w->failed = true;
      return;
    }
    s->bytes = grown, s->cap = wanted;
  }
  memcpy(s->bytes + s->size, bytes, size);
  s->size = need;
}

static void put_varint(writer *w, section *s, uint64_t value) {
  uint8_t bytes[10];
  size_t n = 0;
  do {
    bytes[n] = (uint8_t)(value & 0x7F);
    value >>= 7;
    if (value) bytes[n] |= 0x80;
    n++;
  } while (value);
  put(w, s, bytes, n);
}

static uint64_t zigzag(int64_t value) { return (uint64_t)value << 1 ^ (uint64_t)(value >> 63); }

static void varint(writer *w, uint64_t value) { put_varint(w, &w->semantics, value); }

static void byte(writer *w, unsigned value) { put(w, &w->semantics, &(uint8_t){(uint8_t)value}, 1); }

/* ---- names ---- */

static void name_text(writer *w, kgi_str name) {
  const char *text = kgi_string(w->m, name);
  if (w->string[name.i]) {
    put_varint(w, &w->names, w->strings - w->string[name.i] + 2);
    return;
  }
  w->string[name.i] = ++w->strings;
  put_varint(w, &w->names, 1);
  put_varint(w, &w->names, strlen(text));
  put(w, &w->names, text, strlen(text));
}

static void name_entry(writer *w, kgi_str name, char letter, uint32_t number) {
  kgi_made_up other;
  bool made_up = !strcmp(kgi_string(w->m, name), kgi_make_up(&other, letter, number));
  if (made_up) put_varint(w, &w->names, 0);
  else name_text(w, name);
  w->named |= !made_up;
}

static void position_entry(writer *w, kgi_pos pos) {
  put_varint(w, &w->names, zigzag((int64_t)pos - w->position));
  w->position = pos;
  w->named |= pos != 0;
}

static void entry(writer *w, kgi_str name, kgi_pos pos, char letter, uint32_t number) {
  name_entry(w, name, letter, number);
  position_entry(w, pos);
}

/* Of a param or buffer; of a program with a stated adjoint, and of that one, the names stand in the semantics. */
static void declared_entry(writer *w, kgi_str name, kgi_pos pos, char letter, uint32_t number) {
  if (w->told) put_varint(w, &w->names, 0);
  else name_entry(w, name, letter, number);
  position_entry(w, pos);
}

/* ---- declarations ---- */

static void dim(writer *w, kgi_dim d) {
  const kgi_dim_node *n = &w->scope->dim[d.i];
  byte(w, d.i ? n->op : KGI_DIM_NONE);
  switch (d.i ? (kgi_dim_op)n->op : KGI_DIM_NONE) {
  case KGI_DIM_NONE: return;
  case KGI_DIM_INT: varint(w, zigzag(n->imm)); return;
  case KGI_DIM_FLOAT:
    for (unsigned k = 0; k < 8; k++) byte(w, (unsigned)((uint64_t)n->imm >> (8 * k) & 0xFF));
    return;
  case KGI_DIM_PARAM: case KGI_DIM_SPEC: case KGI_DIM_LEN: varint(w, n->a); return;
  case KGI_DIM_INDEX:
    for (uint32_t k = w->opened; k-- > 0;)
      if (w->open[k] == n->a) varint(w, w->opened - 1 - k);
    return;
  case KGI_DIM_ADD: case KGI_DIM_SUB: case KGI_DIM_MUL: case KGI_DIM_DIV: case KGI_DIM_MOD: case KGI_DIM_MIN: case KGI_DIM_MAX:
    dim(w, (kgi_dim){n->a}), dim(w, (kgi_dim){n->b});
    return;
  }
}

static void dims(writer *w, const kgi_dim d[3]) {
  for (unsigned k = 0; k < 3; k++) dim(w, d[k]);
}

static void specs(writer *w) {
  varint(w, w->scope->spec_count - 1);
  for (uint32_t i = 1; i < w->scope->spec_count; i++) {
    const kgi_spec *k = &w->scope->spec[i];
    byte(w, k->type | (k->numbered ? KGI_BIN_NUMBERED : 0u)), varint(w, k->bits);
    if (k->numbered) varint(w, k->id);
    entry(w, k->name, k->pos, 'k', i);
  }
}

static void params(writer *w) {
  varint(w, w->scope->param_count - 1);
  for (uint32_t i = 1; i < w->scope->param_count; i++) {
    const kgi_param *p = &w->scope->param[i];
    byte(w, p->type);
    byte(w, (p->has_default ? KGI_BIN_DEFAULT : 0u) | (p->ranged ? KGI_BIN_PARAM_RANGE : 0u) |
                (p->pushed ? KGI_BIN_PUSHED : p->placed ? KGI_BIN_PARAM_VIEW : 0u));
    if (p->has_default) varint(w, p->bits);
    if (p->ranged) dim(w, p->lo), dim(w, p->hi);
    if (p->placed && !p->pushed) varint(w, p->set), varint(w, p->binding);
    if (p->placed) varint(w, p->offset);
    declared_entry(w, p->name, p->pos, 'a', i);
  }
}

static void object_body(writer *w, const kgi_object *o) {
  byte(w, o->type);
  if (o->space == KGI_BUFFER) byte(w, o->mode);
  byte(w, (o->scalar ? KGI_BIN_SCALAR : 0u) | (o->length.i && !o->rank ? KGI_BIN_LENGTH : 0u) | (o->ranged ? KGI_BIN_RANGE : 0u) |
              (o->view ? KGI_BIN_VIEW : 0u) | (o->rank ? KGI_BIN_EXTENTS : 0u) | (o->row ? KGI_BIN_ROWS : 0u) |
              (o->draw ? KGI_BIN_DRAW : 0u));
  if (o->rank) byte(w, o->rank);
  else if (o->length.i) dim(w, o->length);
  for (unsigned k = 0; k < o->rank; k++) dim(w, o->extent[k]);
  if (o->ranged) dim(w, o->lo), dim(w, o->hi);
  if (o->draw) byte(w, o->draw);
  if (o->view) varint(w, o->set), varint(w, o->binding), varint(w, o->offset), varint(w, o->stride);
  if (o->row) varint(w, o->row), varint(w, o->every);
}

/* All objects of that space, in their order. */
static void objects(writer *w, kgi_space space, char letter) {
  const kgi_scope *s = w->scope;
  uint32_t count = 0;
  for (uint32_t i = 1; i < s->object_count; i++) count += s->object[i].space == space;
  varint(w, count);
  count = 0;
  for (uint32_t i = 1; i < s->object_count; i++) {
    if (s->object[i].space != space) continue;
    if (w->object) w->object[i] = ++w->objects;
    object_body(w, &s->object[i]);
    if (space == KGI_BUFFER) declared_entry(w, s->object[i].name, s->object[i].pos, letter, ++count);
    else entry(w, s->object[i].name, s->object[i].pos, letter, ++count);
  }
}

/* ---- values ---- */

static void leaf(writer *w, const kgi_inst *inst) {
  if (inst->kind == KGI_len && inst->arg[1]) {
    byte(w, KGI_BIN_LEN_OF_DIM), varint(w, w->object[inst->arg[0]]), byte(w, inst->arg[1] - 1);
    return;
  }
  byte(w, inst->kind);
  if (inst->kind == KGI_literal) byte(w, inst->type), varint(w, kgi_literal_bits(inst));
  else if (inst->kind == KGI_id) byte(w, inst->op), byte(w, inst->arg[0]);
  else varint(w, inst->kind == KGI_len ? w->object[inst->arg[0]] : inst->arg[0]);
}

static void value(writer *w, uint32_t i) {
  if (!i) {
    varint(w, 0);
  } else if (w->value[i]) {
    varint(w, w->values - w->value[i] + 2);
  } else {
    varint(w, 1);
    leaf(w, &w->p->inst[i]);
    w->value[i] = ++w->values;
  }
}

static void block(writer *w, kgi_blk blk);

static void text(writer *w, uint32_t string) {
  const char *bytes = w->m->string[string];
  varint(w, strlen(bytes));
  put(w, &w->semantics, bytes, strlen(bytes));
}

static void declare(writer *w, uint32_t object) {
  w->object[object] = ++w->objects;
  object_body(w, &w->p->scope.object[object]);
}

/* Its name and position; an if, for or region is met before what is in it. */
static void inst_entry(writer *w, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  char letter;
  if (kgi_has_name(inst, &letter)) {
    kgi_str name = w->p->inst_name[i];
    if (inst->kind == KGI_var) name = w->p->scope.object[inst->arg[0]].name, w->vars++;
    if (kgi_is_region(inst)) name = (kgi_str){inst->arg[1]};
    name_entry(w, name, letter, w->vars);
  }
  position_entry(w, w->p->inst_pos[i]);
}

static void control(writer *w, uint32_t i, const kgi_inst *inst) {
  bool otherwise = inst->kind == KGI_if && inst->arg[2] && w->p->block[inst->arg[2]].first;
  if (inst->kind == KGI_if) {
    value(w, inst->arg[0]), byte(w, otherwise);
    block(w, inst->arg[1]);
    if (otherwise) block(w, inst->arg[2]);
  } else if (inst->kind == KGI_for) {
    byte(w, inst->flags & KGI_REVERSED);
    for (unsigned k = 0; k < 3; k++) value(w, inst->arg[k]);
    w->value[i] = ++w->values;
    block(w, inst->arg[3]);
  } else if (inst->kind == KGI_while) {
    dim(w, (kgi_dim){inst->arg[3]});
    block(w, inst->arg[1]), value(w, inst->arg[0]), block(w, inst->arg[2]);
  } else {
    block(w, inst->arg[0]);
  }
}

static void instruction(writer *w, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  kgi_span operands = kgi_operands(inst);
  byte(w, inst->kind);
  inst_entry(w, i);
  if (kgi_kind_rows[inst->kind].table != KGI_OF_NONE) byte(w, inst->op);
  if (kgi_touches(inst)) varint(w, w->object[kgi_object_of(inst)]);
  if (inst->kind == KGI_var) declare(w, inst->arg[0]);
  if (kgi_owned_blocks(inst).count) {
    control(w, i, inst);
    return;
  }
  for (unsigned k = 0; k < operands.count; k++) value(w, inst->arg[operands.first + k]);
  if (inst->kind == KGI_op && (inst->op == KGI_OP_convert || inst->op == KGI_OP_bitcast)) byte(w, inst->type);
  if (inst->kind == KGI_check) text(w, inst->arg[1]);
  if (inst->type != KG_NONE) w->value[i] = ++w->values;
}

static void block(writer *w, kgi_blk blk) {
  KGI_EACH(w->p, blk, i) instruction(w, i);
  byte(w, KGI_none);
}

static void program(writer *w, uint32_t index) {
  const kgi_program *p = w->m->program[index];
  w->p = p, w->scope = &p->scope;
  w->values = w->objects = w->vars = 0;
  w->value = kgi_arena_alloc(&w->scratch, p->inst_count, sizeof *w->value);
  w->object = kgi_arena_alloc(&w->scratch, p->scope.object_count, sizeof *w->object);
  if (w->scratch.failed) return;
  entry(w, p->name, p->pos, 'p', index);
  w->told = w->stated[index];
  specs(w), params(w);
  objects(w, KGI_BUFFER, 'b'), objects(w, KGI_SHARED, 's');
  w->told = false;
  dims(w, p->workgroup);
  byte(w, (p->grid_is_invocations && kgi_dim_is_set(p->grid) ? KGI_BIN_INVOCATIONS : 0) | (p->adjoint ? KGI_BIN_ADJOINT : 0));
  dims(w, p->grid);
  if (p->adjoint) varint(w, p->adjoint);
  block(w, KGI_BODY);
}

/* ---- modules ---- */

static void items(writer *w, uint32_t first);

static void slice(writer *w, kgi_slice slice) {
  dim(w, slice.from);
  if (kgi_is_slice(slice)) dim(w, slice.to);
}

/* They say what belongs together. */
static void told_names(writer *w) {
  for (uint32_t i = 1; i < w->m->program_count; i++) {
    const kgi_scope *s = &w->m->program[i]->scope;
    if (!w->stated[i]) continue;
    for (uint32_t q = 1; q < s->param_count; q++) text(w, s->param[q].name.i);
    for (uint32_t o = 1; o < kgi_buffer_end(s); o++) text(w, s->object[o].name.i);
  }
}

static void run(writer *w, uint32_t index) {
  const kgi_item *item = &w->m->item[index];
  const kgi_scope *inner = &w->m->program[item->program]->scope;
  uint32_t buffers = kgi_buffer_end(inner) - 1;
  bool slices = kgi_run_has_slices(w->m, index);
  byte(w, slices ? KGI_BIN_RUN_OF_SLICES : KGI_BIN_RUN);
  varint(w, item->program);
  byte(w, item->grid_is_invocations && kgi_dim_is_set(item->grid)), dims(w, item->grid);
  for (uint32_t i = 0; i < buffers; i++) {
    varint(w, w->m->bind[item->binding + i]);
    if (slices) slice(w, kgi_run_slice(w->m, index, i + 1));
  }
  for (uint32_t i = 0; i + 1 < inner->param_count; i++) dim(w, (kgi_dim){w->m->bind[item->binding + buffers + i]});
  position_entry(w, item->pos);
}

static void items(writer *w, uint32_t first) {
  for (uint32_t i = first; i && !w->failed; i = w->m->item[i].next) {
    const kgi_item *item = &w->m->item[i];
    if (item->kind == KGI_ITEM_RUN) {
      run(w, i);
      continue;
    }
    byte(w, KGI_BIN_REPEAT), byte(w, item->reversed);
    dim(w, item->from), dim(w, item->to), dim(w, item->step);
    entry(w, item->name, item->pos, 'i', ++w->repeats);
    w->open[w->opened++] = i;
    items(w, item->first);
    w->opened--;
  }
  byte(w, KGI_BIN_END);
}

static void module(writer *w) {
  const kg_module *m = w->m;
  byte(w, m->lone);
  if (m->lone) {
    program(w, 1);
    return;
  }
  w->scope = &m->scope;
  entry(w, m->name, m->pos, 'm', 0);
  params(w), objects(w, KGI_BUFFER, 'b');
  varint(w, m->program_count - 1);
  for (uint32_t i = 1; i < m->program_count && !w->scratch.failed; i++) program(w, i);
  if (!w->scratch.failed) told_names(w);
  w->scope = &m->scope;
  items(w, m->first_item);
}

static void encode(writer *w, const kg_module *m, const kg_allocator *alloc) {
  *w = (writer){.m = m};
  if (alloc) w->alloc = *alloc;
  kgi_arena_init(&w->scratch, alloc);
  w->string = kgi_arena_alloc(&w->scratch, m->string_count, sizeof *w->string);
  w->stated = kgi_stated_programs(m, &w->scratch);
  if (w->string && w->stated) module(w);
  w->failed |= w->scratch.failed;
  kgi_arena_free(&w->scratch);
}

static void discard(writer *w) {
  kgi_free(&w->alloc, w->semantics.bytes, w->semantics.cap);
  kgi_free(&w->alloc, w->names.bytes, w->names.cap);
}

kg_status kg_module_encode(const kg_allocator *alloc, const kg_module *m, const kg_sink *sink, uint8_t **out, size_t *size) {
  static const uint8_t magic[] = {'K', 'G', 'B', 0x1A};
  writer w;
  section file = {0};
  encode(&w, m, alloc);
  put(&w, &file, magic, sizeof magic);
  put_varint(&w, &file, KGI_BINARY_VERSION);
  put_varint(&w, &file, w.semantics.size);
  put(&w, &file, w.semantics.bytes, w.semantics.size);
  if (w.named) {
    put_varint(&w, &file, w.names.size);
    put(&w, &file, w.names.bytes, w.names.size);
  }
  discard(&w);
  /* The caller frees by size, so the block must have exactly that. */
  uint8_t *exact = w.failed ? NULL : kgi_resize(&w.alloc, file.bytes, file.cap, file.size);
  if (!exact) {
    kgi_free(&w.alloc, file.bytes, file.cap);
    return kgi_no_memory(sink);
  }
  *out = exact, *size = file.size;
  return KG_OK;
}

kg_status kg_module_digest(const kg_module *m, const kg_sink *sink, kg_digest *out) {
  writer w;
  XXH128_canonical_t canonical;
  encode(&w, m, &m->arena.alloc);
  if (!w.failed) {
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(w.semantics.bytes, w.semantics.size));
    memcpy(out->bytes, canonical.digest, sizeof out->bytes);
  }
  discard(&w);
  return w.failed ? kgi_no_memory(sink) : KG_OK;
}
