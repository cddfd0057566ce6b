/* Programs that name an adjoint which is known to be right: the one that is made for them. A random module is differentiated, the
 * adjoints that come out are written back into its text as stated ones, and the gradient of that module is held against duals.
 * Where a shadow is cleared, left or bound otherwise than the plan of made adjoints has it, the two differ. */
#include "fuzz/ask/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PROGRAMS = 8, TEXT = 1 << 20 };

/* Text that grows at its end; what does not fit makes it fail. */
typedef struct text { char *at; size_t size; bool failed; } text;

static text begin_text(void) {
  text t = {.at = malloc(TEXT)};
  t.failed = !t.at;
  if (t.at) *t.at = 0;
  return t;
}

static void put(text *t, const char *from, size_t size) {
  t->failed |= size >= TEXT - t->size;
  if (t->failed) return;
  memcpy(t->at + t->size, from, size);
  t->size += size;
  t->at[t->size] = 0;
}

static void put_z(text *t, const char *z) { put(t, z, strlen(z)); }

static const char *line_end(const char *line) {
  const char *end = strchr(line, '\n');
  return end ? end + 1 : line + strlen(line);
}

static bool begins(const char *line, const char *with) { return !strncmp(line, with, strlen(with)); }

/* ---- a module around whose runs others touch all shadows ----
 *
 * A made adjoint goes by where its run stands: the module's last run turns round in place, who is the first to touch a shadow may store to
 * it, and who is the last need not clear it. A stated one adds to what is there, and clears what it takes. So a run in front writes to
 * each buffer, and one at the end reads from each. */

typedef struct declared { char name[101], type[8]; bool scalar, read, written; } declared;

static bool read_declared(const char *line, declared *d) {
  if (!begins(line, "  buffer ") || sscanf(line, "  buffer %100s : %7[a-z0-9]", d->name, d->type) != 2) return false;
  const char *end = line_end(line), *mark = strchr(line, '['), *mode = strstr(line, " read");
  d->scalar = !mark || mark >= end;
  d->read = mode && mode < end;
  mode = strstr(line, " read_write");
  d->written = !d->read || (mode && mode < end);
  mode = strstr(line, " temp");
  d->read |= mode && mode < end;
  return *d->type == 'f' || !strcmp(d->type, "bf16");
}

static void put_end(text *out, const char *module, bool front) {
  declared d;
  char line[400];
  put_z(out, front ? "  program head {\n    workgroup 1\n    grid 1\n    buffer head_in : f32 read\n"
                   : "  program tail {\n    workgroup 1\n    grid 1\n    buffer tail_out : f32 write\n");
  for (const char *at = module; *at; at = line_end(at)) {
    if (!read_declared(at, &d) || !(front ? d.written : d.read)) continue;
    snprintf(line, sizeof line, "    buffer %s : %s%s %s\n", d.name, d.type, d.scalar ? "" : "[]", front ? "write" : "read");
    put_z(out, line);
  }
  if (!front) put_z(out, "    var sum = 0.0\n");
  for (const char *at = module; *at; at = line_end(at)) {
    if (!read_declared(at, &d) || !(front ? d.written : d.read)) continue;
    const char *type = *d.type == 'b' ? "f32" : d.type, *first = d.scalar ? "" : "[0]";
    if (front) snprintf(line, sizeof line, "    %s%s = %s(head_in)\n", d.name, first, type);
    else snprintf(line, sizeof line, "    sum += f32(%s%s) * 0.125\n", d.name, first);
    put_z(out, line);
  }
  put_z(out, front ? "  }\n" : "    tail_out = sum\n  }\n");
}

static void put_tailed(text *out, const char *module) {
  const char *line = line_end(module), *close = module + strlen(module) - 2;
  put(out, module, (size_t)(line - module));
  put_z(out, "  buffer head_in : f32 read\n  buffer tail_out : f32 write\n");
  while (line < close && !begins(line, "  program ")) put(out, line, (size_t)(line_end(line) - line)), line = line_end(line);
  put_end(out, module, true), put_end(out, module, false);
  while (line < close && !begins(line, "  run ") && !begins(line, "  repeat "))
    put(out, line, (size_t)(line_end(line) - line)), line = line_end(line);
  put_z(out, "  run head\n");
  put(out, line, (size_t)(close - line));
  put_z(out, "  run tail\n}\n");
}

/* A lone program, and what it declares as the module's. */
static void put_module_of(text *out, const char *program) {
  char name[64] = "";
  sscanf(program, "program %63s", name);
  put_z(out, "module lone {\n");
  for (const char *line = program; *line; line = line_end(line))
    if (begins(line, "  param ") || begins(line, "  buffer ")) put(out, line, (size_t)(line_end(line) - line));
  for (const char *line = program; *line; line = line_end(line)) put_z(out, "  "), put(out, line, (size_t)(line_end(line) - line));
  put_z(out, "  run "), put_z(out, name), put_z(out, "\n}\n");
}

/* ---- programs and runs in the text of a module ---- */

static const char *find_program(const char *module, const char *name) {
  char head[160];
  snprintf(head, sizeof head, "\n  program %.100s {", name);
  const char *found = strstr(module, head);
  return found ? found + 1 : NULL;
}

static const char *program_end(const char *program) {
  const char *line = program;
  while (*line && !begins(line, "  }")) line = line_end(line);
  return line_end(line);
}

static unsigned runs_of(const char *module, const char *name) {
  unsigned count = 0;
  for (const char *line = module; *line; line = line_end(line)) {
    const char *word = line + strspn(line, " ");
    size_t length = strlen(name);
    count += begins(word, "run ") && !strncmp(word + 4, name, length) && strchr("( \n", word[4 + length]);
  }
  return count;
}

/* ---- a made adjoint as a stated one ---- */

/* Shadows are `read_write` there, and what is the program's own is `read`, without a range. */
static void put_declaration(text *out, const char *line) {
  static const char *const modes[] = {" read_write", " read", " write"};
  size_t size = (size_t)(line_end(line) - line) - 1;
  bool shadow = begins(line, "    buffer    grad_");
  for (size_t k = 0; k < 3; k++) {
    const char *mode = strstr(line, modes[k]);
    if (!mode || mode >= line + size) continue;
    put(out, line, (size_t)(mode - line));
    put_z(out, shadow ? " read_write" : modes[k]);
    break;
  }
  put_z(out, "\n");
}

static bool declares(const char *program, const char *buffer) {
  char head[200];
  snprintf(head, sizeof head, "    buffer    %.150s : ", buffer);
  const char *found = strstr(program, head);
  return found && found < program_end(program);
}

/* What stands for a program with a stated adjoint takes all that it loads to reach all that it stores: what the made one knows
 * better has a shadow that it leaves as it is. */
static void put_shadow(text *out, const char *adjoint, const char *name, const char *type, const char *extents) {
  char shadow[160];
  bool is_float = *type == 'f' || !strcmp(type, "bf16");
  snprintf(shadow, sizeof shadow, "grad_%.140s", name);
  if (!is_float || declares(adjoint, shadow)) return;
  put_z(out, "    buffer    "), put_z(out, shadow), put_z(out, !strcmp(type, "f64") ? " : f64" : " : f32");
  put_z(out, extents), put_z(out, " read_write\n");
}

static void put_untouched(text *out, const char *adjoint, const char *program) {
  for (const char *line = program, *end = program_end(program); line < end; line = line_end(line)) {
    char name[101], type[8], extents[200] = "";
    bool param = begins(line, "    param ") && sscanf(line, "    param %100s : %7[a-z0-9]", name, type) == 2;
    if (param) put_shadow(out, adjoint, name, type, "[1]");
    if (!begins(line, "    buffer ") || sscanf(line, "    buffer %100s : %7[a-z0-9]%199[^\n]", name, type, extents) < 2) continue;
    char *close = strrchr(extents, ']');
    if (close) close[1] = 0;
    put_shadow(out, adjoint, name, type, *extents == '[' ? extents : "");
  }
}

static void put_adjoint(text *out, const char *adjoint, const char *program) {
  for (const char *line = adjoint, *end = program_end(adjoint), *next; line < end; line = next) {
    next = line_end(line);
    bool buffer = begins(line, "    buffer ");
    if (buffer) put_declaration(out, line);
    else put(out, line, (size_t)(next - line));
    if (buffer && !begins(next, "    buffer ")) put_untouched(out, adjoint, program);
  }
}

/* The module with one program's adjoint stated, in front of that program. */
static void put_stated(text *out, const char *module, const char *name, const char *adjoint_name, const char *adjoint) {
  const char *program = find_program(module, name), *brace = strchr(program, '{');
  put(out, module, (size_t)(program - module));
  put_adjoint(out, adjoint, program);
  put(out, program, (size_t)(brace - program));
  put_z(out, "adjoint "), put_z(out, adjoint_name), put_z(out, " ");
  put_z(out, brace);
}

/* One adjoint for all its runs is one that holds for all of them. */
static const char *made_adjoint(const char *module, const char *gradient, const char *name, char adjoint_name[128]) {
  char second[140];
  snprintf(adjoint_name, 128, "%.100s_grad", name);
  snprintf(second, sizeof second, "%s_1", adjoint_name);
  if (find_program(gradient, second) || runs_of(module, name) != runs_of(gradient, adjoint_name)) return NULL;
  return find_program(gradient, adjoint_name);
}

static bool parses(const text *t) {
  kg_module *m = NULL;
  bool fine = !t->failed && kg_module_parse(NULL, "random.kg", t->at, t->size, NULL, &m) == KG_OK;
  kg_module_free(m);
  return fine;
}

/* As many programs as can: an adjoint with a tape, say, is none that can be stated. */
static unsigned state_adjoints(text *module, const char *gradient) {
  char names[MOST_PROGRAMS][101], adjoint_name[128];
  unsigned count = 0, stated = 0;
  for (const char *line = module->at; *line; line = line_end(line))
    if (count < MOST_PROGRAMS && begins(line, "  program ")) count += (unsigned)sscanf(line, " program %100s", names[count]) & 1;
  for (unsigned k = 0; k < count; k++) {
    bool end = !strcmp(names[k], "head") || !strcmp(names[k], "tail");
    const char *adjoint = end ? NULL : made_adjoint(module->at, gradient, names[k], adjoint_name);
    text with = begin_text();
    if (adjoint && !with.failed) put_stated(&with, module->at, names[k], adjoint_name, adjoint);
    bool adopted = adjoint && parses(&with);
    text kept = adopted ? with : *module, spare = adopted ? *module : with;
    free(spare.at);
    *module = kept;
    stated += adopted;
  }
  return stated;
}

/* ---- the property ---- */

/* By all inputs, the param of random programs too. */
static kg_status differentiate(const kg_module *m, kg_module **gradient) {
  const char *names[MOST_BUFFERS + 1];
  kg_grad_params params = {.wrt = names};
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++) {
    kg_buffer_info info = kg_module_buffer(m, i);
    bool floats = info.type == KG_F16 || info.type == KG_BF16 || info.type == KG_F32 || info.type == KG_F64;
    if (floats && (info.mode == KG_READ || info.mode == KG_READ_WRITE)) names[params.wrt_count++] = info.name;
  }
  if (kg_module_find_param(m, "scale") != UINT32_MAX) names[params.wrt_count++] = "scale";
  return kg_grad(m, &params, NULL, gradient);
}

static char *print_gradient(const text *module) {
  kg_module *m = NULL, *gradient = NULL;
  char *printed = NULL, *out = NULL;
  size_t size;
  if (kg_module_parse(NULL, "random.kg", module->at, module->size, NULL, &m) == KG_OK && differentiate(m, &gradient) == KG_OK &&
      kg_module_print(NULL, gradient, NULL, &printed, &size) == KG_OK) {
    out = malloc(size + 1);
    if (out) memcpy(out, printed, size + 1);
    kg_bytes_free(NULL, printed, size + 1);
  }
  kg_module_free(gradient), kg_module_free(m);
  return out;
}

static kgi_answer judge(kgi_ask *f, text *module) {
  char *gradient = module->failed ? NULL : print_gradient(module);
  kg_module *m = NULL;
  bool stated = gradient && state_adjoints(module, gradient);
  free(gradient);
  if (!stated || kg_module_parse(NULL, "random.kg", module->at, module->size, NULL, &m) != KG_OK) return KGI_VACUOUS;
  kgi_answer verdict = kgi_ask_gradient_holds(f, m);
  if (verdict == KGI_FAILS && getenv("KGRAD_FUZZ_STATED")) fputs(module->at, stdout);
  return verdict;
}

kgi_answer kgi_ask_stated(kgi_ask *f) {
  kg_module *m = kgi_ask_gradient_program(f);
  char *own = m ? kgi_ask_text(f) : NULL;
  text whole = begin_text(), module = begin_text();
  if (own && begins(own, "program ")) put_module_of(&whole, own);
  else if (own) put_z(&whole, own);
  if (own && !whole.failed && !module.failed) put_tailed(&module, whole.at);
  module.failed |= whole.failed;
  kgi_answer verdict = own ? judge(f, &module) : KGI_FAILS;
  free(own), free(whole.at), free(module.at);
  kg_module_free(m);
  return verdict;
}
