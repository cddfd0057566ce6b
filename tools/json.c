#include "tools/json.h"

#include <kgrad/foundation.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tool_json_free(tool_json *json) {
  free(json->text);
  *json = (tool_json){0};
}

static bool reserve(tool_json *json, size_t more) {
  if (json->failed) return false;
  if (more >= SIZE_MAX / 2 - json->used) return !(json->failed = true);
  size_t need = json->used + more + 1;
  if (need <= json->capacity) return true;
  size_t capacity = need < 256 ? 256 : need * 2;
  char *text = realloc(json->text, capacity);
  if (!text) return !(json->failed = true);
  json->text = text;
  json->capacity = capacity;
  return true;
}

static void put(tool_json *json, const char *bytes, size_t size) {
  if (!reserve(json, size)) return;
  memcpy(json->text + json->used, bytes, size);
  json->used += size;
  json->text[json->used] = 0;
}

static void put_text(tool_json *json, const char *text) { put(json, text, strlen(text)); }

static void separate(tool_json *json) {
  if (json->comma) put(json, ",", 1);
  json->comma = true;
}

void tool_json_open(tool_json *json, char bracket) {
  separate(json);
  put(json, &bracket, 1);
  json->comma = false;
}

void tool_json_close(tool_json *json, char bracket) {
  put(json, &bracket, 1);
  json->comma = true;
}

static void put_piece(void *user, const char *text, size_t size) { put(user, text, size); }
static void put_string(tool_json *json, const char *text) { kg_json_string(text, put_piece, json); }

void tool_json_key(tool_json *json, const char *key) {
  separate(json);
  put_string(json, key);
  put(json, ":", 1);
  json->comma = false;
}

void tool_json_string(tool_json *json, const char *text) {
  separate(json);
  if (text)
    put_string(json, text);
  else
    put_text(json, "null");
}

void tool_json_number(tool_json *json, double value) {
  char text[40];
  separate(json);
  if (isnan(value)) {
    put_text(json, "\"nan\"");
  } else if (isinf(value)) {
    put_text(json, value < 0 ? "\"-inf\"" : "\"inf\"");
  } else if (fabs(value) < 1e9 && value == floor(value)) {
    snprintf(text, sizeof text, "%.0f", value);
    put_text(json, text);
  } else {
    for (int digits = 1; digits <= 17; digits++) {
      snprintf(text, sizeof text, "%.*g", digits, value);
      if (strtod(text, NULL) == value) break;
    }
    put_text(json, text);
  }
}

void tool_json_u64(tool_json *json, uint64_t value) {
  char text[24];
  separate(json);
  snprintf(text, sizeof text, "%" PRIu64, value);
  put_text(json, text);
}

void tool_json_i64(tool_json *json, int64_t value) {
  char text[24];
  separate(json);
  snprintf(text, sizeof text, "%" PRId64, value);
  put_text(json, text);
}

void tool_json_bool(tool_json *json, bool value) {
  separate(json);
  put_text(json, value ? "true" : "false");
}

void tool_json_raw(tool_json *json, const char *text) {
  separate(json);
  put_text(json, text && *text ? text : "null");
}

void tool_json_member(tool_json *json, const char *key, const char *text) {
  tool_json_key(json, key);
  tool_json_string(json, text);
}

void tool_json_member_u64(tool_json *json, const char *key, uint64_t value) {
  tool_json_key(json, key);
  tool_json_u64(json, value);
}

void tool_json_member_number(tool_json *json, const char *key, double value) {
  tool_json_key(json, key);
  tool_json_number(json, value);
}

void tool_json_member_bool(tool_json *json, const char *key, bool value) {
  tool_json_key(json, key);
  tool_json_bool(json, value);
}
