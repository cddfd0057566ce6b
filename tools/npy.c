#include "tools/npy.h"

#include "tools/diag.h"
#include "tools/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  char kind;
  unsigned char size;
  kg_type type;
  const char *dtype;
} kinds[] = {
    {'b', 1, KG_BOOL, "numpy.bool_"},  {'i', 1, KG_I8, "numpy.int8"},     {'i', 2, KG_I16, "numpy.int16"},
    {'i', 4, KG_I32, "numpy.int32"},   {'i', 8, KG_I64, "numpy.int64"},   {'u', 1, KG_U8, "numpy.uint8"},
    {'u', 2, KG_U16, "numpy.uint16"},  {'u', 4, KG_U32, "numpy.uint32"},  {'u', 8, KG_U64, "numpy.uint64"},
    {'f', 2, KG_F16, "numpy.float16"}, {'f', 4, KG_F32, "numpy.float32"}, {'f', 8, KG_F64, "numpy.float64"},
    {'V', 2, KG_BF16, "ml_dtypes.bfloat16"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };
static const char magic[] = "\x93NUMPY";

/* The header is a Python dictionary; this reads the few forms of it that can occur. `problem` is the first one found. */
typedef struct reader {
  const char *at, *end;
  const char *problem;
  bool seen_type, seen_order, seen_shape;
  char type[16];
  bool fortran, fields; /* `fields`: elements are structs */
  tool_array *array;
} reader;

static bool fail(reader *r, const char *problem) {
  if (!r->problem) r->problem = problem;
  return false;
}

static void skip_space(reader *r) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r')) r->at++;
}

static bool take(reader *r, char c) {
  skip_space(r);
  if (r->at == r->end || *r->at != c) return false;
  r->at++;
  return true;
}

static bool read_string(reader *r, char *out, size_t size) {
  char quote = take(r, '\'') ? '\'' : take(r, '"') ? '"' : 0;
  size_t used = 0;
  if (!quote) return fail(r, "expected a quoted word");
  for (; r->at < r->end && *r->at != quote; r->at++) {
    if (used + 1 == size || *r->at == '\\') return fail(r, "a word is too long");
    out[used++] = *r->at;
  }
  out[used] = 0;
  return take(r, quote) || fail(r, "a word does not end");
}

const char *tool_npy_dtype(kg_type type) {
  for (size_t i = 0; i < KINDS; i++)
    if (kinds[i].type == type) return kinds[i].dtype;
  return "";
}

static bool take_word(reader *r, const char *word) {
  size_t size = strlen(word);
  skip_space(r);
  if ((size_t)(r->end - r->at) < size || memcmp(r->at, word, size) != 0) return false;
  r->at += size;
  return true;
}

static bool read_dimension(reader *r) {
  tool_array *a = r->array;
  uint64_t n = 0;
  skip_space(r);
  if (r->at == r->end || *r->at < '0' || *r->at > '9') return fail(r, "expected a size in the shape");
  for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
    uint64_t digit = (uint64_t)(*r->at - '0');
    if (n > (UINT64_MAX - digit) / 10) return fail(r, "a size does not fit 64 bits");
    n = n * 10 + digit;
  }
  if (a->dims == TOOL_NPY_MAX_DIMS) return fail(r, "more than 32 dimensions");
  a->shape[a->dims++] = n;
  return true;
}

/* A tuple: (), (3,), (3, 4). */
static bool read_shape(reader *r) {
  if (!take(r, '(')) return fail(r, "the shape is no tuple");
  while (!take(r, ')')) {
    if (!read_dimension(r)) return false;
    if (take(r, ',')) continue;
    return take(r, ')') || fail(r, "the shape does not end");
  }
  return true;
}

static bool first_time(reader *r, bool *seen) {
  if (*seen) return fail(r, "a key occurs twice");
  return *seen = true;
}

static bool read_entry(reader *r) {
  char key[24];
  if (!read_string(r, key, sizeof key)) return false;
  if (!take(r, ':')) return fail(r, "expected a colon");
  if (strcmp(key, "descr") == 0) {
    r->fields = take(r, '[');
    return !r->fields && first_time(r, &r->seen_type) && read_string(r, r->type, sizeof r->type);
  }
  if (strcmp(key, "shape") == 0) return first_time(r, &r->seen_shape) && read_shape(r);
  if (strcmp(key, "fortran_order") != 0) return fail(r, "an unknown key");
  if (!first_time(r, &r->seen_order)) return false;
  r->fortran = take_word(r, "True");
  return r->fortran || take_word(r, "False") || fail(r, "fortran_order is neither True nor False");
}

static bool read_header(reader *r) {
  if (!take(r, '{')) return fail(r, "expected a dictionary");
  while (!take(r, '}')) {
    if (!read_entry(r)) return false;
    if (take(r, ',')) continue;
    if (!take(r, '}')) return fail(r, "the dictionary does not end");
    break;
  }
  skip_space(r);
  if (r->at != r->end) return fail(r, "something follows the dictionary");
  return (r->seen_type && r->seen_order && r->seen_shape) || fail(r, "descr, fortran_order or shape is missing");
}

/* "<f4": byte order, kind, size. */
static bool find_type(const char *text, kg_type *type, bool *swap) {
  char order = text[0];
  uint16_t one = 1;
  bool little = *(unsigned char *)&one == 1;
  if (!strchr("<>|=", order) || !order || !text[1] || !text[2] || text[3]) return false;
  for (size_t i = 0; i < KINDS; i++) {
    if (kinds[i].kind != text[1] || kinds[i].size != text[2] - '0') continue;
    if (order == '|' && kinds[i].size > 1 && kinds[i].kind != 'V') return false;
    *type = kinds[i].type;
    *swap = (order == '<' && !little) || (order == '>' && little);
    return true;
  }
  return false;
}

/* The number of bytes that the shape calls for; false where it does not fit. */
static bool total_size(tool_array *a) {
  bool empty = false, fits = true;
  a->count = 1;
  for (uint32_t i = 0; i < a->dims; i++) {
    if (a->shape[i] == 0) empty = true;
    if (a->shape[i] && a->count > UINT64_MAX / 16 / a->shape[i])
      fits = false;
    else
      a->count *= a->shape[i];
  }
  /* a zero makes it empty whatever the rest says */
  if (empty) a->count = 0;
  a->size = (size_t)a->count * kg_type_size(a->type);
  return empty || fits;
}

static void swap_bytes(unsigned char *p, size_t count, size_t width) {
  for (; width > 1 && count; count--, p += width)
    for (size_t i = 0; i < width / 2; i++) {
      unsigned char c = p[i];
      p[i] = p[width - 1 - i];
      p[width - 1 - i] = c;
    }
}

/* Where the header's text begins and how long it is; 0: a diagnostic was sent. */
static size_t find_header(const char *name, const unsigned char *p, size_t size, const kg_sink *sink, size_t *length) {
  if (size < 10 || memcmp(p, magic, 6) != 0) return TOOL_EMIT(sink, npy_magic, name, NULL), 0;
  if (p[6] < 1 || p[6] > 3) return TOOL_EMIT(sink, npy_version, name, TOOL_NUM(p[6])), 0;
  size_t start = p[6] == 1 ? 10 : 12;
  *length = (size_t)p[8] | (size_t)p[9] << 8;
  if (size < start) return TOOL_EMIT(sink, npy_header, name, "it is cut off"), 0;
  if (p[6] > 1) *length |= (size_t)p[10] << 16 | (size_t)p[11] << 24;
  if (*length > size - start) return TOOL_EMIT(sink, npy_header, name, "it is cut off"), 0;
  return start;
}

static bool copy_data(const char *name, const unsigned char *from, const kg_sink *sink, bool swap, tool_array *a) {
  a->data = malloc(a->size ? a->size : 1);
  if (!a->data) return TOOL_EMIT(sink, out_of_memory, name, NULL), false;
  memcpy(a->data, from, a->size);
  if (swap) swap_bytes(a->data, (size_t)a->count, kg_type_size(a->type));
  return true;
}

bool tool_npy_parse(const char *name, const void *bytes, size_t size, const kg_sink *sink, tool_array *out) {
  const unsigned char *p = bytes;
  tool_array array = {0};
  size_t length, start = find_header(name, p, size, sink, &length);
  if (!start) return false;
  reader r = {.at = (const char *)p + start, .end = (const char *)p + start + length, .array = &array};
  bool swap = false;
  bool readable = read_header(&r);
  if (r.fields) return TOOL_EMIT(sink, npy_fields, name, NULL), false;
  if (!readable) return TOOL_EMIT(sink, npy_header, name, r.problem), false;
  if (!find_type(r.type, &array.type, &swap)) return TOOL_EMIT(sink, npy_type, name, r.type), false;
  if (r.fortran && array.dims > 1) return TOOL_EMIT(sink, npy_fortran, name, NULL), false;
  if (!total_size(&array)) return TOOL_EMIT(sink, npy_shape, name, "its elements cannot be counted"), false;
  size_t rest = size - start - length;
  if (array.size != rest) return TOOL_EMIT(sink, npy_size, name, TOOL_NUM(array.size), TOOL_NUM(rest)), false;
  if (!copy_data(name, p + start + length, sink, swap, &array)) return false;
  *out = array;
  return true;
}

bool tool_npy_read(const char *path, const kg_sink *sink, tool_array *out) {
  tool_bytes bytes;
  if (!tool_read_file_of(path, (size_t)1 << 36, magic, &bytes, sink)) return false;
  bool ok = tool_npy_parse(path, bytes.data, bytes.size, sink, out);
  free(bytes.data);
  return ok;
}

void tool_array_free(tool_array *array) {
  free(array->data);
  *array = (tool_array){0};
}

const char *tool_shape_format(const uint64_t *shape, uint32_t dims, tool_shape_text *out) {
  size_t used = (size_t)snprintf(out->text, sizeof out->text, "(");
  for (uint32_t i = 0; i < dims && used + 30 < sizeof out->text; i++)
    used += (size_t)snprintf(out->text + used, sizeof out->text - used, i ? ", %" PRIu64 : "%" PRIu64, shape[i]);
  snprintf(out->text + used, sizeof out->text - used, dims == 1 ? ",)" : ")");
  return out->text;
}

static const char *type_text(kg_type type, char text[4]) {
  for (size_t i = 0; i < KINDS; i++)
    if (kinds[i].type == type)
      snprintf(text, 4, "%c%c%c", kinds[i].size == 1 ? '|' : '<', kinds[i].kind, '0' + kinds[i].size);
  return text;
}

/* The data go out in the little-endian order that the header states. */
static void write_data(FILE *out, const unsigned char *data, size_t count, size_t width) {
  uint16_t one = 1;
  if (*(unsigned char *)&one == 1) {
    fwrite(data, width, count, out);
    return;
  }
  for (; count; count--, data += width)
    for (size_t i = width; i-- > 0;) putc(data[i], out);
}

void tool_npy_write(FILE *out, kg_type type, const uint64_t *shape, uint32_t dims, const void *data) {
  /* 32 dimensions of 20 digits each fit */
  char header[1024], text[4] = "";
  uint64_t count = 1;
  size_t used = (size_t)snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                                 type_text(type, text));
  for (uint32_t i = 0; i < dims && i < TOOL_NPY_MAX_DIMS; i++) {
    used += (size_t)snprintf(header + used, sizeof header - used, i ? " %" PRIu64 "," : "%" PRIu64 ",", shape[i]);
    count *= shape[i];
  }
  if (dims > 1) used--; /* only a tuple of one needs its comma */
  used += (size_t)snprintf(header + used, sizeof header - used, "), }");
  /* spaces and a newline, so that the data begin at a multiple of 64 */
  size_t total = (10 + used + 1 + 63) / 64 * 64 - 10;
  fwrite(magic, 1, 6, out);
  fwrite((unsigned char[]){1, 0, (unsigned char)total, (unsigned char)(total >> 8)}, 1, 4, out);
  fwrite(header, 1, used, out);
  for (; used + 1 < total; used++) putc(' ', out);
  putc('\n', out);
  write_data(out, data, (size_t)count, kg_type_size(type));
}
