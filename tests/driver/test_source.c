/* The GLSL that `kgrad grad -o adjoint.comp` writes, compiled by glslang and run in place of what the driver emits: the gradients are
 * those of the original. It replaces pipelines behind the driver's back, so that buffers, params and order stay the driver's. */
#include "driver/vulkan/vulkan.h"
#include "tests/support/devices.h"

#include <kgrad/autodiff.h>
#include <kgrad/foundation.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static char folder[256];
static kgi_vulkan_device *device;
static PFN_vkCreateComputePipelines make_pipelines;
static int replaced;

static void shell(const char *command) {
  int status = system(command);
  ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s", command);
}

static void *whole_file(const char *path, size_t *size) {
  FILE *in = fopen(path, "rb");
  ck_assert_msg(in != NULL, "%s", path);
  ck_assert_int_eq(fseek(in, 0, SEEK_END), 0);
  *size = (size_t)ftell(in);
  rewind(in);
  char *bytes = calloc(1, *size + 1);
  ck_assert_ptr_nonnull(bytes);
  ck_assert_uint_eq(fread(bytes, 1, *size, in), *size);
  fclose(in);
  return bytes;
}

/* The program of the same name, from GLSL; its entry point is `main`. */
static VkResult replace(VkDevice d, VkPipelineCache cache, uint32_t count, const VkComputePipelineCreateInfo *infos,
                        const VkAllocationCallbacks *allocation, VkPipeline *out) {
  char command[2048], path[512];
  size_t size;
  VkShaderModule module = VK_NULL_HANDLE;
  VkComputePipelineCreateInfo info = infos[0];
  ck_assert_uint_eq(count, 1);
  snprintf(path, sizeof path, "%s/%s.spv", folder, info.stage.pName);
  snprintf(command, sizeof command,
           "glslangValidator -V --target-env vulkan1.1 -DKGRAD_%s %s/adjoint.comp -o %s >%s/said || { cat %s/said; false; }",
           info.stage.pName, folder, path, folder, folder);
  shell(command);
  uint32_t *words = whole_file(path, &size);
  VkShaderModuleCreateInfo create = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = words};
  ck_assert_int_eq(device->vk.vkCreateShaderModule(d, &create, NULL, &module), VK_SUCCESS);
  info.stage.module = module, info.stage.pName = "main";
  VkResult result = make_pipelines(d, cache, 1, &info, allocation, out);
  device->vk.vkDestroyShaderModule(d, module, NULL);
  free(words);
  replaced++;
  return result;
}

/* ---- what a gradient computes ---- */

typedef struct arrays { kg_host host; void *data[64]; uint32_t buffers; } arrays;

static void fill(arrays *a, const kg_module *m) {
  uint32_t params = kg_module_param_count(m);
  a->buffers = kg_module_buffer_count(m);
  ck_assert_uint_le(a->buffers, 64);
  a->host = (kg_host){calloc(params + 1, sizeof(uint64_t)), calloc(params + 1, sizeof(bool)), calloc(a->buffers + 1, sizeof(uint64_t)),
                      calloc(a->buffers + 1, sizeof(bool))};
  ck_assert_int_eq(kg_module_resolve(m, &a->host, &kgt_sink), KG_OK);
  for (uint32_t i = 0; i < a->buffers; i++) {
    kg_buffer_info b = kg_module_buffer(m, i);
    if (b.mode == KG_TEMP) continue;
    a->data[i] = calloc(a->host.length[i] + 1, kg_type_size(b.type));
    if (b.mode != KG_WRITE) ck_assert_int_eq(kg_module_random(m, &a->host, i, 7, &kgt_sink, a->data[i]), KG_OK);
  }
}

static void drop(arrays *a) {
  for (uint32_t i = 0; i < a->buffers; i++) free(a->data[i]);
  free(a->host.param), free(a->host.param_given), free(a->host.length), free(a->host.length_given);
}

/* Sums of atomic adds come in any order; all else is the same to the bit. */
static void compare(const kg_module *m, const arrays *a, const arrays *b, bool same_bits) {
  for (uint32_t i = 0; i < a->buffers; i++) {
    kg_type type = kg_module_buffer(m, i).type;
    double most = 0;
    for (uint64_t k = 0; a->data[i] && k < a->host.length[i]; k++) {
      double x = kg_value_number(type, kg_value_load(type, a->data[i], k));
      most = x > most ? x : -x > most ? -x : most;
    }
    for (uint64_t k = 0; a->data[i] && k < a->host.length[i]; k++) {
      uint64_t x = kg_value_load(type, a->data[i], k), y = kg_value_load(type, b->data[i], k);
      double off = kg_value_number(type, x) - kg_value_number(type, y), allowed = same_bits ? 0 : most * 0x1p-18;
      ck_assert_msg(x == y || (off <= allowed && -off <= allowed), "%s[%d] is %.9g, and %.9g from GLSL", kg_module_buffer(m, i).name, (int)k,
                    kg_value_number(type, x), kg_value_number(type, y));
    }
  }
}

/* `atomic`: its gradient has atomic adds, whose order is nobody's. */
typedef struct kernel { const char *path; bool atomic; } kernel;
static const kernel kernels[] = {
  {"examples/saxpy.kg", true}, {"examples/softmax.kg", false}, {"examples/layernorm.kg", true}, {"examples/matmul_tiled.kg", true},
  {"examples/particles.kg", false}, {"examples/stencil.kg", true}, {"examples/gather.kg", true}, {"examples/pendulum.kg", false},
  {"examples/inplace.kg", false}, {"examples/quantised.kg", true}, {"examples/orbit.kg", false}, {"examples/deblur.kg", true},
};

START_TEST(glsl_computes_the_same) {
  char command[2048], path[512];
  const kernel *k = &kernels[_i];
  size_t size;
  snprintf(folder, sizeof folder, "/tmp/kgrad-source-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/%s", getenv("abs_srcdir"), k->path);
  snprintf(command, sizeof command, "\"$KGRAD\" grad %s -o %s/adjoint.comp", path, folder);
  shell(command);
  char *text = whole_file(path, &size);
  kg_module *m = kgt_parse(text), *g = NULL;
  ck_assert_int_eq(kg_grad(m, NULL, &kgt_sink, &g), KG_OK);
  arrays plain = {0}, source = {0};
  fill(&plain, g), fill(&source, g);
  kgt_device d = kgt_open_with("vulkan", &(kg_context_params){.validate = true});
  ck_assert_int_eq(kg_run(d.device, g, &plain.host, plain.data, NULL, &kgt_sink, NULL), KG_OK);
  kgt_close(&d);
  d = kgt_open_with("vulkan", &(kg_context_params){.validate = true, .portable = true});
  device = kgi_vk_device(d.device), replaced = 0;
  make_pipelines = device->vk.vkCreateComputePipelines, device->vk.vkCreateComputePipelines = replace;
  ck_assert_int_eq(kg_run(d.device, g, &source.host, source.data, NULL, &kgt_sink, NULL), KG_OK);
  ck_assert_int_gt(replaced, 0);
  compare(g, &plain, &source, !k->atomic);
  kgt_close(&d);
  drop(&plain), drop(&source);
  kg_module_free(g), kg_module_free(m);
  free(text);
  snprintf(command, sizeof command, "rm -r %s", folder);
  shell(command);
}
END_TEST

/* What a language lacks is refused, with SPIRV-Cross's words, and nothing is written. */
START_TEST(lacking_types_are_refused) {
  char command[2048], path[512];
  size_t size;
  snprintf(folder, sizeof folder, "/tmp/kgrad-source-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/said", folder);
  snprintf(command, sizeof command,
           "cd %s && echo 'program p { workgroup 1 grid 1 buffer x : f64[1] read_write x[0] += 1.0 }' >a.kg && "
           "\"$KGRAD\" show a.kg -o a.metal 2>said; test $? = 1 && ! test -e a.metal && ! test -e a.json",
           folder);
  shell(command);
  char *said = whole_file(path, &size);
  ck_assert_msg(strstr(said, "no-source") != NULL && strstr(said, "program p") != NULL, "%s", said);
  free(said);
  snprintf(command, sizeof command, "rm -r %s", folder);
  shell(command);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(glsl_computes_the_same, kernels, path), KGT(lacking_types_are_refused)};
  return kgt_run("driver/source", tests, KGT_COUNT(tests));
}
