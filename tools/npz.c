#include "tools/npz.h"

#include "tools/diag.h"
#include "tools/file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* What the structures of a zip file begin with. */
enum { LOCAL = 0x04034B50, CENTRAL = 0x02014B50, END = 0x06054B50, END64 = 0x06064B50, LOCATOR64 = 0x07064B50 };
/* And their sizes, without names and other parts that vary. */
enum { LOCAL_SIZE = 30, CENTRAL_SIZE = 46, END_SIZE = 22, END64_SIZE = 56, LOCATOR64_SIZE = 20 };
enum { STORED = 0, DEFLATED = 8, ENCRYPTED = 1, EXTRA64 = 1, MOST_RATIO = 64, MOST_MEMBERS = 4096 };
static const uint64_t ALWAYS_FINE = (uint64_t)1 << 30;

/* ---- the list ---- */

typedef struct reader {
  const char *path;
  const unsigned char *at;
  uint64_t size;
  const kg_sink *sink;
} reader;

static uint64_t number(const unsigned char *p, unsigned bytes) {
  uint64_t n = 0;
  while (bytes-- > 0) n = n << 8 | p[bytes];
  return n;
}

static bool bad(const reader *r, const char *what) { return TOOL_EMIT(r->sink, npz_damaged, r->path, what), false; }

/* Whether so many bytes lie there. */
static bool holds(const reader *r, uint64_t from, uint64_t length) { return from <= r->size && length <= r->size - from; }

/* The record at the end, which a comment may follow. */
static bool find_end(const reader *r, uint64_t *end) {
  uint64_t most = END_SIZE + (uint64_t)UINT16_MAX;
  for (uint64_t back = END_SIZE; back <= r->size && back <= most; back++) {
    const unsigned char *p = r->at + r->size - back;
    if (number(p, 4) == END && number(p + 20, 2) == back - END_SIZE) return *end = r->size - back, true;
  }
  return TOOL_EMIT(r->sink, npz_magic, r->path, NULL), false;
}

typedef struct directory { uint64_t count, size, offset; } directory;

/* Numbers that do not fit are in a record of their own, before the end. */
static bool read_end(const reader *r, directory *d) {
  uint64_t end = 0;
  if (!find_end(r, &end)) return false;
  const unsigned char *p = r->at + end;
  *d = (directory){number(p + 10, 2), number(p + 12, 4), number(p + 16, 4)};
  if (end >= LOCATOR64_SIZE && number(p - LOCATOR64_SIZE, 4) == LOCATOR64) {
    uint64_t at = number(p - LOCATOR64_SIZE + 8, 8);
    if (!holds(r, at, END64_SIZE) || number(r->at + at, 4) != END64)
      return bad(r, "the end's 64-bit record is not where it should be");
    p = r->at + at;
    *d = (directory){number(p + 32, 8), number(p + 40, 8), number(p + 48, 8)};
  }
  if (!holds(r, d->offset, d->size) || d->count > d->size / CENTRAL_SIZE)
    return bad(r, "the list of members lies outside of the file");
  return true;
}

/* Sizes and the offset of a member, where 32 bits do not hold them: each that is all ones follows in the extra field. */
static bool widen(const unsigned char *extra, uint64_t length, uint64_t *const fields[3]) {
  for (uint64_t i = 0, next; i + 4 <= length; i = next) {
    next = i + 4 + number(extra + i + 2, 2);
    if (next > length) return false;
    if (number(extra + i, 2) != EXTRA64) continue;
    uint64_t at = i + 4;
    for (unsigned k = 0; k < 3; k++) {
      if (*fields[k] != UINT32_MAX) continue;
      if (at + 8 > next) return false;
      *fields[k] = number(extra + at, 8), at += 8;
    }
    return true;
  }
  return true;
}

static char *member_name(const unsigned char *text, uint64_t length) {
  char *name = malloc((size_t)length + 1);
  if (length > 4 && memcmp(text + length - 4, ".npy", 4) == 0) length -= 4;
  if (!name) return NULL;
  memcpy(name, text, (size_t)length);
  name[length] = 0;
  return name;
}

/* The bytes of a member lie behind a header of their own, whose names and fields may have other lengths. */
static bool find_bytes(const reader *r, uint64_t offset, tool_npz_member *m) {
  const unsigned char *p = holds(r, offset, LOCAL_SIZE) ? r->at + offset : NULL;
  if (!p || number(p, 4) != LOCAL) return bad(r, "a member's header is not where it should be");
  uint64_t before = LOCAL_SIZE + number(p + 26, 2) + number(p + 28, 2);
  if (!holds(r, offset, before) || !holds(r, offset + before, m->stored))
    return bad(r, "a member reaches past the end of the file");
  m->bytes = p + before;
  return true;
}

/* One row of the list, whose bytes end at `stop`; *at goes past it. */
static bool read_member(const reader *r, uint64_t *at, uint64_t stop, tool_npz_member *m) {
  const unsigned char *p = r->at + *at;
  if (stop - *at < CENTRAL_SIZE || number(p, 4) != CENTRAL) return bad(r, "the list of members is cut off");
  uint64_t name = number(p + 28, 2), extra = number(p + 30, 2), all = CENTRAL_SIZE + name + extra + number(p + 32, 2);
  uint64_t offset = number(p + 42, 4), method = number(p + 10, 2);
  if (stop - *at < all) return bad(r, "the list of members is cut off");
  m->check = (uint32_t)number(p + 16, 4), m->stored = number(p + 20, 4), m->size = number(p + 24, 4);
  uint64_t *const fields[3] = {&m->size, &m->stored, &offset};
  if (!widen(p + CENTRAL_SIZE + name, extra, fields)) return bad(r, "an extra field is cut off");
  m->name = member_name(p + CENTRAL_SIZE, name);
  if (!m->name) return TOOL_EMIT(r->sink, out_of_memory, r->path, NULL), false;
  m->deflated = method == DEFLATED;
  if (number(p + 8, 2) & ENCRYPTED || (method != STORED && method != DEFLATED))
    return TOOL_EMIT(r->sink, npz_method, r->path, m->name), false;
  if (method == STORED && m->stored != m->size) return bad(r, "a stored member has two sizes");
  *at += all;
  return find_bytes(r, offset, m);
}

uint32_t tool_npz_find(const tool_npz *npz, const char *name) {
  for (uint32_t i = 0; i < npz->count; i++)
    if (strcmp(npz->member[i].name, name) == 0) return i;
  return UINT32_MAX;
}

bool tool_npz_parse(const char *path, const void *bytes, size_t size, const kg_sink *sink, tool_npz *out) {
  reader r = {.path = path, .at = bytes, .size = size, .sink = sink};
  directory d;
  *out = (tool_npz){.path = strdup(path)};
  if (!read_end(&r, &d)) return false;
  if (d.count > MOST_MEMBERS) return bad(&r, "it has more than 4096 members");
  out->member = calloc((size_t)d.count + 1, sizeof *out->member);
  if (!out->member || !out->path) return TOOL_EMIT(sink, out_of_memory, path, NULL), false;
  for (uint64_t at = d.offset; out->count < d.count;) {
    tool_npz_member *m = &out->member[out->count];
    bool fine = read_member(&r, &at, d.offset + d.size, m);
    if (fine && tool_npz_find(out, m->name) != UINT32_MAX) fine = bad(&r, "two members have one name");
    if (m->name) out->count++;
    if (!fine) return false;
  }
  return true;
}

bool tool_npz_read(const char *path, const kg_sink *sink, tool_npz *out) {
  tool_bytes bytes;
  *out = (tool_npz){0};
  if (!tool_read_file_of(path, (size_t)1 << 36, "PK", &bytes, sink)) return false;
  bool fine = tool_npz_parse(path, bytes.data, bytes.size, sink, out);
  out->bytes = (unsigned char *)bytes.data;
  return fine;
}

void tool_npz_free(tool_npz *npz) {
  for (uint32_t i = 0; i < npz->count; i++) free(npz->member[i].name);
  free(npz->member);
  free(npz->bytes);
  free(npz->path);
  *npz = (tool_npz){0};
}

bool tool_names_npz(const char *path) {
  size_t length = strlen(path);
  return length > 4 && strcmp(path + length - 4, ".npz") == 0;
}

/* ---- one member ---- */

/* Exactly the size that was stated; zlib counts in 32 bits. */
static bool inflate_all(const tool_npz_member *m, unsigned char *out) {
  z_stream z = {.next_in = (unsigned char *)(uintptr_t)m->bytes, .next_out = out};
  uint64_t in = m->stored, room = m->size;
  int status = inflateInit2(&z, -MAX_WBITS);
  if (status != Z_OK) return false;
  while (status == Z_OK) {
    uInt give = in < UINT_MAX ? (uInt)in : UINT_MAX, take = room < UINT_MAX ? (uInt)room : UINT_MAX;
    z.avail_in = give, z.avail_out = take;
    status = inflate(&z, Z_NO_FLUSH);
    in -= give - z.avail_in, room -= take - z.avail_out;
    if (status == Z_OK && give == z.avail_in && take == z.avail_out) break;
  }
  inflateEnd(&z);
  return status == Z_STREAM_END && room == 0 && in == 0;
}

static uint32_t check_of(const unsigned char *bytes, uint64_t size) {
  return (uint32_t)crc32_z(crc32_z(0, NULL, 0), bytes, (size_t)size);
}

/* The file's own bytes, or *made: what they become. */
static const unsigned char *open_member(const tool_npz_member *m, const char *name, const kg_sink *sink, unsigned char **made) {
  if (m->deflated && m->size > ALWAYS_FINE && m->size / MOST_RATIO > m->stored)
    return TOOL_EMIT(sink, npz_bomb, name, TOOL_NUM(m->stored), TOOL_NUM(m->size)), NULL;
  if (m->deflated) {
    *made = malloc(m->size ? (size_t)m->size : 1);
    if (!*made) return TOOL_EMIT(sink, out_of_memory, name, NULL), NULL;
    if (!inflate_all(m, *made)) return TOOL_EMIT(sink, npz_damaged, name, "it does not inflate to the size that is stated"), NULL;
  }
  const unsigned char *bytes = m->deflated ? *made : m->bytes;
  if (check_of(bytes, m->size) == m->check) return bytes;
  return TOOL_EMIT(sink, npz_damaged, name, "its check sum is wrong"), NULL;
}

bool tool_npz_array(const tool_npz *npz, uint32_t index, const kg_sink *sink, tool_array *out) {
  const tool_npz_member *m = &npz->member[index];
  unsigned char *made = NULL;
  size_t size = strlen(npz->path) + strlen(m->name) + 2;
  char *name = malloc(size);
  if (!name) return TOOL_EMIT(sink, out_of_memory, npz->path, NULL), false;
  snprintf(name, size, "%s:%s", npz->path, m->name);
  const unsigned char *bytes = open_member(m, name, sink, &made);
  bool fine = bytes && tool_npy_parse(name, bytes, (size_t)m->size, sink, out);
  free(made);
  free(name);
  return fine;
}

/* ---- writing ---- */

typedef struct tool_npz_written {
  char *name;
  uint64_t at, size;
  uint32_t check;
  struct tool_npz_written *next;
} written;

static void put(tool_npz_writer *w, uint64_t n, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i++) putc((int)(n >> 8 * i & 0xFF), w->out);
  w->at += bytes;
}

static void put_bytes(tool_npz_writer *w, const void *bytes, size_t size) {
  fwrite(bytes, 1, size, w->out);
  w->at += size;
}

/* Version 4.5, no flags but that the name is UTF-8, stored, at the first moment that there is. */
static void put_common(tool_npz_writer *w, const written *m) {
  put(w, 45, 2), put(w, 0x800, 2), put(w, STORED, 2), put(w, 0, 2), put(w, 0x21, 2), put(w, m->check, 4);
  put(w, UINT32_MAX, 4), put(w, UINT32_MAX, 4), put(w, strlen(m->name) + 4, 2);
}

static void put_name(tool_npz_writer *w, const written *m) {
  put_bytes(w, m->name, strlen(m->name));
  put_bytes(w, ".npy", 4);
}

/* Sizes are written in 64 bits always, so that there is one form. */
static void put_member(tool_npz_writer *w, const written *m, const void *bytes) {
  put(w, LOCAL, 4), put_common(w, m), put(w, 20, 2), put_name(w, m);
  put(w, EXTRA64, 2), put(w, 16, 2), put(w, m->size, 8), put(w, m->size, 8);
  put_bytes(w, bytes, (size_t)m->size);
}

static void put_row(tool_npz_writer *w, const written *m) {
  put(w, CENTRAL, 4), put(w, 45, 2), put_common(w, m), put(w, 28, 2);
  put(w, 0, 2), put(w, 0, 2), put(w, 0, 2), put(w, 0, 4), put(w, UINT32_MAX, 4), put_name(w, m);
  put(w, EXTRA64, 2), put(w, 24, 2), put(w, m->size, 8), put(w, m->size, 8), put(w, m->at, 8);
}

void tool_npz_begin(tool_npz_writer *w, FILE *out) {
  *w = (tool_npz_writer){.out = out};
  w->last = &w->first;
}

/* What a .npy file of the array would hold. */
static char *npy_bytes(const tool_array *a, size_t *size) {
  char *bytes = NULL;
  FILE *memory = open_memstream(&bytes, size);
  if (!memory) return NULL;
  tool_npy_write(memory, a->type, a->shape, a->dims, a->data);
  bool fine = !ferror(memory);
  fine = fclose(memory) == 0 && fine;
  if (!fine) free(bytes), bytes = NULL;
  return bytes;
}

void tool_npz_add(tool_npz_writer *w, const char *name, const tool_array *array) {
  size_t size = 0;
  char *bytes = npy_bytes(array, &size);
  written *m = calloc(1, sizeof *m);
  if (m) m->name = strdup(name);
  if (!bytes || !m || !m->name) {
    if (m) free(m->name);
    free(m), free(bytes);
    w->failed = true;
    return;
  }
  m->at = w->at, m->size = size, m->check = check_of((unsigned char *)bytes, size);
  put_member(w, m, bytes);
  free(bytes);
  *w->last = m, w->last = &m->next;
  w->count++;
}

bool tool_npz_end(tool_npz_writer *w) {
  uint64_t start = w->at, most = UINT16_MAX;
  for (written *m = w->first, *next; m; m = next) {
    next = m->next;
    put_row(w, m);
    free(m->name), free(m);
  }
  uint64_t end = w->at, size = end - start;
  put(w, END64, 4), put(w, END64_SIZE - 12, 8), put(w, 45, 2), put(w, 45, 2), put(w, 0, 4), put(w, 0, 4);
  put(w, w->count, 8), put(w, w->count, 8), put(w, size, 8), put(w, start, 8);
  put(w, LOCATOR64, 4), put(w, 0, 4), put(w, end, 8), put(w, 1, 4);
  uint64_t shown = w->count < most ? w->count : most;
  put(w, END, 4), put(w, 0, 2), put(w, 0, 2), put(w, shown, 2), put(w, shown, 2);
  put(w, UINT32_MAX, 4), put(w, UINT32_MAX, 4), put(w, 0, 2);
  w->first = NULL;
  return !w->failed;
}
