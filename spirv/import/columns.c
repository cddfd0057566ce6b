/* What memory of a variable is divided into: its columns, and where their elements lie. */
#include "spirv/import/import.h"
#include "foundation/base/limits.h"

/* The way from a variable to a scalar type. `matrix`: the stride of the matrices on it; `rows`: they lie row by row. */
typedef struct way {
  kgi_im_column column;
  uint32_t matrix;
  bool rows, bytes;
} way;

static void descend(kgi_import *im, way w, uint32_t type);

static bool add_level(kgi_import *im, const kgi_im_inst *x, way *w, uint32_t length, uint32_t count, uint32_t stride) {
  kgi_im_column *c = &w->column;
  if (c->depth == KGI_IM_LEVELS) return kgi_im_refuse(im, x, "its arrays nest too deep");
  if (w->bytes && !stride) return kgi_im_malformed(im, x->at, "an array without a stride in memory that has a layout");
  c->length[c->depth] = length, c->count[c->depth] = count, c->stride[c->depth] = stride;
  c->depth++;
  return true;
}

static void descend_array(kgi_import *im, way w, const kgi_im_inst *x) {
  uint32_t stride = 0, length = x->op == SpvOpTypeArray ? kgi_im_arg(im, x, 1) : 0;
  int64_t count = 0;
  kgi_im_decorated(im, x->result, KGI_IM_NONE, SpvDecorationArrayStride, &stride);
  if (length && kgi_im_known(im, length, &count)) length = 0;
  if (count < 0 || count > INT32_MAX) return (void)kgi_im_malformed(im, x->at, "an array of no possible length");
  if (!add_level(im, x, &w, length, (uint32_t)count, w.bytes ? stride : 0)) return;
  uint32_t inner = kgi_im_arg(im, x, 0);
  if (kgi_im_fine(im) && im->columns[inner] > 1) w.column.crowd = w.column.depth;
  descend(im, w, inner);
}

/* A matrix's parts are its columns, wherever they lie. */
static void descend_matrix(kgi_import *im, way w, const kgi_im_inst *x) {
  kgi_im_inst vector = kgi_im_def(im, kgi_im_arg(im, x, 0));
  uint32_t size = kgi_im_scalar_of(im, x->result).bits / 8;
  if (w.bytes && !w.matrix) return (void)kgi_im_malformed(im, x->at, "a matrix without a stride in memory that has a layout");
  uint32_t columns = kgi_im_arg(im, x, 1), rows = kgi_im_arg(im, &vector, 1);
  if (!add_level(im, x, &w, 0, columns, !w.bytes ? 0 : w.rows ? size : w.matrix)) return;
  if (!add_level(im, x, &w, 0, rows, !w.bytes ? 0 : w.rows ? w.matrix : size)) return;
  descend(im, w, kgi_im_arg(im, &vector, 0));
}

static void add_column(kgi_import *im, way w, uint32_t scalar) {
  if (!kgi_arena_grow(im->arena, &im->column, im->column_count, &im->column_cap, sizeof *im->column)) return;
  w.column.scalar = scalar;
  im->column[im->column_count++] = w.column;
}

static void descend_struct(kgi_import *im, way w, const kgi_im_inst *x) {
  if (w.column.steps == KGI_IM_LEVELS + 2) return (void)kgi_im_refuse(im, x, "its structs nest too deep");
  if (!x->args) return add_column(im, w, x->result);
  for (uint32_t k = 0; k < x->args && kgi_im_fine(im); k++) {
    way inner = w;
    uint32_t offset = 0;
    bool placed = kgi_im_decorated(im, x->result, k, SpvDecorationOffset, &offset);
    if (w.bytes && !placed) return (void)kgi_im_malformed(im, x->at, "a member without an offset in memory that has a layout");
    if (__builtin_add_overflow(w.column.offset, offset, &inner.column.offset))
      return (void)kgi_im_malformed(im, x->at, "a member too far away");
    kgi_im_decorated(im, x->result, k, SpvDecorationMatrixStride, &inner.matrix);
    inner.rows = kgi_im_decorated(im, x->result, k, SpvDecorationRowMajor, NULL);
    inner.column.path[inner.column.steps++] = kgi_im_name_of(im, x->result, k);
    descend(im, inner, x->arg[k]);
  }
}

static void descend(kgi_import *im, way w, uint32_t type) {
  kgi_im_inst x = kgi_im_def(im, type);
  if (!kgi_im_fine(im)) return;
  if (x.op == SpvOpTypeArray || x.op == SpvOpTypeRuntimeArray) {
    descend_array(im, w, &x);
  } else if (x.op == SpvOpTypeVector) {
    uint32_t size = kgi_im_scalar_of(im, type).bits / 8;
    if (add_level(im, &x, &w, 0, kgi_im_arg(im, &x, 1), w.bytes ? size : 0))
      descend(im, w, kgi_im_arg(im, &x, 0));
  } else if (x.op == SpvOpTypeMatrix) {
    descend_matrix(im, w, &x);
  } else if (x.op == SpvOpTypeStruct) {
    descend_struct(im, w, &x);
  } else if (kgi_im_scalar_of(im, type).value == KG_NONE) {
    kgi_im_refuse(im, &x, "memory of this type is not supported");
  } else {
    add_column(im, w, type);
  }
}

static bool has_layout(const kgi_im_variable *v) {
  return v->class == SpvStorageClassStorageBuffer || v->class == SpvStorageClassUniform || v->class == SpvStorageClassPushConstant;
}

/* Of a lane, or of the workgroup. */
static bool is_plain(SpvStorageClass class) {
  return class == SpvStorageClassFunction || class == SpvStorageClassPrivate || class == SpvStorageClassWorkgroup;
}

/* Whether pointers of a type are counted from, as those to the first of several elements are. */
static bool counts_elements(kgi_import *im, uint32_t type) {
  for (uint32_t at = im->entry_at; at < im->words; at = kgi_im_next(im, at)) {
    kgi_im_inst x = kgi_im_at(im, at);
    bool counts = x.op == SpvOpPtrAccessChain || x.op == SpvOpInBoundsPtrAccessChain;
    if (counts && x.args && kgi_im_type_of(im, x.arg[0]) == type) return true;
  }
  return false;
}

static bool describe_root(kgi_import *im, uint32_t id) {
  kgi_im_variable *v = &im->variable[id];
  kgi_im_inst type = kgi_im_def(im, v->pointer);
  uint32_t stride = 0;
  way w = {.column = {.variable = id}, .bytes = true};
  v->class = SpvStorageClassStorageBuffer, v->storage = v->described = true, v->builtin = KGI_IM_NONE;
  v->type = kgi_im_pointee(im, v->pointer);
  if (!kgi_im_fine(im) || !im->columns[v->type]) return kgi_im_refuse(im, &type, "what it leads to has no parts, or too many");
  v->elements = counts_elements(im, v->pointer) && kgi_im_decorated(im, v->pointer, KGI_IM_NONE, SpvDecorationArrayStride, &stride);
  v->first = im->column_count;
  if (v->elements && !add_level(im, &type, &w, 0, 0, stride)) return false;
  if (v->elements && im->columns[v->type] > 1) w.column.crowd = w.column.depth;
  descend(im, w, v->type);
  v->columns = im->column_count - v->first;
  return kgi_im_fine(im);
}

/* As the array is, but for its place. */
static bool describe_descriptor(kgi_import *im, uint32_t id) {
  kgi_im_variable *v = &im->variable[id];
  const kgi_im_variable *array = &im->variable[v->array];
  kgi_im_inst x = kgi_im_def(im, v->array);
  v->type = kgi_im_component(im, array->type, 0);
  v->class = array->class, v->builtin = KGI_IM_NONE, v->described = true;
  if (!kgi_im_fine(im) || !im->columns[v->type]) return kgi_im_refuse(im, &x, "it has no parts, or too many");
  v->storage = v->class == SpvStorageClassStorageBuffer ||
               kgi_im_decorated(im, v->type, KGI_IM_NONE, SpvDecorationBufferBlock, NULL);
  v->first = im->column_count;
  descend(im, (way){.column = {.variable = id}, .bytes = true}, v->type);
  v->columns = im->column_count - v->first;
  return kgi_im_fine(im);
}

bool kgi_im_describe(kgi_import *im, uint32_t id) {
  kgi_im_inst x = kgi_im_def(im, id);
  kgi_im_variable *v = &im->variable[id < im->bound ? id : 0];
  if (!kgi_im_fine(im) || v->described) return kgi_im_fine(im);
  bool is_copy = x.op == SpvOpLoad || x.op == SpvOpPhi;
  if (v->pointer) return describe_root(im, id);
  if (v->array) return kgi_im_describe(im, v->array) && describe_descriptor(im, id);
  if (x.op != SpvOpVariable && !is_copy) return kgi_im_refuse(im, &x, "it stands for a pointer in memory");
  *v = (kgi_im_variable){.class = is_copy ? SpvStorageClassFunction : (SpvStorageClass)kgi_im_arg(im, &x, 0), .described = true};
  v->type = is_copy ? x.type : kgi_im_pointee(im, x.type);
  kgi_im_decorated(im, id, KGI_IM_NONE, SpvDecorationDescriptorSet, &v->set);
  kgi_im_decorated(im, id, KGI_IM_NONE, SpvDecorationBinding, &v->binding);
  v->builtin = KGI_IM_NONE;
  kgi_im_decorated(im, id, KGI_IM_NONE, SpvDecorationBuiltIn, &v->builtin);
  v->storage =
      v->class == SpvStorageClassStorageBuffer || kgi_im_decorated(im, v->type, KGI_IM_NONE, SpvDecorationBufferBlock, NULL);
  v->first = im->column_count;
  if (v->class == SpvStorageClassUniformConstant) return kgi_im_refuse(im, &x, "images and samplers are not supported");
  if (v->class == SpvStorageClassInput) return true;
  if (!has_layout(v) && !is_plain(v->class)) return kgi_im_refuse(im, &x, "its storage class is not one that compute shaders have");
  if (kgi_im_is_descriptors(im, v)) return kgi_im_fine(im);
  if (has_layout(v) && kgi_im_def(im, v->type).op != SpvOpTypeStruct)
    return kgi_im_refuse(im, &x, "arrays of arrays of descriptors are not supported");
  if (!im->columns[v->type]) return kgi_im_refuse(im, &x, "it has no parts, or too many");
  descend(im, (way){.column = {.variable = id}, .bytes = has_layout(v)}, v->type);
  v->columns = im->column_count - v->first;
  return kgi_im_fine(im);
}
