/* A text that is valid is emitted, or refused with a diagnostic: as SPIR-V that SPIRV-Tools takes, and as C in which no name or value
 * leaves its place. */
#include "fuzz/replay.h"

#include <kgrad/c.h>
#include <kgrad/spirv.h>

#include <string.h>

typedef struct heard { unsigned errors; char id[64]; } heard;
static void hear(void *user, const kg_diag *diag) {
  heard *h = user;
  if (diag->severity != KG_ERROR) return;
  h->errors++;
  snprintf(h->id, sizeof h->id, "%s", diag->id);
}

/* What is valid is emitted, or refused; "emission-defect" is what SPIRV-Tools' validation finds. */
static void settled(kg_status status, const heard *h) {
  if (status == KG_OK) return;
  fprintf(stderr, "%s, %s\n", kg_status_name(status), h->id);
  FUZZ_REQUIRE(status == KG_REFUSED && h->errors);
}

/* ---- C ---- */

/* Behind the comment, string or character that begins here; `at` itself where none does. NULL: it does not end. */
static const char *skipped(const char *at) {
  if (at[0] == '/' && at[1] == '*') {
    const char *end = strstr(at + 2, "*/");
    return end ? end + 2 : NULL;
  }
  if (at[0] == '/' && at[1] == '/') return at + strcspn(at, "\n");
  if (*at != '"' && *at != '\'') return at;
  for (const char *p = at + 1; *p && *p != '\n'; p++) {
    if (*p == *at) return p + 1;
    if (*p == '\\' && p[1]) p++;
  }
  return NULL;
}

static bool is_printable(const char *text, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (text[i] != '\n' && (text[i] < ' ' || text[i] > '~')) return false;
  return true;
}

/* Whether brackets close in turn, and comments and strings end. */
static bool is_closed(const char *text) {
  static const char brackets[] = "()[]{}";
  char open[256];
  size_t depth = 0;
  while (text && *text) {
    const char *behind = skipped(text), *bracket = strchr(brackets, *text);
    text = behind == text ? text + 1 : behind;
    if (!bracket) continue;
    size_t kind = (size_t)(bracket - brackets);
    if (kind % 2 == 0 && depth < sizeof open) open[depth++] = (char)kind;
    else if (kind % 2 == 0 || !depth || open[--depth] != (char)(kind - 1)) return false;
  }
  return text && !depth;
}

typedef kg_status writer(const kg_allocator *alloc, const kg_module *m, const kg_c_params *params, const kg_sink *sink,
                         char **text, size_t *size);

static void write_c(const kg_module *m, writer *write, const kg_c_params *params) {
  heard h = {0};
  kg_sink sink = {hear, &h};
  char *text = NULL;
  size_t size = 0;
  kg_status status = write(NULL, m, params, &sink, &text, &size);
  settled(status, &h);
  if (status != KG_OK) return;
  bool fine = strlen(text) == size && is_printable(text, size) && is_closed(text);
  if (!fine) fputs(text, stderr);
  FUZZ_REQUIRE(fine);
  kg_bytes_free(NULL, text, size + 1);
}

/* ---- SPIR-V ---- */

static void write_spirv(const kg_module *m, const kg_spirv_params *params) {
  heard h = {0};
  kg_sink sink = {hear, &h};
  uint32_t *words = NULL;
  size_t count = 0;
  kg_status status = kg_spirv_emit(NULL, m, params, &sink, &words, &count);
  settled(status, &h);
  if (status == KG_OK) kg_bytes_free(NULL, words, count * sizeof *words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  kg_module *m = NULL;
  if (kg_module_parse(NULL, "input", (const char *)data, size, NULL, &m) != KG_OK) return 0;
  write_spirv(m, &(kg_spirv_params){.names = true});
  write_spirv(m, &(kg_spirv_params){.without = (UINT32_C(1) << KG_FEATURE_COUNT) - 1, .math = KG_MATH_FAST, .loop_budget = 100});
  write_spirv(m, &(kg_spirv_params){.portable = true, .packed = true});
  write_c(m, kg_c_emit, &(kg_c_params){0});
  write_c(m, kg_c_emit, &(kg_c_params){.kernels_only = true, .math = KG_MATH_FAST});
  write_c(m, kg_c_header, &(kg_c_params){0});
  kg_module_free(m);
  return 0;
}
