/* kgrad ops: the table of operations, and the functions of the prelude. */
#include "tools/command.h"

#include <string.h>

static const tool_option rows[] = {{.name = NULL}};

static const char *kind_name(kg_op_kind kind) {
  switch (kind) {
  case KG_OP_VALUE: return "value";
  case KG_OP_ATOMIC: return "atomic";
  case KG_OP_SUBGROUP: return "subgroup";
  case KG_OP_ID: break;
  }
  return "id";
}

static const char *partial_text(const char *partial) {
  return strcmp(partial, "") == 0 ? "none" : strcmp(partial, "!") == 0 ? "refused" : partial;
}

static void print(const kg_op_info *op) {
  printf("%-24s %u  %-26s %-5s ", op->name, op->operands, op->takes, op->exact ? "exact" : "");
  for (unsigned i = 0; i < 4 && op->partial[i]; i++) printf("%s%s", i ? "; " : "", partial_text(op->partial[i]));
  if (op->pushforward) printf("; forward mode, by b: %s", op->pushforward);
  putchar('\n');
}

static void write_json(tool_json *json, const kg_op_info *op) {
  tool_json_open(json, '{');
  tool_json_member(json, "name", op->name);
  tool_json_member(json, "kind", kind_name(op->kind));
  tool_json_member(json, "takes", op->takes);
  tool_json_member_u64(json, "operands", op->operands);
  tool_json_member_bool(json, "exact", op->exact);
  tool_json_member_bool(json, "commutes", op->commutes);
  tool_json_key(json, "partials");
  tool_json_open(json, '[');
  for (unsigned i = 0; i < 4 && op->partial[i]; i++) tool_json_string(json, op->partial[i]);
  tool_json_close(json, ']');
  if (op->pushforward) tool_json_member(json, "pushforward", op->pushforward);
  tool_json_close(json, '}');
}

static void write_function(tool_json *json, const kg_fn_info *fn) {
  tool_json_open(json, '{');
  tool_json_member(json, "name", fn->name);
  tool_json_member(json, "signature", fn->signature);
  tool_json_member(json, "summary", fn->summary);
  tool_json_close(json, '}');
}

static unsigned functions(tool_context *ctx, const char *word) {
  unsigned found = 0;
  tool_json_key(ctx->result, "functions");
  tool_json_open(ctx->result, '[');
  for (uint32_t i = 0; i < kg_prelude_count(); i++) {
    kg_fn_info fn = kg_prelude_at(i);
    if (!strstr(fn.name, word)) continue;
    found++;
    if (ctx->json) write_function(ctx->result, &fn);
    else printf("fn %s\n    %s\n", fn.signature, fn.summary);
  }
  tool_json_close(ctx->result, ']');
  return found;
}

static unsigned operations(tool_context *ctx, const char *word) {
  unsigned found = 0;
  tool_json_key(ctx->result, "operations");
  tool_json_open(ctx->result, '[');
  for (uint32_t i = 0; i < kg_op_count(); i++) {
    kg_op_info op = kg_op_at(i);
    if (!strstr(op.name, word)) continue;
    found++;
    if (ctx->json)
      write_json(ctx->result, &op);
    else
      print(&op);
  }
  tool_json_close(ctx->result, ']');
  return found;
}

/* Those whose name contains the word, or all without one. */
static tool_exit run(tool_context *ctx) {
  const char *word = ctx->file_count ? ctx->files[0] : "";
  unsigned found = operations(ctx, word);
  found += functions(ctx, word);
  if (!found) TOOL_EMIT(&ctx->sink, no_operation, NULL, word);
  return found ? TOOL_OK : TOOL_NO;
}

const tool_command tool_ops = {
    .name = "ops",
    .summary = "print the operations, their derivatives, and the functions of the prelude",
    .usage = "[WORD]",
    .detail = "With a word: those whose name contains it; exit status 1 if none does.\n\n"
              "Columns: the name, how many operands, their types, `exact` where every device\n"
              "and host gives the same bits, and the derivative by each operand: over the\n"
              "operands a b c d and the result y, or after `=` over the cotangent g itself.\n\n"
              "Then the functions of the prelude, which every kernel may call. They are inlined,\n"
              "and the file's own function of such a name takes its place. `real` is f16, f32 or\n"
              "f64, the same throughout a call.\n",
    .examples = "  kgrad ops\n"
                "  kgrad ops tan\n",
    .options = rows,
    .max_files = 1,
    .run = run,
};
