#include "foundation/base/diag.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct row { const char *id, *message, *fix; kg_severity severity; } row;

static const row rows[] = {
#define DIAG(name, id, severity, message, fix) {id, message, fix, KG_##severity},
#include "foundation/base/diags.def"
};

const char *kgi_diag_name(kgi_diag_id id) { return rows[id].id; }

typedef struct text { char bytes[512]; size_t used; } text;

/* Leaves room for the ellipsis that `finish` may need. */
static bool put(text *t, char c) {
  if (t->used >= sizeof t->bytes - 5) return false;
  t->bytes[t->used++] = c;
  return true;
}

static void put_argument(text *t, const char *arg) {
  static const char hex[] = "0123456789abcdef";
  for (; *arg; arg++) {
    unsigned char c = (unsigned char)*arg;
    if (c >= 0x20 && c != 0x7F && c < 0x80) {
      put(t, (char)c);
    } else {
      put(t, '\\'), put(t, 'x'), put(t, hex[c >> 4]), put(t, hex[c & 15]);
    }
  }
}

static void fill(text *t, const char *format, const char *const *args, size_t count) {
  for (const char *p = format; *p; p++) {
    size_t index = (size_t)(unsigned char)p[1] - '0';
    if (p[0] == '{' && p[1] && p[2] == '}' && index < count) {
      put_argument(t, args[index]);
      p += 2;
    } else {
      put(t, *p);
    }
  }
  if (t->used >= sizeof t->bytes - 5) memcpy(t->bytes + t->used, "...", 3), t->used += 3;
  t->bytes[t->used] = 0;
}

void kgi_diag_emit(kgi_diags *diags, kgi_diag_id id, kgi_pos pos, const char *const *args) {
  if (!diags) return;
  const row *r = &rows[id];
  if (r->severity == KG_ERROR) diags->errors++;
  if (!diags->sink || !diags->sink->emit) return;
  size_t count = 0;
  while (args[count]) count++;
  text message = {.used = 0}, fix = {.used = 0};
  fill(&message, r->message, args, count);
  fill(&fix, r->fix, args, count);
  diags->sink->emit(diags->sink->user, &(kg_diag){
    .id = r->id, .severity = r->severity, .file = diags->file ? diags->file : "",
    .line = kgi_pos_line(pos), .column = kgi_pos_column(pos), .message = message.bytes, .fix = fix.bytes});
}

kg_status kgi_no_memory(const kg_sink *sink) {
  kgi_diags diags = {.sink = sink};
  KGI_DIAG(&diags, no_memory, 0, "");
  return KG_NO_MEMORY;
}

kg_status kgi_check_choice(bool is_one, const char *call, const char *type, int64_t value, kgi_diags *diags) {
  if (is_one) return KG_OK;
  KGI_DIAG(diags, build_argument, 0, call, KGI_NUM(value), type, "one that the header names");
  return KG_INVALID;
}

const char *kgi_num_signed(kgi_num *num, int64_t value) {
  snprintf(num->text, sizeof num->text, "%" PRId64, value);
  return num->text;
}

const char *kgi_num_unsigned(kgi_num *num, uint64_t value) {
  snprintf(num->text, sizeof num->text, "%" PRIu64, value);
  return num->text;
}
