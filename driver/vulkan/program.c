/* Pipelines and their layouts for the programs that a module runs. */
#include "driver/vulkan/program.h"

#include "spirv/tools.h"

#include <string.h>

static kg_status make_set_layout(kg_executable *exe, kgi_vk_program *p, uint32_t set, VkDescriptorSetLayoutBinding *bindings,
                                 kgi_diags *diags) {
  kgi_vulkan_device *d = kgi_vk_device(exe->device);
  uint32_t count = 0;
  for (uint32_t i = 0; i < p->slots; i++) {
    const kgi_abi_slot *slot = &p->slot[i];
    if (slot->place.set != set) continue;
    bindings[count++] = (VkDescriptorSetLayoutBinding){.binding = slot->place.binding, .descriptorType = kgi_vk_slot_type(slot),
                                                       .descriptorCount = 1, .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
  }
  VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = count,
                                          .pBindings = bindings};
  return kgi_vk_check(d->vk.vkCreateDescriptorSetLayout(d->device, &info, NULL, &p->set[set]), "vkCreateDescriptorSetLayout", diags);
}

static kg_status make_set_layouts(kg_executable *exe, uint32_t index, kgi_diags *diags) {
  const kgi_abi_program *a = &kgi_vk_state_of(exe)->abi.program[index];
  kgi_vk_program *p = &kgi_vk_state_of(exe)->program[index];
  VkDescriptorSetLayoutBinding *bindings = kgi_arena_alloc(&exe->arena, (size_t)a->buffers + 2, sizeof *bindings);
  p->set = kgi_arena_alloc(&exe->arena, a->sets, sizeof *p->set);
  p->sets = p->set ? a->sets : 0;
  kg_status status = bindings && p->set ? KG_OK : KG_NO_MEMORY;
  for (uint32_t set = 0; set < p->sets && status == KG_OK; set++) status = make_set_layout(exe, p, set, bindings, diags);
  return status;
}

static kg_status make_pipeline(kg_executable *exe, uint32_t index, VkShaderModule module, kgi_diags *diags) {
  kgi_vulkan_device *d = kgi_vk_device(exe->device);
  kgi_vk_state *st = kgi_vk_state_of(exe);
  const kgi_abi_program *a = &st->abi.program[index];
  kgi_vk_program *p = &st->program[index];
  VkPushConstantRange push = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = a->block_size};
  VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = p->sets, .pSetLayouts = p->set,
                                       .pushConstantRangeCount = a->block_size && !kgi_vk_has_block(a), .pPushConstantRanges = &push};
  kg_status status = kgi_vk_check(d->vk.vkCreatePipelineLayout(d->device, &layout, NULL, &p->layout), "vkCreatePipelineLayout", diags);
  if (status != KG_OK) return status;
  VkComputePipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
    .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = module,
              .pName = kgi_string(exe->module, exe->module->program[index]->name)},
    .layout = p->layout,
  };
  return kgi_vk_check(d->vk.vkCreateComputePipelines(d->device, d->cache, 1, &info, NULL, &p->pipeline), "vkCreateComputePipelines",
                      diags);
}

/* Vulkan states no highest number, but drivers make tables as long. */
enum { MOST_BINDING = 65535 };

static kg_status find_slots(kg_executable *exe, uint32_t index) {
  const kgi_abi_program *a = &kgi_vk_state_of(exe)->abi.program[index];
  kgi_vk_program *p = &kgi_vk_state_of(exe)->program[index];
  p->slot = kgi_arena_alloc(&exe->arena, (size_t)a->buffers + 2, sizeof *p->slot);
  if (!p->slot) return KG_NO_MEMORY;
  p->slots = kgi_abi_slots(a, p->slot);
  return KG_OK;
}

static kg_status check_bindings(kg_executable *exe, uint32_t index, kgi_diags *diags) {
  const kgi_vulkan_found *found = &kgi_vk_device(exe->device)->found;
  const kgi_abi_program *a = &kgi_vk_state_of(exe)->abi.program[index];
  const kgi_vk_program *program = &kgi_vk_state_of(exe)->program[index];
  const kgi_program *p = exe->module->program[index];
  uint32_t buffers = program->slots - kgi_vk_has_block(a), binding = 0;
  for (uint32_t i = 0; i < program->slots; i++)
    if (program->slot[i].place.binding > binding) binding = program->slot[i].place.binding;
  const struct limit { const char *what; uint32_t value, most; } limits[] = {
    {"buffers", buffers, found->buffers_per_stage}, {"bytes of params", a->block_size, found->uniform_bytes},
    {"descriptor sets", a->sets, found->sets}, {"bindings before its last", binding, MOST_BINDING},
  };
  for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++) {
    const struct limit *l = &limits[i];
    if (l->value <= l->most) continue;
    KGI_DIAG(diags, device_limit, p->pos, kgi_string(exe->module, p->name), l->what, KGI_NUM(l->value), KGI_NUM(l->most));
    return KG_REFUSED;
  }
  return KG_OK;
}

/* ---- all ---- */

/* What the programs have of shared memory, as they stand. */
static uint64_t shared_of_all(const kg_module *m) {
  uint64_t bytes = 0;
  for (uint32_t i = 1; i < m->program_count; i++) {
    const kgi_scope *s = &m->program[i]->scope;
    for (uint32_t o = kgi_buffer_end(s); o < s->object_count; o++) {
      int64_t length = 1;
      if (s->object[o].space != KGI_SHARED) continue;
      if (!s->object[o].scalar && kgi_dim_eval(s, s->object[o].length, &(kgi_dim_env){0}, &length) != KGI_DIM_OK) return UINT64_MAX;
      size_t size = kg_type_size(kgi_type_value(s->object[o].type));
      bytes += (uint64_t)length * (size < 4 ? 4 : size);
    }
  }
  return bytes;
}

/* Of all programs, or of the one that `program` names. */
static kg_status make_module(kg_executable *exe, const char *program, kgi_diags *diags, VkShaderModule *out) {
  kgi_vulkan_device *d = kgi_vk_device(exe->device);
  kgi_vk_state *st = kgi_vk_state_of(exe);
  const kg_allocator *alloc = &exe->device->context->alloc;
  kg_spirv_params params = {.packed = true, .without = ~exe->device->info.features, .math = exe->params.math,
                            .loop_budget = st->loop_budget, .program = program,
                            .no_memory_barrier = d->found.no_memory_barrier, .portable = exe->device->context->params.portable};
  kgi_spirv_known known = {st->count_loops, st->within.of};
  uint32_t *words;
  size_t count;
  kg_status status = kgi_spirv_emit_known(alloc, exe->module, &params, &known, diags->sink, &words, &count);
  if (status != KG_OK) return status;
  VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = count * sizeof *words, .pCode = words};
  status = kgi_vk_check(d->vk.vkCreateShaderModule(d->device, &info, NULL, out), "vkCreateShaderModule", diags);
  kg_bytes_free(alloc, words, count * sizeof *words);
  return status;
}

static kg_status make_host_buffers(kg_executable *exe, kgi_diags *diags) {
  kgi_vulkan_device *d = kgi_vk_device(exe->device);
  kgi_vk_state *st = kgi_vk_state_of(exe);
  kg_status status = KG_OK;
  if (st->abi.site_count > 1) status = kgi_vk_buffer_new(d, KGI_STATUS_WORDS * sizeof(uint32_t), true, diags, &st->status);
  if (status == KG_OK && st->uniform_bytes) status = kgi_vk_buffer_new(d, st->uniform_bytes, true, diags, &st->uniform);
  return status;
}

kg_status kgi_vk_make_programs(kg_executable *exe, kgi_diags *diags) {
  kgi_vulkan_device *d = kgi_vk_device(exe->device);
  kgi_vk_state *st = kgi_vk_state_of(exe);
  VkShaderModule module = VK_NULL_HANDLE;
  /* Validation layers add up what all entry points of a module have of shared memory, and hold the sum against the limit of one. */
  bool apart = shared_of_all(exe->module) > exe->device->info.shared_bytes;
  kg_status status = apart ? KG_OK : make_module(exe, NULL, diags, &module);
  if (status == KG_OK) status = make_host_buffers(exe, diags);
  for (uint32_t i = 1; status == KG_OK && i < exe->module->program_count; i++) {
    if (!st->program[i].used) continue;
    status = find_slots(exe, i);
    if (status == KG_OK && d->found.counts_all_barriers)
      status = kgi_vk_check_barriers(&exe->device->context->alloc, exe->module, exe->module->program[i],
                                     exe->device->info.subgroup_size, diags);
    if (status == KG_OK) status = check_bindings(exe, i, diags);
    if (status == KG_OK) status = make_set_layouts(exe, i, diags);
    if (status == KG_OK && apart) status = make_module(exe, kgi_string(exe->module, exe->module->program[i]->name), diags, &module);
    if (status == KG_OK) status = make_pipeline(exe, i, module, diags);
    if (apart && module) d->vk.vkDestroyShaderModule(d->device, module, NULL), module = VK_NULL_HANDLE;
  }
  if (module) d->vk.vkDestroyShaderModule(d->device, module, NULL);
  return status == KG_OK ? kgi_vk_make_sets(exe, diags) : status;
}

void kgi_vk_free_programs(kg_executable *exe) {
  kgi_vulkan_device *d = kgi_vk_device(exe->device);
  kgi_vk_state *st = kgi_vk_state_of(exe);
  kgi_vk_free_sets(exe);
  for (uint32_t i = 1; st->program && i < exe->module->program_count; i++) {
    d->vk.vkDestroyPipeline(d->device, st->program[i].pipeline, NULL);
    d->vk.vkDestroyPipelineLayout(d->device, st->program[i].layout, NULL);
    for (uint32_t k = 0; k < st->program[i].sets; k++) d->vk.vkDestroyDescriptorSetLayout(d->device, st->program[i].set[k], NULL);
  }
  if (st->status) kgi_vk_buffer_free(st->status);
  if (st->uniform) kgi_vk_buffer_free(st->uniform);
}
