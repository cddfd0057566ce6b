/* kgrad devices: what there is to run on. */
#include "tools/command.h"

#include <kgrad/driver.h>
#include <kgrad/spirv.h>

#include <inttypes.h>

static const tool_option rows[] = {{.name = NULL}};

static void print_limits(const kg_device_info *d) {
  printf("  driver      %s", d->driver);
  if (d->vulkan_major) printf(", Vulkan %" PRIu32 ".%" PRIu32, d->vulkan_major, d->vulkan_minor);
  puts("");
  printf("  workgroup   %" PRIu32 " invocations, at most %" PRIu32 " x %" PRIu32 " x %" PRIu32 "; subgroups of %" PRIu32 "\n",
         d->workgroup_invocations, d->workgroup_size[0], d->workgroup_size[1], d->workgroup_size[2], d->subgroup_size);
  printf("  grid        at most %" PRIu32 " x %" PRIu32 " x %" PRIu32 " workgroups\n", d->groups[0], d->groups[1], d->groups[2]);
  printf("  memory      %" PRIu64 " bytes a buffer, %" PRIu32 " of shared memory\n", d->buffer_bytes, d->shared_bytes);
  if (d->loop_budget) printf("  loops       end after %" PRIu32 " iterations of an invocation\n", d->loop_budget);
}

/* The reference has no limits worth a line. */
static void print(const kg_device_info *d) {
  printf("%s: %s%s\n", d->id, d->name, d->usual ? " (the usual one)" : "");
  if (*d->driver) print_limits(d);
  printf("  features   ");
  for (unsigned i = 0; i < KG_FEATURE_COUNT; i++)
    if (d->features >> i & 1) printf(" %s", kg_feature_name(i));
  puts("");
}

static void write_sizes(tool_json *json, const char *key, const uint32_t sizes[3]) {
  tool_json_key(json, key);
  tool_json_open(json, '[');
  for (int i = 0; i < 3; i++) tool_json_u64(json, sizes[i]);
  tool_json_close(json, ']');
}

static void write_json(tool_json *json, const kg_device_info *d) {
  tool_json_open(json, '{');
  tool_json_member(json, "id", d->id);
  tool_json_member(json, "name", d->name);
  tool_json_member(json, "driver", *d->driver ? d->driver : NULL);
  tool_json_member_u64(json, "vulkan_major", d->vulkan_major);
  tool_json_member_u64(json, "vulkan_minor", d->vulkan_minor);
  tool_json_member_u64(json, "workgroup_invocations", d->workgroup_invocations);
  write_sizes(json, "workgroup_size", d->workgroup_size);
  write_sizes(json, "groups", d->groups);
  tool_json_member_u64(json, "shared_bytes", d->shared_bytes);
  tool_json_member_u64(json, "subgroup_size", d->subgroup_size);
  tool_json_member_u64(json, "buffer_bytes", d->buffer_bytes);
  tool_json_member_u64(json, "loop_budget", d->loop_budget);
  tool_json_member_bool(json, "gpu", d->gpu);
  tool_json_member_bool(json, "usual", d->usual);
  tool_json_key(json, "features");
  tool_json_open(json, '[');
  for (unsigned i = 0; i < KG_FEATURE_COUNT; i++)
    if (d->features >> i & 1) tool_json_string(json, kg_feature_name(i));
  tool_json_close(json, ']');
  tool_json_close(json, '}');
}

static tool_exit run(tool_context *ctx) {
  kg_context *context = NULL;
  kg_status status = kg_context_new(NULL, NULL, &ctx->sink, &context);
  if (status != KG_OK) return tool_exit_of(status);
  tool_json_key(ctx->result, "devices");
  tool_json_open(ctx->result, '[');
  for (uint32_t i = 0; i < kg_device_count(context); i++) {
    kg_device_info info = kg_device_at(context, i);
    if (ctx->json)
      write_json(ctx->result, &info);
    else
      print(&info);
  }
  tool_json_close(ctx->result, ']');
  kg_context_free(context);
  return TOOL_OK;
}

const tool_command tool_devices = {
    .name = "devices",
    .summary = "list the devices that kernels can run on",
    .usage = "",
    .detail = "The reference interpreter, every Vulkan device, and the CPU where there is a C compiler.\n"
              "What stands before the text is what --device takes; `vulkan` alone is the first of them.\n"
              "The usual one is what KGRAD_DEVICE names, else the first GPU, else the CPU, else the\n"
              "reference: `kgrad run` takes it where none is named.\n",
    .examples = "  kgrad devices\n"
                "  VK_DRIVER_FILES=/usr/share/vulkan/icd.d/lvp_icd.x86_64.json kgrad devices\n",
    .options = rows,
    .run = run,
};
