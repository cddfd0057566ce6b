#include "fuzz/hunt/standalone.h"

#include "spirv/block.h"

#include <kgrad/c.h>
#include <kgrad/spirv.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 256 }; /* of what a descriptor begins at, on any device */

typedef struct writing {
  const kgi_standalone *s;
  FILE *out;
  kgi_abi abi;
  uint32_t runs;
  FILE *rows; /* of the table of runs */
} writing;

/* ---- numbers as C ---- */

static void put_words(FILE *out, const char *name, const void *bytes, size_t size) {
  fprintf(out, "static const uint32_t %s[] = {", name);
  for (size_t i = 0; i < size; i += 4) {
    uint32_t word = 0;
    memcpy(&word, (const char *)bytes + i, size - i < 4 ? size - i : 4);
    fprintf(out, "%s0x%x,", i % 32 ? " " : "\n  ", word);
  }
  fputs(size ? "\n};\n" : "0};\n", out);
}

static void put_double(FILE *out, double x) {
  if (isnan(x)) fputs("NAN", out);
  else if (isinf(x)) fputs(x < 0 ? "-INFINITY" : "INFINITY", out);
  else fprintf(out, "%.17g", x);
}

static void put_doubles(FILE *out, const char *base, uint32_t number, const double *x, uint64_t count) {
  fprintf(out, "static const double %s_%u[] = {", base, number);
  for (uint64_t k = 0; k < count; k++) fputs(k % 6 ? " " : "\n  ", out), put_double(out, x[k]), fputc(',', out);
  fputs(count ? "\n};\n" : "0};\n", out);
}

/* In a comment nothing may end it. */
static void put_comment(FILE *out, const char *text) {
  fputs(" * ", out);
  for (const char *at = text; *at; at++) {
    if (at[0] == '*' && at[1] == '/') continue;
    fputc(*at, out);
    if (*at == '\n' && at[1]) fputs(" * ", out);
  }
}

/* ---- what the host runs ---- */

static char letter_of(kg_type type) {
  switch (type) {
  case KG_F16: case KG_F32: case KG_F64: return 'f';
  case KG_BF16: return 'b';
  case KG_I8: case KG_I16: case KG_I32: case KG_I64: return 'i';
  case KG_NONE: case KG_BOOL: case KG_U8: case KG_U16: case KG_U32: case KG_U64: break;
  }
  return 'u';
}

static void put_datas(const writing *w) {
  const kgi_evidence *e = w->s->evidence;
  for (uint32_t i = 0; i < e->buffers; i++) {
    char name[32];
    size_t size = (size_t)e->length[i] * kg_type_size(kg_module_buffer(e->module, i).type);
    snprintf(name, sizeof name, "bytes_%u", i);
    put_words(w->out, name, e->before[i], size);
    if (e->bounded && e->low[i])
      put_doubles(w->out, "low", i, e->low[i], e->length[i]), put_doubles(w->out, "high", i, e->high[i], e->length[i]);
  }
  fputs("typedef struct element { char type; size_t bytes; } element;\n"
        "typedef struct data { const char *name; const void *bytes; size_t size; uint64_t count; element element; const double *low, *high; } data;\n"
        "static const data datas[] = {\n", w->out);
  for (uint32_t i = 0; i < e->buffers; i++) {
    kg_buffer_info info = kg_module_buffer(e->module, i);
    size_t bytes = kg_type_size(info.type);
    fprintf(w->out, "  {\"%s\", bytes_%u, %zu, %" PRIu64 ", {'%c', %zu}, ", info.name, i, (size_t)e->length[i] * bytes, e->length[i],
            letter_of(info.type), bytes);
    if (e->bounded && e->low[i]) fprintf(w->out, "low_%u, high_%u},\n", i, i);
    else fputs("0, 0},\n", w->out);
  }
  fprintf(w->out, "};\nenum { BUFFERS = %u };\n", e->buffers);
}

static kg_status put_slot(const writing *w, const kgi_run *run, const kgi_abi_slot *slot) {
  static const char *const kinds[] = {[KGI_SLOT_BUFFER] = "BUFFER", [KGI_SLOT_PARAMS] = "PARAMS", [KGI_SLOT_STATUS] = "STATUS"};
  uint64_t offset = 0, range = 0;
  uint32_t buffer = 0;
  if (slot->kind == KGI_SLOT_BUFFER) {
    const kgi_object *o = &run->program->scope.object[slot->object];
    size_t size = kgi_type_bits(o->type) / 8;
    buffer = run->buffer[slot->object] - 1;
    bool whole = run->from[slot->object] == 0 && run->to[slot->object] == w->s->evidence->length[buffer];
    offset = run->from[slot->object] * size;
    range = whole ? 0 : (run->to[slot->object] - run->from[slot->object]) * size;
    if (o->view || offset % ALIGNMENT || (!whole && (!range || range % 4))) return KG_REFUSED;
  }
  fprintf(w->out, "  {%u, %u, %s, %u, %" PRIu64 ", %" PRIu64 "},\n", slot->place.set, slot->place.binding, kinds[slot->kind], buffer,
          offset, range);
  return KG_OK;
}

static kg_status put_run(void *user, const kgi_run *run) {
  writing *w = user;
  const kgi_abi_program *a = &w->abi.program[run->program_index];
  kgi_abi_slot *slots = calloc(a->buffers + (size_t)2, sizeof *slots);
  unsigned char *block = calloc(a->block_size + (size_t)4, 1);
  kg_status status = slots && block ? KG_OK : KG_NO_MEMORY;
  uint32_t count = status == KG_OK ? kgi_abi_slots(a, slots) : 0;
  char name[32];
  fprintf(w->out, "static const slot slots_%u[] = {\n", w->runs);
  for (uint32_t i = 0; status == KG_OK && i < count; i++) status = put_slot(w, run, &slots[i]);
  fputs("  {0, 0, STATUS, 0, 0, 0}};\n", w->out);
  snprintf(name, sizeof name, "block_%u", w->runs);
  if (status == KG_OK) kgi_abi_fill_block(a, run, block), put_words(w->out, name, block, a->block_size);
  fprintf(w->rows, "  {\"%s\", %u, %u, slots_%u, %u, %d, block_%u, {%u, %u, %u}},\n",
          kgi_string(w->s->evidence->module, run->program->name), a->sets, count,
          w->runs, a->block_size, a->params_binding == KGI_NO_BINDING, w->runs, run->groups[0], run->groups[1], run->groups[2]);
  w->runs++;
  free(slots), free(block);
  return w->runs > 500 ? KG_REFUSED : status;
}

static kg_status put_runs(writing *w, kgi_arena *arena) {
  const kgi_evidence *e = w->s->evidence;
  char *rows = NULL;
  size_t size = 0;
  kgi_layout layout;
  kgi_diags diags = {.file = "reproduce"};
  uint64_t *length = kgi_arena_alloc(arena, e->buffers + 1, sizeof *length);
  if (!length || !(w->rows = open_memstream(&rows, &size))) return KG_NO_MEMORY;
  for (uint32_t i = 0; i < e->buffers; i++) length[i] = kg_module_buffer(e->module, i).mode == KG_TEMP ? KGI_LENGTH_UNKNOWN : e->length[i];
  fputs("enum { BUFFER, PARAMS, STATUS };\n"
        "typedef struct slot { uint32_t set, binding, kind, buffer; uint64_t offset, range; } slot;\n"
        "typedef struct run {\n"
        "  const char *entry;\n"
        "  uint32_t sets, slots;\n"
        "  const slot *slot;\n"
        "  size_t block_size;\n"
        "  int pushed;\n"
        "  const void *block;\n"
        "  uint32_t groups[3];\n"
        "} run;\n", w->out);
  kg_status status = kgi_layout_init(&layout, e->module, e->param, length, arena, &diags);
  if (status == KG_OK) status = kgi_layout_each(&layout, put_run, w);
  fclose(w->rows);
  fprintf(w->out, "static const run runs[] = {\n%s};\nenum { RUNS = %u };\n\n", rows ? rows : "", w->runs);
  free(rows);
  return status;
}

static bool has_views(const kg_module *m) {
  for (uint32_t i = 1; i < m->scope.object_count; i++)
    if (m->scope.object[i].view) return true;
  return false;
}

static const char vulkan_usage[] =
    " *   cc reproduce.c -o reproduce -lvulkan -lm && ./reproduce\n"
    " * A number behind it chooses a device; the first is 0. Exit status 1: a result lies outside of what SPIR-V and Vulkan\n"
    " * allow, and it says which.\n";
static const char cpu_usage[] =
    " *   cc -std=c11 -O2 -march=native -Wno-psabi reproduce.c -o reproduce -lm && ./reproduce\n"
    " * Exit status 1: a result is none that the kernel may give, and it says which.\n";
static const char includes[] = "#include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n";

static void put_head(const writing *w, bool cpu) {
  const kgi_standalone *s = w->s;
  char *text = NULL;
  size_t size = 0;
  fprintf(w->out, "/* Shows what kgrad found on %s, %s, with %s alone:\n%s *\n", s->device, s->driver,
          cpu ? "a C compiler" : "a C compiler and the Vulkan loader", cpu ? cpu_usage : vulkan_usage);
  if (kg_module_print(NULL, s->evidence->module, NULL, &text, &size) == KG_OK) {
    put_comment(w->out, text);
    kg_bytes_free(NULL, text, size + 1);
  }
  fputs(" */\n", w->out);
}

static void put_lines(FILE *out, const char *const *lines, size_t count) {
  for (size_t i = 0; i < count; i++) fputs(lines[i], out);
}

static const char *const look[] = {
#include "fuzz/hunt/look.inc"
};
static const char *const vulkan[] = {
#include "fuzz/hunt/vulkan.inc"
};

static bool write_vulkan(writing *w) {
  const kgi_standalone *s = w->s;
  const kg_module *m = s->evidence->module;
  kgi_arena arena;
  uint32_t *words = NULL;
  size_t count = 0;
  kg_spirv_params params = {.math = s->math, .packed = true, .without = ~s->features,
                            .no_memory_barrier = strstr(s->device, "llvmpipe") != NULL};
  if (kg_spirv_emit(NULL, m, &params, NULL, &words, &count) != KG_OK) return false;
  kgi_arena_init(&arena, NULL);
  bool fine = kgi_abi_make(&arena, m, &(kgi_abi_wishes){.packed = true}, &w->abi);
  if (fine) {
    put_head(w, false);
    fprintf(w->out, "#include <vulkan/vulkan.h>\n\n%s", includes);
    put_words(w->out, "spirv", words, count * 4);
    put_datas(w);
    fine = put_runs(w, &arena) == KG_OK;
    put_lines(w->out, look, sizeof look / sizeof *look), put_lines(w->out, vulkan, sizeof vulkan / sizeof *vulkan);
  }
  kgi_arena_free(&arena);
  kg_bytes_free(NULL, words, count * 4);
  return fine;
}

/* ---- of the CPU device ---- */

static void put_param(FILE *out, kg_type type, uint64_t bits) {
  if (type == KG_F32 || type == KG_F64) {
    double x = kg_value_number(type, bits);
    if (isfinite(x)) fprintf(out, "%a", x);
    else put_double(out, x);
  } else if (type == KG_I32 || type == KG_I64)
    fprintf(out, "(int64_t)UINT64_C(%" PRIu64 ")", type == KG_I32 ? (uint64_t)(int64_t)(int32_t)bits : bits);
  else fprintf(out, "UINT64_C(%" PRIu64 ")", bits);
}

/* The arguments of the function that runs the module, in order (doc/c.md). */
static void put_call(const writing *w) {
  const kgi_evidence *e = w->s->evidence;
  const char *comma = "";
  fprintf(w->out, "  int failed = run_%s(", kg_module_name(e->module));
  for (uint32_t i = 0; i < e->params; i++, comma = ", ")
    fputs(comma, w->out), put_param(w->out, kg_module_param(e->module, i).type, e->param[i]);
  for (uint32_t i = 0; i < e->buffers; i++) {
    kg_buffer_info info = kg_module_buffer(e->module, i);
    if (info.mode == KG_TEMP) continue;
    fprintf(w->out, "%sleft[%u]", comma, i), comma = ", ";
    if (info.host_length) fprintf(w->out, ", %" PRIu64, e->length[i]);
  }
  fputs(");\n", w->out);
}

static bool write_cpu(writing *w) {
  kg_c_params params = {.math = w->s->math};
  char *text = NULL;
  size_t size = 0;
  if (kg_c_emit(NULL, w->s->evidence->module, &params, NULL, &text, &size) != KG_OK) return false;
  put_head(w, true);
  fwrite(text, 1, size, w->out);
  kg_bytes_free(NULL, text, size + 1);
  fputs(includes, w->out);
  put_datas(w);
  put_lines(w->out, look, sizeof look / sizeof *look);
  fputs("int main(void) {\n  void *left[BUFFERS + 1];\n"
        "  for (uint32_t i = 0; i < BUFFERS; i++) memcpy(left[i] = malloc(datas[i].size + 64), datas[i].bytes, datas[i].size);\n", w->out);
  put_call(w);
  fputs("  return look((const void *const *)left, failed);\n}\n", w->out);
  return true;
}

bool kgi_standalone_write(const kgi_standalone *s, FILE *out) {
  writing w = {.s = s, .out = out};
  if (has_views(s->evidence->module)) return false;
  return strcmp(s->id, "cpu") ? write_vulkan(&w) : write_cpu(&w);
}
