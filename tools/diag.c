#include "tools/diag.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
  const char *id, *message, *fix;
  kg_severity severity;
} rows[] = {
#define TOOL_DIAG(name, id, severity, message, fix) {id, message, fix, KG_##severity},
#include "tools/diags.def"
};

/* Fills {0}, {1}, ...; what is too long is cut. */
static void fill(char *out, size_t size, const char *format, const char *const *args, size_t count) {
  size_t used = 0;
  for (const char *p = format; *p && used + 1 < size; p++) {
    size_t index = (size_t)(unsigned char)p[1] - '0';
    if (p[0] != '{' || !p[1] || p[2] != '}' || index >= count) {
      out[used++] = *p;
      continue;
    }
    for (const char *a = args[index]; *a && used + 1 < size; a++) out[used++] = *a;
    p += 2;
  }
  out[used] = 0;
}

void tool_emit(const kg_sink *sink, tool_diag_id id, const char *file, const char *const *args) {
  char message[512], fix[512];
  size_t count = 0;
  while (args[count]) count++;
  if (!sink || !sink->emit) return;
  fill(message, sizeof message, rows[id].message, args, count);
  fill(fix, sizeof fix, rows[id].fix, args, count);
  sink->emit(sink->user, &(kg_diag){.id = rows[id].id,
                                    .severity = rows[id].severity,
                                    .file = file ? file : "",
                                    .message = message,
                                    .fix = fix});
}

const char *tool_num_format(tool_num *num, uint64_t value) {
  snprintf(num->text, sizeof num->text, "%" PRIu64, value);
  return num->text;
}

bool tool_wants_colour(FILE *out) {
  const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
  return isatty(fileno(out)) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

static const char *severity_name(kg_severity severity) {
  switch (severity) {
  case KG_NOTE: return "note";
  case KG_WARNING: return "warning";
  case KG_ERROR: break;
  }
  return "error";
}

static const char *severity_colour(kg_severity severity) {
  switch (severity) {
  case KG_NOTE: return "\033[1;36m";
  case KG_WARNING: return "\033[1;35m";
  case KG_ERROR: break;
  }
  return "\033[1;31m";
}

/* Text from a file or a name: what a terminal might obey, and what is no text, becomes '?'. A NUL follows it somewhere. */
static void put_safe(FILE *out, const char *text, size_t size) {
  for (size_t i = 0, step; i < size; i += step) {
    const unsigned char *p = (const unsigned char *)text + i;
    size_t length = kg_utf8_length(text + i);
    step = length ? length : 1;
    bool c1 = length == 2 && p[0] == 0xC2 && p[1] < 0xA0;
    if (*p == '\t')
      putc(' ', out);
    else if (length == 0 || *p < 0x20 || *p == 0x7F || c1)
      putc('?', out);
    else
      fwrite(p, 1, length, out);
  }
}

static bool continues_character(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

/* The line, with a caret where there is a column. A very long line is shown around the column alone. */
static void put_line(const tool_printer *p, const char *text, size_t all, uint32_t line, uint32_t column) {
  enum { shown = 100, before = 60 };
  const char *at = text, *end = text + all;
  for (uint32_t i = 1; i < line && at; i++) {
    at = memchr(at, '\n', (size_t)(end - at));
    at = at ? at + 1 : NULL;
  }
  if (!at || at >= end) return;
  const char *stop = memchr(at, '\n', (size_t)(end - at));
  size_t length = (size_t)((stop ? stop : end) - at), col = column ? column - 1 : 0;
  if (length && at[length - 1] == '\r') length--;
  if (col > length) return;
  size_t from = col > before ? col - before : 0;
  while (from && continues_character(at[from])) from--;
  size_t size = length - from > shown ? shown : length - from;
  while (from + size < length && continues_character(at[from + size])) size++;
  fprintf(p->out, "%6" PRIu32 " | ", line);
  put_safe(p->out, at + from, size);
  putc('\n', p->out);
  if (!column) return;
  fputs("       | ", p->out);
  for (size_t i = from, step; i < col; i += step) {
    step = kg_utf8_length(at + i);
    if (!step) step = 1;
    putc(' ', p->out);
  }
  fputs(p->colour ? "\033[1;32m^\033[0m\n" : "^\n", p->out);
}

static void put_source(const tool_printer *p, const kg_diag *d) {
  const tool_text *used = p->used;
  if (p->text && p->file && strcmp(p->file, d->file) == 0) {
    put_line(p, p->text, p->size, d->line, d->column);
    return;
  }
  while (used && strcmp(used->file, d->file) != 0) used = used->next;
  if (used) put_line(p, used->text, used->size, d->line, d->column);
}

static void print(tool_printer *p, const kg_diag *d) {
  const char *bold = p->colour ? "\033[1m" : "", *off = p->colour ? "\033[0m" : "";
  fputs(bold, p->out);
  put_safe(p->out, *d->file ? d->file : "kgrad", strlen(*d->file ? d->file : "kgrad"));
  if (d->line) fprintf(p->out, ":%" PRIu32, d->line);
  if (d->line && d->column) fprintf(p->out, ":%" PRIu32, d->column);
  fprintf(p->out, ":%s %s%s:%s %s", off, p->colour ? severity_colour(d->severity) : "", severity_name(d->severity), off,
          bold);
  put_safe(p->out, d->message, strlen(d->message));
  fprintf(p->out, "%s [%s]\n", off, d->id);
  if (d->line) put_source(p, d);
  if (d->fix && *d->fix) {
    fputs("  fix: ", p->out);
    put_safe(p->out, d->fix, strlen(d->fix));
    putc('\n', p->out);
  }
}

static void collect(tool_json *json, const kg_diag *d) {
  tool_json_open(json, '{');
  tool_json_member(json, "id", d->id);
  tool_json_member(json, "severity", severity_name(d->severity));
  tool_json_member(json, "file", *d->file ? d->file : NULL);
  if (d->line) {
    tool_json_member_u64(json, "line", d->line);
    tool_json_member_u64(json, "column", d->column);
  }
  tool_json_member(json, "message", d->message);
  if (d->fix && *d->fix) tool_json_member(json, "fix", d->fix);
  tool_json_close(json, '}');
}

/* FNV-1a. */
static uint64_t digest(uint64_t h, const char *text) {
  for (; *text; text++) h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001B3);
  return h;
}

/* A command may make the same data several times. */
static bool was_noted(tool_printer *p, const kg_diag *d) {
  enum { room = sizeof p->noted / sizeof *p->noted };
  uint64_t h = digest(digest(digest(UINT64_C(0xCBF29CE484222325), d->id), d->file), d->message);
  for (uint32_t i = 0; i < p->notes; i++)
    if (p->noted[i] == h) return true;
  if (p->notes < room) p->noted[p->notes++] = h;
  return false;
}

static void emit(void *user, const kg_diag *given) {
  tool_printer *p = user;
  kg_diag d = *given;
  if (d.severity == KG_NOTE && was_noted(p, &d)) return;
  if (d.severity == KG_WARNING && p->strict) d.severity = KG_ERROR;
  if (d.severity == KG_ERROR) p->errors++;
  if (d.severity == KG_WARNING) p->warnings++;
  if (p->json)
    collect(p->json, &d);
  else
    print(p, &d);
}

kg_sink tool_printer_sink(tool_printer *printer) { return (kg_sink){.emit = emit, .user = printer}; }
