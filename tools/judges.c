#include "tools/judges.h"

#include <stdlib.h>
#include <string.h>

static tool_exit out_of_memory(tool_context *ctx) { return TOOL_EMIT(&ctx->sink, out_of_memory, NULL, NULL), TOOL_BAD; }

static void add(tool_judges *d, const char *name, bool optional) {
  for (size_t i = 0; i < d->count; i++)
    if (!strcmp(d->name[i], name)) {
      d->optional[i] &= optional;
      return;
    }
  d->name[d->count] = name, d->optional[d->count++] = optional;
}

/* A context looks for Vulkan, which takes its time, so there is none for the reference alone. */
static tool_exit make_room(tool_context *ctx, const tool_list *given, tool_judges *d) {
  size_t others = 0;
  kg_context_params params = {0};
  for (size_t i = 0; i < given->count; i++)
    if (strcmp(given->items[i], "reference")) params.only = others++ ? NULL : given->items[i];
  if (others && kg_context_new(NULL, &params, &ctx->sink, &d->context) != KG_OK) return TOOL_BAD;
  size_t most = 1 + others + (others ? kg_device_count(d->context) : 0);
  d->name = calloc(most, sizeof *d->name);
  d->open = calloc(most, sizeof *d->open);
  d->optional = calloc(most, sizeof *d->optional);
  return d->name && d->open && d->optional ? TOOL_OK : out_of_memory(ctx);
}

static void add_all(tool_judges *d) {
  d->no_vulkan = true;
  for (uint32_t i = 0; i < kg_device_count(d->context); i++) {
    kg_device_info info = kg_device_at(d->context, i);
    if (info.vulkan_major) d->no_vulkan = false;
    add(d, info.id, true);
  }
}

/* One that cannot be opened, but is there, cannot run anything. */
static tool_exit open_all(tool_context *ctx, tool_judges *d) {
  tool_exit status = TOOL_OK;
  for (size_t i = 1; i < d->count && status != TOOL_BAD; i++)
    status = tool_exit_of(kg_device_open(d->context, d->name[i], &ctx->sink, &d->open[i - 1]));
  return status == TOOL_BAD ? TOOL_BAD : TOOL_OK;
}

tool_exit tool_judges_open(tool_context *ctx, const tool_list *given, tool_judges *d) {
  tool_exit status = make_room(ctx, given, d);
  if (status != TOOL_OK) return status;
  add(d, "reference", false);
  for (size_t i = 0; i < given->count; i++)
    if (strcmp(given->items[i], "all")) add(d, given->items[i], false);
    else add_all(d);
  return open_all(ctx, d);
}

void tool_judges_free(tool_judges *d) {
  for (size_t i = 1; i < d->count; i++) kg_device_free(d->open[i - 1]);
  free(d->name);
  free(d->open);
  free(d->optional);
  kg_context_free(d->context);
}
