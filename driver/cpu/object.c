#define _GNU_SOURCE
#include "driver/cpu/cpu.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_IDLE = 64 }; /* objects that nobody uses and that stay loaded, for who comes back */

static void *note_refusal(void *user, void *block, size_t old_size, size_t new_size) {
  kgi_cpu *cpu = user;
  void *resized = kgi_resize(cpu->given, block, old_size, new_size);
  cpu->no_memory |= new_size && !resized;
  return resized;
}

void kgi_cpu_init(kgi_cpu *cpu, const kg_allocator *alloc, uint32_t threads) {
  *cpu = (kgi_cpu){.given = alloc, .alloc = {note_refusal, cpu}, .threads = threads};
  kgi_cpu_describe(&cpu->host);
  kgi_cache_find(&cpu->cache, &cpu->alloc);
  kgi_compiler_find(&cpu->cc);
}

static void close_object(kgi_cpu *cpu, kgi_cpu_object *o) {
  if (o->library) dlclose(o->library);
  kgi_free(&cpu->alloc, o, sizeof *o);
}

void kgi_cpu_drop(kgi_cpu *cpu) {
  kgi_pool_free(cpu->pool);
  for (kgi_cpu_object *o = cpu->objects, *next; o; o = next) next = o->next, close_object(cpu, o);
  cpu->pool = NULL, cpu->objects = NULL;
}

kgi_c_kernel *kgi_cpu_kernel(const kgi_cpu_object *o, uint32_t program) {
  char name[32];
  kgi_c_kernel *kernel = NULL;
  snprintf(name, sizeof name, "kg_kernel_%u", o->before + program);
  void *symbol = dlsym(o->of ? o->of->library : o->library, name);
  /* POSIX gives functions as object pointers; ISO C does not convert those, so the bytes are copied. */
  memcpy(&kernel, &symbol, sizeof kernel);
  return kernel;
}

/* ---- building ---- */

/* Private to this process: nobody else knows the name, and the mode keeps others out. */
static bool make_folder(const kgi_cpu *cpu, kgi_path *folder, kgi_diags *diags) {
  const char *base = getenv("TMPDIR");
  if (!base || base[0] != '/') base = "/tmp";
  if (kgi_path_set(folder, "%s/kgrad-XXXXXX", base) && mkdtemp(folder->text)) return true;
  if (cpu->cache.folder.text[0]) kgi_cache_make(&cpu->cache);
  if (cpu->cache.folder.text[0] && kgi_folder_is_own(cpu->cache.folder.text) &&
      kgi_path_set(folder, "%s/build-XXXXXX", cpu->cache.folder.text) && mkdtemp(folder->text))
    return true;
  KGI_DIAG(diags, no_build_folder, 0, base);
  return false;
}

static bool write_source(const kgi_path *folder, const kgi_cpu_text *t, kgi_diags *diags) {
  kgi_path path;
  bool fine = kgi_path_set(&path, "%s/kernels.c", folder->text) &&
              kgi_file_fill(open(path.text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), t->text, t->size);
  if (!fine) KGI_DIAG(diags, no_build_folder, 0, folder->text);
  return fine;
}

static void *open_library(const char *path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }

static void store(const kgi_cpu *cpu, const kgi_cpu_object *o, const char *library) {
  kgi_bytes bytes;
  if (!kgi_file_read(&cpu->alloc, library, &bytes)) return;
  kgi_cache_put(&cpu->cache, o->key, ".so", o->stack, &bytes);
  kgi_bytes_drop(&cpu->alloc, &bytes);
}

/* What is loaded stays when its file goes. */
static kg_status build_in(kgi_cpu *cpu, kgi_cpu_object *o, const char *folder, size_t longest, kgi_diags *diags) {
  kgi_path library, kept;
  kg_status status = kgi_compile(&cpu->cc, &cpu->host, &cpu->alloc, folder, longest, diags, &o->stack);
  if (status != KG_OK) return status;
  if (!kgi_path_set(&library, "%s/kernels.so", folder)) return KG_REFUSED;
  store(cpu, o, library.text);
  o->library = open_library(library.text);
  if (o->library) return KG_OK;
  char why[400];
  const char *said = dlerror();
  snprintf(why, sizeof why, "%s", said ? said : "");
  /* programs may be allowed to run from the one folder and not from the other */
  if (kgi_cache_get(&cpu->cache, o->key, ".so", NULL, NULL) && kgi_cache_path(&cpu->cache, o->key, ".so", &kept))
    o->library = open_library(kept.text);
  if (!o->library) KGI_DIAG(diags, not_loaded, 0, why);
  return o->library ? KG_OK : KG_REFUSED;
}

static bool load_kept(const kgi_cpu *cpu, kgi_cpu_object *o) {
  kgi_path path;
  if (!kgi_cache_get(&cpu->cache, o->key, ".so", &o->stack, NULL)) return false;
  if (kgi_cache_path(&cpu->cache, o->key, ".so", &path)) o->library = open_library(path.text);
  return o->library != NULL;
}

/* ---- what is loaded ---- */

static kgi_digest key_of(const kgi_cpu *cpu, const char *text, size_t size) {
  kgi_digest parts[] = {kgi_digest_of(text, size), cpu->cc.kind, kgi_compile_options(), cpu->host.kind, {cpu->host.lanes, 0}};
  return kgi_digest_join(parts, sizeof parts / sizeof *parts);
}

static kgi_cpu_object *find_loaded(kgi_cpu *cpu, kgi_digest key) {
  for (kgi_cpu_object **at = &cpu->objects; *at; at = &(*at)->next) {
    kgi_cpu_object *o = *at;
    if (memcmp(&o->key, &key, sizeof key)) continue;
    *at = o->next, o->next = cpu->objects, cpu->objects = o;
    return o;
  }
  return NULL;
}

typedef struct making { kgi_path folder; bool made; } making;

/* The folder is made when the first process is started, which may be to ask for the version. */
static kg_status know_compiler(kgi_cpu *cpu, making *m, kgi_diags *diags) {
  kgi_compiler_recall(&cpu->cc, &cpu->cache);
  if (cpu->cc.version[0]) return KG_OK;
  m->made = make_folder(cpu, &m->folder, diags);
  return m->made ? kgi_compiler_ask(&cpu->cc, &cpu->cache, m->folder.text, diags) : KG_REFUSED;
}

static kg_status make_object(kgi_cpu *cpu, const kgi_cpu_text *t, size_t longest, making *m, kgi_diags *diags, kgi_cpu_object **out) {
  kg_status status = know_compiler(cpu, m, diags);
  if (status != KG_OK) return status;
  kgi_digest key = key_of(cpu, t->text, t->size);
  if ((*out = find_loaded(cpu, key))) return KG_OK;
  kgi_cpu_object *o = kgi_alloc(&cpu->alloc, sizeof *o);
  if (!o) return KG_NO_MEMORY;
  *o = (kgi_cpu_object){.key = key};
  if (!load_kept(cpu, o)) {
    if (!m->made) m->made = make_folder(cpu, &m->folder, diags);
    status = m->made && write_source(&m->folder, t, diags) ? build_in(cpu, o, m->folder.text, longest, diags) : KG_REFUSED;
  }
  if (status != KG_OK) return close_object(cpu, o), status;
  o->next = cpu->objects, cpu->objects = o;
  *out = o;
  return KG_OK;
}

static kg_status load(kgi_cpu *cpu, const kgi_cpu_text *text, size_t longest, kgi_diags *diags, kgi_cpu_object **out) {
  making m = {.made = false};
  if (!cpu->cc.words) return KGI_DIAG(diags, no_compiler, 0, cpu->cc.missing), KG_UNAVAILABLE;
  cpu->no_memory = false;
  kg_status status = make_object(cpu, text, longest, &m, diags, out);
  if (m.made) kgi_folder_remove(m.folder.text);
  if (cpu->no_memory) return KG_NO_MEMORY;
  if (status == KG_OK) (*out)->uses++;
  return status;
}

kg_status kgi_cpu_load(kgi_cpu *cpu, const char *text, size_t size, kgi_diags *diags, kgi_cpu_object **out) {
  const kgi_cpu_text t = {.text = (char *)(uintptr_t)text, .size = size};
  return load(cpu, &t, size, diags, out);
}

/* Libraries that nobody uses stay a while, and those of which they have kernels. */
static void drop_idle(kgi_cpu *cpu) {
  uint32_t idle = 0;
  for (kgi_cpu_object **at = &cpu->objects; *at;) {
    kgi_cpu_object *o = *at;
    bool drop = !o->uses && ++idle > MOST_IDLE;
    if (drop && o->of) o->of->uses--;
    if (drop) *at = o->next, close_object(cpu, o);
    else at = &o->next;
  }
}

void kgi_cpu_unload(kgi_cpu *cpu, kgi_cpu_object *object) {
  object->uses--;
  drop_idle(cpu);
}

/* ---- several at once ---- */

bool kgi_cpu_has(kgi_cpu *cpu, const kgi_cpu_text *text) {
  kgi_compiler_recall(&cpu->cc, &cpu->cache);
  kgi_digest key = key_of(cpu, text->text, text->size);
  return cpu->cc.version[0] && (find_loaded(cpu, key) || kgi_cache_get(&cpu->cache, key, ".so", NULL, NULL));
}

/* Optimised as each would be by itself: compilers take time that grows with blocks, which the modules do not share. */
kg_status kgi_cpu_load_together(kgi_cpu *cpu, const kgi_cpu_text *all, const kgi_cpu_text *each, uint32_t count, kgi_diags *diags) {
  kgi_cpu_object *of;
  size_t longest = 0;
  for (uint32_t i = 0; i < count; i++) longest = each[i].size > longest ? each[i].size : longest;
  kg_status status = load(cpu, all, longest, diags, &of);
  if (status != KG_OK) return status;
  /* its stack counts for each: where that is too much, each is better by itself */
  bool fits = of->stack == UINT64_MAX || of->stack <= KGI_POOL_STACK / 2;
  for (uint32_t i = 0; fits && status == KG_OK && i < count; i++) {
    kgi_digest key = key_of(cpu, each[i].text, each[i].size);
    kgi_cpu_object *o = find_loaded(cpu, key) ? NULL : kgi_alloc(&cpu->alloc, sizeof *o);
    if (o) {
      *o = (kgi_cpu_object){.next = cpu->objects, .key = key, .of = of, .before = each[i].before, .stack = of->stack};
      cpu->objects = o, of->uses++;
    }
    if (cpu->no_memory) status = KG_NO_MEMORY;
  }
  kgi_cpu_unload(cpu, of);
  return status;
}
