#define _GNU_SOURCE
#include "driver/cpu/cpu.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

bool kgi_path_set(kgi_path *path, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int length = vsnprintf(path->text, sizeof path->text, format, args);
  va_end(args);
  bool fits = length >= 0 && (size_t)length < sizeof path->text;
  if (!fits) path->text[0] = 0;
  return fits;
}

void kgi_bytes_drop(const kg_allocator *alloc, kgi_bytes *bytes) {
  if (bytes->at) kgi_free(alloc, bytes->at, bytes->size + 1);
  *bytes = (kgi_bytes){0};
}

static bool is_own(const struct stat *s) { return s->st_uid == geteuid() && !(s->st_mode & (S_IWGRP | S_IWOTH)); }

bool kgi_folder_is_own(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 && S_ISDIR(s.st_mode) && is_own(&s);
}

static bool read_all(int file, kgi_bytes *out) {
  for (size_t done = 0; done < out->size;) {
    ssize_t got = read(file, out->at + done, out->size - done);
    if (got <= 0) return false;
    done += (size_t)got;
  }
  out->at[out->size] = 0;
  return true;
}

bool kgi_file_read(const kg_allocator *alloc, const char *path, kgi_bytes *out) {
  struct stat s;
  *out = (kgi_bytes){0};
  int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC); /* a pipe would wait for its other end */
  if (file < 0) return false;
  bool fine = fstat(file, &s) == 0 && S_ISREG(s.st_mode) && is_own(&s) && s.st_size >= 0 && (uint64_t)s.st_size < SIZE_MAX / 2;
  if (fine) out->size = (size_t)s.st_size, out->at = kgi_alloc(alloc, out->size + 1);
  fine = fine && out->at && read_all(file, out);
  close(file);
  if (!fine) kgi_bytes_drop(alloc, out);
  return fine;
}

bool kgi_file_fill(int file, const void *bytes, size_t size) {
  bool fine = file >= 0;
  for (size_t done = 0; fine && done < size;) {
    ssize_t put = write(file, (const char *)bytes + done, size - done);
    fine = put > 0;
    if (fine) done += (size_t)put;
  }
  return file >= 0 && close(file) == 0 && fine;
}

void kgi_folder_remove(const char *path) {
  DIR *folder = opendir(path);
  if (folder) {
    for (struct dirent *entry; (entry = readdir(folder));) unlinkat(dirfd(folder), entry->d_name, 0);
    closedir(folder);
  }
  rmdir(path);
}

kgi_digest kgi_digest_of(const void *bytes, size_t size) {
  XXH128_hash_t hash = XXH3_128bits(bytes, size);
  return (kgi_digest){hash.high64, hash.low64};
}

kgi_digest kgi_digest_join(const kgi_digest *parts, uint32_t count) { return kgi_digest_of(parts, count * sizeof *parts); }

kgi_hex kgi_digest_hex(kgi_digest digest) {
  kgi_hex hex;
  snprintf(hex.text, sizeof hex.text, "%016llx%016llx", (unsigned long long)digest.high, (unsigned long long)digest.low);
  return hex;
}
