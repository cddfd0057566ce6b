/* Writes JSON into memory. Failure is sticky: build the whole, then look at `failed` once. Commas come by themselves. */
#ifndef TOOLS_JSON_H
#define TOOLS_JSON_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tool_json {
  char *text; /* NUL-terminated once something was written */
  size_t used, capacity;
  bool comma;  /* the next value or key is not the first */
  bool failed; /* out of memory */
} tool_json;

void tool_json_free(tool_json *json);

void tool_json_open(tool_json *json, char bracket); /* '{' or '[' */
void tool_json_close(tool_json *json, char bracket);
void tool_json_key(tool_json *json, const char *key);
/* NULL becomes null. Bytes that are not UTF-8 become U+FFFD. */
void tool_json_string(tool_json *json, const char *text);
/* The shortest text that reads back the same; JSON has no infinities and no NaN: those become the strings "inf", "-inf"
 * and "nan". */
void tool_json_number(tool_json *json, double value);
void tool_json_u64(tool_json *json, uint64_t value);
void tool_json_i64(tool_json *json, int64_t value);
void tool_json_bool(tool_json *json, bool value);
/* Text that is JSON already; an empty one becomes null. */
void tool_json_raw(tool_json *json, const char *text);

/* A key with its value. */
void tool_json_member(tool_json *json, const char *key, const char *text);
void tool_json_member_u64(tool_json *json, const char *key, uint64_t value);
void tool_json_member_number(tool_json *json, const char *key, double value);
void tool_json_member_bool(tool_json *json, const char *key, bool value);
#endif
