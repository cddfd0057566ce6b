/* `use "file.kg"`: the functions of another file. Each file is read once, by itself; its own functions are then declared in every
 * file that uses it. Paths are joined and shortened as text, as those of URLs are, so that one file has one name. */
#include "foundation/text/parse.h"

#include <string.h>

enum { MAX_FILES = 200, MAX_DEPTH = 20 };

/* ---- paths ---- */

/* Appends the parts between slashes to what `out` holds: "." is nothing, and ".." removes a part where there is one. */
static bool append(char out[KGI_MAX_PATH], const char *path, size_t length) {
  size_t used = strlen(out);
  for (size_t i = 0, end; i < length; i = end + 1) {
    for (end = i; end < length && path[end] != '/';) end++;
    size_t part = end - i, last = used;
    while (last && out[last - 1] != '/') last--;
    bool up = part == 2 && !memcmp(path + i, "..", 2), removes = up && used > last && strcmp(out + last, "..");
    if (part == 0 || (part == 1 && path[i] == '.')) continue;
    if (used + part + 2 > KGI_MAX_PATH) return false;
    if (removes) used = last > 1 ? last - 1 : last;
    else if (used && out[used - 1] != '/') out[used++] = '/';
    if (!removes) memcpy(out + used, path + i, part), used += part;
    out[used] = 0;
  }
  return true;
}

static bool is_plain(const char *path, size_t length) {
  for (size_t i = 0; i < length; i++)
    if ((unsigned char)path[i] < 0x20 || path[i] == 0x7F || path[i] == '\\') return false;
  return length && path[0] != '/' && path[length - 1] != '/';
}

static bool start_path(char out[KGI_MAX_PATH], const char *file, size_t length) {
  strcpy(out, file && file[0] == '/' ? "/" : "");
  return append(out, file ? file : "", length);
}

static bool bad_path(kgi_parser *p, const kgi_token *t, const char *path) {
  if (!kgi_parser_failed(p)) KGI_DIAG(p->diags, use_path, t->pos, path);
  kgi_fail(&p->b, KG_INVALID);
  return false;
}

/* The path in the token, from the folder of the file that it stands in. */
static bool join(kgi_parser *p, const kgi_token *t, char out[KGI_MAX_PATH]) {
  char path[KGI_MAX_PATH];
  const char *file = p->diags->file ? p->diags->file : "", *slash = strrchr(file, '/');
  if (t->length >= KGI_MAX_PATH) return bad_path(p, t, "a path this long");
  size_t length = kgi_unescape(t, path);
  path[length] = 0;
  if (!is_plain(path, length) || !start_path(out, file, slash ? (size_t)(slash - file) : 0) || !append(out, path, length) || !*out)
    return bad_path(p, t, path);
  return true;
}

bool kgi_read_path(kgi_parser *p, char out[KGI_MAX_PATH]) {
  kgi_token t = p->lx.token;
  return kgi_need(&p->lx, &p->b, KGI_TOK_STRING) && join(p, &t, out);
}

/* ---- files ---- */

/* Its functions, in the order in which they are declared. */
typedef struct export { uint32_t name, fn; struct export *next; } export;
struct kgi_used { const char *path; bool open; export *exports; };

static bool too_many(kgi_parser *p, const char *what, int most, kgi_pos pos) {
  KGI_DIAG(p->diags, too_large, pos, what, KGI_NUM(most));
  kgi_fail(&p->b, KG_INVALID);
  return false;
}

static struct kgi_used *add_file(kgi_parser *p, const char *path) {
  if (!kgi_arena_grow(&p->scratch, &p->used, p->used_count, &p->used_cap, sizeof *p->used)) return NULL;
  p->used[p->used_count] = (struct kgi_used){.path = kgi_arena_strdup(&p->scratch, path, strlen(path)), .open = true};
  return &p->used[p->used_count++];
}

/* The first is the file that everything begins with. */
static bool add_main(kgi_parser *p) {
  char path[KGI_MAX_PATH];
  const char *file = p->diags->file ? p->diags->file : "";
  if (p->used_count) return true;
  if (strlen(file) >= KGI_MAX_PATH || !start_path(path, file, strlen(file))) *path = 0;
  return add_file(p, path) != NULL;
}

bool kgi_load_text(kgi_parser *p, const char *path, kgi_pos pos, const char **text, size_t *size) {
  if (!p->loader) KGI_DIAG(p->diags, use_no_loader, pos, "");
  else if (p->loader->load(p->loader->user, path, text, size)) return kgi_take_text(p, *size, pos);
  else if (!strncmp(path, "primitive ", 10)) KGI_DIAG(p->diags, use_primitive, pos, path);
  else if (!strncmp(path, "gradient(", 9)) KGI_DIAG(p->diags, use_gradient, pos, path);
  else KGI_DIAG(p->diags, use_missing, pos, path);
  kgi_fail(&p->b, KG_INVALID);
  return false;
}

static void keep_exports(kgi_parser *p, uint32_t from, export **list) {
  for (uint32_t i = p->symbol_count; i-- > from;) {
    export *e = kgi_arena_alloc(&p->scratch, 1, sizeof *e);
    if (!e) return;
    *e = (export){p->symbol[i].name, p->symbol[i].index, *list};
    *list = e;
  }
}

static export *read_functions(kgi_parser *p, const char *path, const char *text, size_t size) {
  export *exports = NULL;
  kgi_aside aside = kgi_begin_other(p, path, text, size);
  uint32_t mark = p->symbol_count;
  p->use_depth++;
  kgi_parse_uses(p);
  uint32_t own = p->symbol_count;
  while (!kgi_parser_failed(p) && kgi_take_keyword(p, KGI_KW_fn)) {
    kgi_parse_fn(p);
    kgi_take(&p->lx, KGI_TOK_SEMICOLON);
  }
  if (p->lx.token.kind != KGI_TOK_END && !kgi_parser_failed(p)) {
    KGI_DIAG(p->diags, use_no_functions, p->lx.token.pos, "");
    kgi_fail(&p->b, KG_INVALID);
  }
  keep_exports(p, own, &exports);
  kgi_close_scope(p, mark);
  p->use_depth--;
  kgi_end_other(p, &aside);
  return exports;
}

static export *open_file(kgi_parser *p, const char *path, kgi_pos pos) {
  const char *text;
  size_t size;
  for (uint32_t i = 0; i < p->used_count; i++) {
    if (strcmp(p->used[i].path, path)) continue;
    if (!p->used[i].open) return p->used[i].exports;
    KGI_DIAG(p->diags, use_cycle, pos, path);
    return kgi_fail(&p->b, KG_INVALID), NULL;
  }
  if (p->use_depth == MAX_DEPTH && !too_many(p, "the nesting of files", MAX_DEPTH, pos)) return NULL;
  if (p->used_count == MAX_FILES && !too_many(p, "the number of files", MAX_FILES, pos)) return NULL;
  uint32_t index = p->used_count;
  if (!kgi_load_text(p, path, pos, &text, &size) || !add_file(p, path)) return NULL;
  export *exports = read_functions(p, p->used[index].path, text, size);
  p->used[index].exports = exports;
  p->used[index].open = false;
  return exports;
}

void kgi_parse_uses(kgi_parser *p) {
  char path[KGI_MAX_PATH] = "";
  while (!kgi_parser_failed(p) && kgi_take_word(p, "use")) {
    kgi_token t = p->lx.token;
    if (!kgi_read_path(p, path) || !add_main(p)) return;
    for (const export *e = open_file(p, path, t.pos); e; e = e->next) kgi_declare(p, e->name, KGI_SYM_FN, e->fn, t.pos);
    kgi_take(&p->lx, KGI_TOK_SEMICOLON);
  }
}
