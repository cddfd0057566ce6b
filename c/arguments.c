#include "foundation/ir/number.h"
#include "c/arguments.h"

#include <stdio.h>
#include <string.h>

const char *kgi_c_host_type(unsigned type) {
  static const char *const names[KGI_TYPE_COUNT] = {
    [KG_BOOL] = "bool",     [KG_I8] = "int8_t",     [KG_U8] = "uint8_t",   [KG_I16] = "int16_t",  [KG_U16] = "uint16_t",
    [KG_I32] = "int32_t",   [KG_U32] = "uint32_t",  [KG_I64] = "int64_t",  [KG_U64] = "uint64_t", [KG_F16] = "uint16_t",
    [KG_BF16] = "uint16_t", [KG_F32] = "float",     [KG_F64] = "double",
  };
  return names[type];
}

/* ---- names ---- */

/* Words of C and C++, what the function itself uses, and what the usual headers define as macros. */
static const char *const taken_words[] = {
  "and", "and_eq", "alignas", "alignof", "asm", "assert", "auto", "bitand", "bitor", "bool", "break", "calloc", "case", "catch",
  "char", "class", "compl", "complex", "concept", "const", "consteval", "constexpr", "constinit", "const_cast", "continue",
  "co_await", "co_return", "co_yield", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum", "errno",
  "explicit", "export", "extern", "false", "float", "for", "free", "friend", "goto", "if", "imaginary", "inline", "int",
  "linux", "long", "memcpy", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq",
  "private", "protected", "public", "register", "reinterpret_cast", "requires", "restrict", "return", "short", "signed",
  "sizeof", "static", "static_assert", "static_cast", "stderr", "stdin", "stdout", "struct", "switch", "template", "this",
  "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "typeof", "union", "unix", "unsigned", "using",
  "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
  "I", "signgam",
};

static bool begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

/* Headers that a host includes besides define macros of capitals: EINVAL, M_PI, SIGINT. */
static bool looks_like_macro(const char *name) {
  size_t n = strlen(name);
  return n > 1 && strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == n;
}

static bool is_taken(const char *name) {
  size_t n = strlen(name);
  if (n > 2 && !strcmp(name + n - 2, "_t")) return true;
  if (looks_like_macro(name) || begins(name, "PRI") || begins(name, "SCN")) return true;
  for (size_t i = 0; i < sizeof taken_words / sizeof *taken_words; i++)
    if (!strcmp(name, taken_words[i])) return true;
  return false;
}

static const char *join(kgi_printer *t, const char *a, const char *b) {
  size_t size = strlen(a) + strlen(b) + 1;
  char *text = kgi_arena_alloc(&t->scratch, size, 1);
  if (text) snprintf(text, size, "%s%s", a, b);
  return text ? text : "";
}

/* What begins with an underscore or kg_ is others'. Not unique. */
static const char *identifier(kgi_printer *t, const char *name) {
  const char *label = kgi_label(t, name);
  if (label[0] == '_' || begins(label, "kg_") || begins(label, "KG_")) return join(t, "x", label);
  return is_taken(label) ? join(t, label, "_") : label;
}

/* Names that stay as they are come first. */
static void claim(kgi_printer *t, const char **slot, kgi_str name, bool kept) {
  const char *wanted = identifier(t, kgi_string(t->m, name));
  if (kept == !strcmp(wanted, kgi_string(t->m, name))) *slot = kgi_claim_name(t, wanted, "unnamed");
}

static void claim_all(kgi_c_arguments *a) {
  kgi_printer *t = &a->printer;
  const kgi_scope *s = t->scope;
  for (unsigned pass = 0; pass < 2; pass++) {
    for (uint32_t i = 1; i < s->param_count; i++) claim(t, &t->param[i], s->param[i].name, pass == 0);
    for (uint32_t i = 1; i < s->object_count; i++) claim(t, &t->object[i], s->object[i].name, pass == 0);
  }
  for (uint32_t i = 1; i < s->object_count; i++)
    if (!s->object[i].scalar && !s->object[i].length.i)
      a->length[i] = kgi_claim_name(t, join(t, t->object[i], "_length"), "length");
}

static const char *function_of(kgi_printer *t) {
  const kg_module *m = t->m;
  const char *name = kgi_string(m, m->lone ? m->program[1]->name : m->name);
  size_t n = strlen(name);
  char *text = kgi_arena_alloc(&t->scratch, n + sizeof "run_module", 1);
  if (!text) return "";
  snprintf(text, n + sizeof "run_module", "run_%s", *name ? name : "module");
  if (n > 100) memmove(text + 64, text + strlen(text) - 36, 37); /* what tells a gradient from its primal stands at the end */
  for (char *c = text; *c; c++)
    if (!(*c >= 'a' && *c <= 'z') && !(*c >= 'A' && *c <= 'Z') && !(*c >= '0' && *c <= '9')) *c = '_';
  return text;
}

/* Constants are said as numbers: no argument is one. */
static const char *number_of(kgi_printer *t, const kgi_spec *spec) {
  char text[KGI_NUMBER_TEXT];
  return join(t, kgi_number_text((kg_type)spec->type, spec->bits, text), "");
}

bool kgi_c_arguments_make(kgi_c_arguments *a, const kg_allocator *alloc, const kg_module *m) {
  const kgi_scope *s = &m->scope;
  *a = (kgi_c_arguments){.m = m, .printer = {.m = m, .scope = s, .alloc = alloc ? *alloc : (kg_allocator){0}}};
  kgi_printer *t = &a->printer;
  kgi_arena_init(&t->scratch, alloc);
  t->param = kgi_arena_alloc(&t->scratch, s->param_count, sizeof *t->param);
  t->object = kgi_arena_alloc(&t->scratch, s->object_count, sizeof *t->object);
  t->spec = kgi_arena_alloc(&t->scratch, s->spec_count, sizeof *t->spec);
  a->pointer = kgi_arena_alloc(&t->scratch, s->object_count, sizeof *a->pointer);
  a->length = kgi_arena_alloc(&t->scratch, s->object_count, sizeof *a->length);
  a->own = kgi_arena_alloc(&t->scratch, s->object_count, sizeof *a->own);
  if (t->scratch.failed || !kgi_blocks_find(&a->blocks, &t->scratch, s)) return false;
  claim_all(a);
  a->param = t->param, a->function = function_of(t);
  for (uint32_t i = 1; i < s->spec_count; i++) t->spec[i] = number_of(t, &s->spec[i]);
  for (uint32_t i = 1; i < s->object_count; i++) a->own[i] = a->blocks.of[i] == i;
  for (uint32_t i = 1; i < s->object_count; i++)
    if (s->object[i].mode != KG_TEMP) a->own[a->blocks.of[i]] = false;
  for (uint32_t i = 1; i < s->object_count; i++)
    if (a->blocks.of[i] == i) a->pointer[i] = t->object[i];
  return !t->scratch.failed;
}

void kgi_c_arguments_free(kgi_c_arguments *a) {
  kgi_free(&a->printer.alloc, a->printer.out, a->printer.cap);
  kgi_arena_free(&a->printer.scratch);
}

/* ---- the prototype ---- */

void kgi_c_prototype(kgi_c_text *text, const kgi_c_arguments *a) {
  const kgi_scope *s = &a->m->scope;
  const char *comma = "";
  kgi_c_put(text, "int %s(", a->function);
  for (uint32_t i = 1; i < s->param_count; i++, comma = ", ")
    kgi_c_put(text, "%s%s %s", comma, kgi_c_host_type(s->param[i].type), a->param[i]);
  for (uint32_t i = 1; i < s->object_count; i++) {
    const kgi_object *o = &s->object[i];
    const char *written = a->blocks.written[i] ? "" : "const ";
    if (a->pointer[i] && !a->own[i]) {
      kgi_c_put(text, "%s%s%s *%s", comma, written, o->view ? "unsigned char" : kgi_c_host_type(o->type), a->pointer[i]);
      comma = ", ";
    }
    if (a->length[i]) kgi_c_put(text, "%suint32_t %s", comma, a->length[i]), comma = ", ";
  }
  kgi_c_put(text, *comma ? ")" : "void)");
}
