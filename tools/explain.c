/* kgrad grad --explain: a line for each run, and below it one for each value and each shadow of which there is something to say. */
#include "tools/explain.h"

#include <inttypes.h>
#include <string.h>

/* ---- for people ---- */

static const char *role_in_words(const char *role) {
  if (!strcmp(role, "combined")) return "forward and reverse in one program";
  if (!strcmp(role, "stated")) return "the adjoint that its program names";
  if (!strcmp(role, "taped")) return "forward with a tape, and an adjoint of its own";
  return strcmp(role, "separate") ? "no gradient flows through it" : "an adjoint of its own";
}

static void put_bytes(FILE *out, uint64_t bytes) {
  if (bytes != UINT64_MAX) fprintf(out, ", %" PRIu64 " bytes", bytes);
}

static void put_place(FILE *out, kg_grad_value v) {
  if (!strcmp(v.place, "var")) fprintf(out, " in a var");
  else if (!strcmp(v.place, "memory")) fprintf(out, " in %s", v.buffer), v.bytes = UINT64_MAX;
  else if (!strcmp(v.place, "array")) fprintf(out, " in an array, %s[%s]", kg_type_name(v.type), v.elements);
  else fprintf(out, " in %s, %s[%s]", v.buffer, kg_type_name(v.type), v.elements);
  put_bytes(out, v.bytes);
}

static void put_value(FILE *out, kg_grad_value v) {
  fprintf(out, "  line %u: %s", v.line, v.name);
  if (*v.object && strcmp(v.object, v.name) != 0) fprintf(out, " (of %s)", v.object);
  fprintf(out, ": %s", v.how);
  if (v.at) fprintf(out, strcmp(v.how, "kept") ? " in the reverse of line %u" : " while line %u is run again", v.at);
  if (*v.place) put_place(out, v);
  fprintf(out, "%s%s\n", *v.why ? ": " : "", v.why);
}

static void put_known(FILE *out, uint64_t bytes, const char *what) {
  if (bytes == UINT64_MAX) fprintf(out, "an unknown number of %s", what);
  else fprintf(out, "%" PRIu64 " %s", bytes, what);
}

static void put_checkpoint(FILE *out, kg_grad_checkpoint c) {
  fprintf(out, "  line %u: checkpoint%s%s: each invocation keeps ", c.line, *c.name ? " " : "", c.name);
  put_known(out, c.kept, "bytes of what it reads, and ");
  put_known(out, c.meanwhile, "while it is run again");
  fprintf(out, "; without it ");
  put_known(out, c.without, "bytes");
  fprintf(out, "; of its %u statements %u are run again\n", c.statements, c.again);
}

const char *tool_how_in_words(const char *how) {
  if (!strcmp(how, "stored")) return "stored once";
  if (!strcmp(how, "gathered")) return "gathered in order";
  if (!strcmp(how, "own")) return "added to by one invocation";
  return strcmp(how, "summed") ? "added to atomically" : "summed over each workgroup, then added atomically";
}

void tool_explain(FILE *out, const kg_grad_map *map) {
  uint64_t total = 0;
  for (size_t r = 0; r < kg_grad_map_run_count(map); r++) {
    kg_grad_run run = kg_grad_map_run(map, r);
    const char *active = *run.active ? "; active: " : "";
    fprintf(out, "run of %s", run.program);
    if (run.line) fprintf(out, ", line %u", run.line);
    fprintf(out, ": %s%s%s\n", role_in_words(run.role), active, run.active);
    for (size_t i = 0; i < kg_grad_map_value_count(map); i++)
      if (kg_grad_map_value(map, i).run == r) put_value(out, kg_grad_map_value(map, i));
    for (size_t i = 0; i < kg_grad_map_checkpoint_count(map); i++)
      if (kg_grad_map_checkpoint(map, i).run == r) put_checkpoint(out, kg_grad_map_checkpoint(map, i));
    for (size_t i = 0; i < kg_grad_map_share_count(map); i++) {
      kg_grad_share share = kg_grad_map_share(map, i);
      if (share.run == r) fprintf(out, "  shadow of %s: %s: %s\n", share.object, tool_how_in_words(share.how), share.why);
    }
  }
  for (size_t i = 0; i < kg_grad_map_segments_count(map); i++) {
    kg_grad_segments s = kg_grad_map_segments(map, i);
    fprintf(out, "repeat %s, line %u: in segments of %u rounds", s.repeat, s.line, s.rounds);
    if (s.group > 1) fprintf(out, ", %u of which share a snapshot and then have one each", s.group);
    fprintf(out, "; %s snapshots of %s; with copies, %" PRIu64 " bytes; %" PRIu64 " rounds run again\n",
            s.snapshots, *s.buffers ? s.buffers : "nothing", s.bytes, s.rounds_again);
    total += s.bytes;
  }
  for (size_t i = 0; i < kg_grad_map_tape_count(map); i++) {
    kg_grad_tape tape = kg_grad_map_tape(map, i);
    const char *what = *tape.copy_of ? "copy of " : tape.list ? "list" : "tape";
    fprintf(out, "%s: a %s%s, %s[%s]", tape.buffer, what, tape.copy_of, kg_type_name(tape.type), tape.elements);
    put_bytes(out, tape.bytes);
    fprintf(out, "\n");
    total = tape.bytes == UINT64_MAX || total == UINT64_MAX ? UINT64_MAX : total + tape.bytes;
  }
  if (kg_grad_map_tape_count(map) + kg_grad_map_segments_count(map) > 1 && total != UINT64_MAX)
    fprintf(out, "tapes%s: %" PRIu64 " bytes\n", kg_grad_map_segments_count(map) ? " and snapshots" : "", total);
}

/* ---- as JSON ---- */

static void member_bytes(tool_json *json, const char *key, uint64_t bytes) {
  tool_json_key(json, key);
  if (bytes == UINT64_MAX) tool_json_raw(json, "");
  else tool_json_u64(json, bytes);
}

static void value_json(tool_json *json, kg_grad_value v) {
  tool_json_open(json, '{');
  tool_json_member(json, "name", v.name);
  tool_json_member(json, "object", v.object);
  tool_json_member_u64(json, "line", v.line);
  tool_json_member(json, "how", v.how);
  tool_json_member_u64(json, "at", v.at);
  tool_json_member(json, "type", kg_type_name(v.type));
  if (*v.place) {
    tool_json_member(json, "place", v.place);
    tool_json_member(json, "buffer", v.buffer);
    tool_json_member(json, "elements", v.elements);
    member_bytes(json, "bytes", v.bytes);
  }
  tool_json_member(json, "why", v.why);
  tool_json_close(json, '}');
}

static void share_json(tool_json *json, kg_grad_share share) {
  tool_json_open(json, '{');
  tool_json_member(json, "object", share.object);
  tool_json_member(json, "how", share.how);
  tool_json_member(json, "why", share.why);
  tool_json_close(json, '}');
}

static void tape_json(tool_json *json, kg_grad_tape tape) {
  tool_json_open(json, '{');
  tool_json_member(json, "buffer", tape.buffer);
  tool_json_member(json, "type", kg_type_name(tape.type));
  tool_json_member(json, "elements", tape.elements);
  member_bytes(json, "bytes", tape.bytes);
  if (tape.list) tool_json_member_bool(json, "list", true);
  if (*tape.copy_of) tool_json_member(json, "copy_of", tape.copy_of);
  tool_json_close(json, '}');
}

static void checkpoint_json(tool_json *json, kg_grad_checkpoint c) {
  tool_json_open(json, '{');
  tool_json_member(json, "name", c.name);
  tool_json_member_u64(json, "line", c.line);
  member_bytes(json, "kept", c.kept);
  member_bytes(json, "meanwhile", c.meanwhile);
  member_bytes(json, "without", c.without);
  tool_json_member_u64(json, "statements", c.statements);
  tool_json_member_u64(json, "again", c.again);
  tool_json_close(json, '}');
}

static void list_begin(tool_json *json, const char *key) { tool_json_key(json, key), tool_json_open(json, '['); }

static void run_json(tool_json *json, const kg_grad_map *map, size_t r) {
  kg_grad_run run = kg_grad_map_run(map, r);
  tool_json_open(json, '{');
  tool_json_member(json, "program", run.program);
  tool_json_member_u64(json, "line", run.line);
  tool_json_member(json, "role", run.role);
  tool_json_member(json, "active", run.active);
  list_begin(json, "values");
  for (size_t i = 0; i < kg_grad_map_value_count(map); i++)
    if (kg_grad_map_value(map, i).run == r) value_json(json, kg_grad_map_value(map, i));
  tool_json_close(json, ']');
  list_begin(json, "shares");
  for (size_t i = 0; i < kg_grad_map_share_count(map); i++)
    if (kg_grad_map_share(map, i).run == r) share_json(json, kg_grad_map_share(map, i));
  tool_json_close(json, ']');
  list_begin(json, "checkpoints");
  for (size_t i = 0; i < kg_grad_map_checkpoint_count(map); i++)
    if (kg_grad_map_checkpoint(map, i).run == r) checkpoint_json(json, kg_grad_map_checkpoint(map, i));
  tool_json_close(json, ']');
  list_begin(json, "tapes");
  for (size_t i = 0; i < kg_grad_map_tape_count(map); i++)
    if (kg_grad_map_tape(map, i).run == r) tape_json(json, kg_grad_map_tape(map, i));
  tool_json_close(json, ']');
  tool_json_close(json, '}');
}

static void segments_json(tool_json *json, kg_grad_segments s) {
  tool_json_open(json, '{');
  tool_json_member(json, "repeat", s.repeat);
  tool_json_member_u64(json, "line", s.line);
  tool_json_member_u64(json, "rounds", s.rounds);
  tool_json_member_u64(json, "group", s.group);
  tool_json_member(json, "buffers", s.buffers);
  tool_json_member(json, "snapshots", s.snapshots);
  tool_json_member_u64(json, "bytes", s.bytes);
  tool_json_member_u64(json, "rounds_again", s.rounds_again);
  tool_json_close(json, '}');
}

void tool_explain_json(tool_json *json, const kg_grad_map *map) {
  list_begin(json, "runs");
  for (size_t r = 0; r < kg_grad_map_run_count(map); r++) run_json(json, map, r);
  tool_json_close(json, ']');
  list_begin(json, "segments");
  for (size_t i = 0; i < kg_grad_map_segments_count(map); i++) segments_json(json, kg_grad_map_segments(map, i));
  tool_json_close(json, ']');
}
