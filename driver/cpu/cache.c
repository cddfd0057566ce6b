#define _GNU_SOURCE
#include "driver/cpu/cpu.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ELF readers do not mind what stands behind the last section. */
typedef struct seal { char magic[8]; uint64_t note; kgi_digest key, checksum; } seal;
_Static_assert(sizeof(seal) == KGI_CACHE_SEAL, "callers cut it off");
static const char magic[8] = "kgcache2";
static const size_t summed = sizeof(seal) - sizeof(kgi_digest); /* bytes of the seal that the checksum covers */

#define BOUND (UINT64_C(512) << 20)

/* ---- where ---- */

/* A folder that is not stated in full would depend on where the program happens to run. */
static bool take(kgi_cpu_cache *c, const char *variable, const char *below) {
  const char *value = getenv(variable);
  return value && value[0] == '/' && kgi_path_set(&c->folder, "%s%s", value, below);
}

void kgi_cache_find(kgi_cpu_cache *c, const kg_allocator *alloc) {
  *c = (kgi_cpu_cache){.alloc = alloc, .bound = BOUND};
  if (take(c, "KGRAD_CACHE", "") || getenv("KGRAD_CACHE")) return;
  if (!take(c, "XDG_CACHE_HOME", "/kgrad")) take(c, "HOME", "/.cache/kgrad");
}

bool kgi_cache_path(const kgi_cpu_cache *c, kgi_digest key, const char *ending, kgi_path *out) {
  kgi_hex name = kgi_digest_hex(key);
  return c->folder.text[0] && kgi_path_set(out, "%s/%s%s", c->folder.text, name.text, ending);
}

void kgi_cache_make(const kgi_cpu_cache *c) {
  kgi_path part = c->folder;
  for (char *at = part.text + 1; *at; at++) {
    if (*at != '/') continue;
    *at = 0;
    mkdir(part.text, 0700);
    *at = '/';
  }
  mkdir(part.text, 0700);
}

/* ---- files ---- */

static kgi_digest checksum_of(const unsigned char *bytes, size_t size, const seal *s) {
  kgi_digest parts[] = {kgi_digest_of(bytes, size), kgi_digest_of(s, summed)};
  return kgi_digest_join(parts, 2);
}

static bool is_whole(const kgi_bytes *file, kgi_digest key, seal *s) {
  if (file->size < sizeof *s) return false;
  size_t size = file->size - sizeof *s;
  memcpy(s, file->at + size, sizeof *s);
  kgi_digest sum = checksum_of(file->at, size, s);
  return !memcmp(s->magic, magic, sizeof magic) && !memcmp(&s->key, &key, sizeof key) && !memcmp(&s->checksum, &sum, sizeof sum);
}

/* The time of a file's last change says when it was used last. */
static void touch(const char *path) { utimensat(AT_FDCWD, path, NULL, 0); }

bool kgi_cache_get(const kgi_cpu_cache *c, kgi_digest key, const char *ending, uint64_t *note, kgi_bytes *out) {
  kgi_path path;
  kgi_bytes file;
  seal s;
  if (!kgi_cache_path(c, key, ending, &path) || !kgi_folder_is_own(c->folder.text)) return false;
  if (!kgi_file_read(c->alloc, path.text, &file)) return false;
  bool whole = is_whole(&file, key, &s);
  if (whole) touch(path.text);
  if (whole && note) *note = s.note;
  if (whole && out) *out = file;
  else kgi_bytes_drop(c->alloc, &file);
  return whole;
}

/* ---- the bound ---- */

typedef struct census { uint32_t files; uint64_t bytes; struct timespec oldest; char name[256]; } census;

static bool earlier(const struct timespec *a, const struct timespec *b) {
  return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

/* Whoever names a folder that holds other things keeps those. What was being written when a process was killed counts, too. */
static bool is_ours(const char *name) {
  size_t digits = strspn(name, "0123456789abcdef");
  bool ending = !strcmp(name + digits, ".so") || !strcmp(name + digits, ".cc");
  return !strncmp(name, "new-", 4) || (digits == sizeof(kgi_hex) - 1 && ending);
}

static census count_files(const kgi_cpu_cache *c) {
  census all = {0};
  DIR *folder = c->folder.text[0] ? opendir(c->folder.text) : NULL;
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    struct stat s;
    if (!is_ours(entry->d_name)) continue;
    if (fstatat(dirfd(folder), entry->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(s.st_mode)) continue;
    if (!all.files++ || earlier(&s.st_mtim, &all.oldest)) {
      all.oldest = s.st_mtim;
      snprintf(all.name, sizeof all.name, "%s", entry->d_name);
    }
    all.bytes += (uint64_t)s.st_size;
  }
  if (folder) closedir(folder);
  return all;
}

void kgi_cache_count(const kgi_cpu_cache *c, uint32_t *files, uint64_t *bytes) {
  census all = count_files(c);
  *files = all.files, *bytes = all.bytes;
}

/* A process that has loaded a file keeps it. */
static void keep_bound(const kgi_cpu_cache *c) {
  for (census all = count_files(c); all.bytes > c->bound && all.files > 1; all = count_files(c)) {
    kgi_path path;
    if (!kgi_path_set(&path, "%s/%s", c->folder.text, all.name) || unlink(path.text) != 0) return;
  }
}

/* Written beside its place and then moved there, so that nobody sees half of it. */
static bool place(const kgi_cpu_cache *c, const kgi_path *path, const kgi_bytes *file) {
  kgi_path beside;
  if (!kgi_path_set(&beside, "%s/new-XXXXXX", c->folder.text)) return false;
  int made = mkstemp(beside.text);
  if (made < 0) return false;
  if (kgi_file_fill(made, file->at, file->size) && rename(beside.text, path->text) == 0) return true;
  unlink(beside.text);
  return false;
}

bool kgi_cache_put(const kgi_cpu_cache *c, kgi_digest key, const char *ending, uint64_t note, const kgi_bytes *bytes) {
  kgi_path path;
  if (!kgi_cache_path(c, key, ending, &path)) return false;
  kgi_cache_make(c);
  kgi_bytes file = {.size = bytes->size + sizeof(seal)};
  file.at = kgi_folder_is_own(c->folder.text) ? kgi_alloc(c->alloc, file.size + 1) : NULL;
  if (!file.at) return false;
  seal s = {.note = note, .key = key};
  memcpy(s.magic, magic, sizeof magic);
  s.checksum = checksum_of(bytes->at, bytes->size, &s);
  if (bytes->size) memcpy(file.at, bytes->at, bytes->size);
  memcpy(file.at + bytes->size, &s, sizeof s);
  bool placed = place(c, &path, &file);
  kgi_bytes_drop(c->alloc, &file);
  if (placed) keep_bound(c);
  return placed;
}
