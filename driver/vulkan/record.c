/* A module's runs in command buffers: recorded once, submitted as often as wanted, with just the barriers that their buffers need. */
#include "driver/bound.h"
#include "driver/views.h"
#include "driver/vulkan/program.h"
#include "spirv/block.h"

#include <string.h>

/* ---- what the module needs, before anything is made ---- */

typedef struct survey { kg_executable *exe; kgi_arena *scratch; kgi_diags *diags; } survey;

/* What may pass the device's limit is refused where it is certain, and else counted as it runs. Invocations share the device's
 * count in vectors of a subgroup's size, so that with several loops of different trips the counts of single invocations say less. */
static kg_status bound_loops(const survey *s, const kgi_run *run) {
  kgi_vk_state *st = kgi_vk_state_of(s->exe);
  const kg_device_info *info = &s->exe->device->info;
  kgi_loop_bound bound;
  if (!info->loop_budget || st->count_loops[run->program_index]) return KG_OK;
  if (!kgi_bound_loops(run, s->scratch, &bound)) return KG_NO_MEMORY;
  if (bound.most <= info->loop_budget) return KG_OK;
  if (bound.certain && bound.most != UINT64_MAX) {
    KGI_DIAG(s->diags, device_loops, run->program->pos, kgi_string(s->exe->module, run->program->name), KGI_NUM(bound.most),
             KGI_NUM(info->loop_budget));
    return KG_REFUSED;
  }
  uint32_t budget = bound.loops > 1 ? info->loop_budget / info->subgroup_size : info->loop_budget - 1;
  if (!st->loop_budget || budget < st->loop_budget) st->loop_budget = budget;
  st->count_loops[run->program_index] = true;
  return KG_OK;
}

static uint32_t aligned(uint32_t size, uint32_t to) { return to ? (size + to - 1) / to * to : size; }

static kg_status survey_run(void *user, const kgi_run *run) {
  const survey *s = user;
  kgi_vk_state *st = kgi_vk_state_of(s->exe);
  const kgi_abi_program *a = &st->abi.program[run->program_index];
  kgi_vk_program *p = &st->program[run->program_index];
  p->used = st->item_used[run->item] = true;
  if (a->params_binding != KGI_NO_BINDING) {
    p->block_stride = aligned(a->block_size, kgi_vk_device(s->exe->device)->found.uniform_alignment);
    if (p->block_stride > st->uniform_bytes) st->uniform_bytes = p->block_stride;
    st->uniform_runs++;
  }
  kg_status status = kgi_vk_survey_slices(s->exe, run);
  if (status == KG_OK && !kgi_within_see(&st->within, run)) status = KG_NO_MEMORY;
  return status == KG_OK ? bound_loops(s, run) : status;
}

static kg_status look(kg_executable *exe, kgi_diags *diags) {
  kgi_vk_state *st = kgi_vk_state_of(exe);
  kgi_arena scratch;
  kgi_arena_init(&scratch, &exe->device->context->alloc);
  survey s = {exe, &scratch, diags};
  kg_status status = kgi_executable_each(exe, &scratch, diags, survey_run, &s);
  kgi_arena_free(&scratch);
  st->streaming = exe->dispatches > (uint64_t)KGI_VK_CHUNK * KGI_VK_CHUNKS || st->moving_all > KGI_VK_CHUNK;
  uint64_t blocks = st->streaming && st->uniform_runs > KGI_VK_CHUNK ? KGI_VK_CHUNK : st->uniform_runs;
  st->uniform_bytes *= blocks;
  return status;
}

/* ---- recording ---- */

enum { SEEN_READ = 1, SEEN_WRITE = 2 };

typedef struct recorder {
  kg_executable *exe;
  kgi_vulkan_device *d;
  kgi_vk_state *st;
  kgi_diags *diags;
  VkCommandBuffer at;
  uint32_t chunk, dispatches; /* in the command buffer under way */
  uint64_t uniform_at;
  uint8_t *seen;      /* by the module's object, the first of its block: accesses since the last barrier */
  uint32_t item;      /* whose state is bound */
  uint32_t program;
} recorder;

static void barrier(const recorder *r, VkPipelineStageFlags from, VkAccessFlags made, VkPipelineStageFlags to, VkAccessFlags wanted) {
  VkMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = made, .dstAccessMask = wanted};
  r->d->vk.vkCmdPipelineBarrier(r->at, from, to, 0, 1, &b, 0, NULL, 0, NULL);
}

static kg_status begin_chunk(recorder *r) {
  VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  r->at = r->st->chunk[r->st->streaming ? 0 : r->chunk];
  r->dispatches = 0, r->item = r->program = 0;
  kg_status status = kgi_vk_forget_sets(r->exe, r->diags);
  if (status != KG_OK) return status;
  return kgi_vk_check(r->d->vk.vkBeginCommandBuffer(r->at, &info), "vkBeginCommandBuffer", r->diags);
}

/* Every execution and every copy ends with a barrier toward all that may follow, so none begins with one. */
static kg_status end_chunk(recorder *r, bool last) {
  if (last || r->st->streaming)
    barrier(r, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
            VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
            VK_ACCESS_HOST_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_READ_BIT |
              VK_ACCESS_SHADER_WRITE_BIT);
  kg_status status = kgi_vk_check(r->d->vk.vkEndCommandBuffer(r->at), "vkEndCommandBuffer", r->diags);
  if (status == KG_OK && r->st->streaming) {
    status = kgi_vk_submit(r->d, &r->at, 1, r->diags);
    memset(r->seen, 0, r->exe->module->scope.object_count);
    r->uniform_at = 0;
  }
  r->chunk++;
  return status;
}

/* A write waits for what was read or written since the last barrier, a read for what was written. */
static void order(recorder *r, const kgi_run *run) {
  const kgi_scope *s = &run->program->scope;
  const uint32_t *block = r->exe->join.blocks.of;
  uint32_t end = kgi_buffer_end(s);
  bool wait = false;
  for (uint32_t i = 1; i < end; i++) {
    unsigned seen = r->seen[block[run->buffer[i]]];
    wait |= (seen & SEEN_WRITE) || (seen && s->object[i].mode != KG_READ);
  }
  if (wait) {
    VkPipelineStageFlags compute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    barrier(r, compute, VK_ACCESS_SHADER_WRITE_BIT, compute, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    memset(r->seen, 0, r->exe->module->scope.object_count);
  }
  for (uint32_t i = 1; i < end; i++) r->seen[block[run->buffer[i]]] |= s->object[i].mode == KG_READ ? SEEN_READ : SEEN_WRITE;
}

static void bind_sets(const recorder *r, const kgi_run *run, const kgi_vk_program *p) {
  const VkDescriptorSet *sets = kgi_vk_has_slices(r->st, run) ? p->moving : r->st->set[run->item];
  uint32_t offset = (uint32_t)r->uniform_at;
  r->d->vk.vkCmdBindDescriptorSets(r->at, VK_PIPELINE_BIND_POINT_COMPUTE, p->layout, 0, p->sets, sets, p->block_stride ? 1 : 0, &offset);
}

static void bind(recorder *r, const kgi_run *run) {
  const kgi_vk_device_table *vk = &r->d->vk;
  const kgi_abi_program *a = &r->st->abi.program[run->program_index];
  const kgi_vk_program *p = &r->st->program[run->program_index];
  unsigned char block[KGI_PUSH_BYTES];
  if (r->program != run->program_index) vk->vkCmdBindPipeline(r->at, VK_PIPELINE_BIND_POINT_COMPUTE, p->pipeline);
  if (r->item != run->item || p->block_stride || kgi_vk_has_slices(r->st, run)) bind_sets(r, run, p);
  if (p->block_stride) {
    kgi_abi_fill_block(a, run, (unsigned char *)kgi_vk_buffer(r->st->uniform)->mapped + r->uniform_at);
    r->uniform_at += p->block_stride;
  } else if (a->block_size) {
    memset(block, 0, sizeof block);
    kgi_abi_fill_block(a, run, block);
    vk->vkCmdPushConstants(r->at, p->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, a->block_size, block);
  }
  r->item = run->item, r->program = run->program_index;
}

/* Slices that are put aside are copied while nothing else goes on: a run with such ones stands between barriers. */
static void stop_all(recorder *r) {
  VkPipelineStageFlags both = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  barrier(r, both, VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT, both | VK_PIPELINE_STAGE_HOST_BIT,
          VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |
            VK_ACCESS_HOST_READ_BIT);
  memset(r->seen, 0, r->exe->module->scope.object_count);
}

static void put_aside(recorder *r, const kgi_run *run) {
  stop_all(r);
  kgi_vk_copy_slices(r->exe, run, r->at, false);
  stop_all(r);
}

static void put_back(recorder *r, const kgi_run *run) {
  stop_all(r);
  if (kgi_vk_copy_slices(r->exe, run, r->at, true)) stop_all(r);
}

static kg_status record_run(void *user, const kgi_run *run) {
  recorder *r = user;
  kg_status status = KG_OK;
  if (!run->groups[0] || !run->groups[1] || !run->groups[2]) return KG_OK;
  if (r->dispatches == KGI_VK_CHUNK) {
    status = end_chunk(r, false);
    if (status == KG_OK) status = begin_chunk(r);
    if (status != KG_OK) return status;
  }
  if (kgi_vk_has_slices(r->st, run)) status = kgi_vk_moving_sets(r->exe, run, r->diags);
  if (status != KG_OK) return status;
  order(r, run);
  bool aside = r->st->asides && kgi_vk_copy_slices(r->exe, run, VK_NULL_HANDLE, false);
  if (aside) put_aside(r, run);
  bind(r, run);
  r->d->vk.vkCmdDispatch(r->at, run->groups[0], run->groups[1], run->groups[2]);
  if (aside) put_back(r, run);
  r->dispatches++;
  return KG_OK;
}

static kg_status record(kg_executable *exe, kgi_diags *diags) {
  kgi_arena scratch;
  kgi_arena_init(&scratch, &exe->device->context->alloc);
  recorder r = {.exe = exe, .d = kgi_vk_device(exe->device), .st = kgi_vk_state_of(exe), .diags = diags};
  r.seen = kgi_arena_alloc(&scratch, exe->module->scope.object_count, sizeof *r.seen);
  kg_status status = r.seen ? begin_chunk(&r) : KG_NO_MEMORY;
  if (status == KG_OK) status = kgi_executable_each(exe, &scratch, diags, record_run, &r);
  if (status == KG_OK) status = end_chunk(&r, true);
  r.st->chunk_count = r.chunk;
  kgi_arena_free(&scratch);
  return status;
}

static kg_status make_chunks(kg_executable *exe, kgi_diags *diags) {
  kgi_vulkan_device *d = kgi_vk_device(exe->device);
  kgi_vk_state *st = kgi_vk_state_of(exe);
  uint32_t count = st->streaming ? 1 : (uint32_t)(exe->dispatches / KGI_VK_CHUNK) + 1;
  VkCommandBuffer *chunk = kgi_arena_alloc(&exe->arena, count, sizeof *chunk);
  if (!chunk) return KG_NO_MEMORY;
  VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = d->pool,
                                      .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = count};
  kg_status status = kgi_vk_check(d->vk.vkAllocateCommandBuffers(d->device, &info, chunk), "vkAllocateCommandBuffers", diags);
  if (status == KG_OK) st->chunk = chunk, st->chunk_allocated = count;
  return status;
}

/* ---- the back end's part ---- */

kg_status kgi_vk_prepare(kg_executable *exe, kgi_diags *diags) {
  const kg_module *m = exe->module;
  kgi_vk_state *st = kgi_arena_alloc(&exe->arena, 1, sizeof *st);
  if (!st) return KG_NO_MEMORY;
  exe->state = st;
  st->program = kgi_arena_alloc(&exe->arena, m->program_count, sizeof *st->program);
  st->set = kgi_arena_alloc(&exe->arena, m->item_count, sizeof *st->set);
  st->moving_runs = kgi_arena_alloc(&exe->arena, m->item_count, sizeof *st->moving_runs);
  st->item_used = kgi_arena_alloc(&exe->arena, m->item_count, sizeof *st->item_used);
  st->count_loops = kgi_arena_alloc(&exe->arena, m->program_count, sizeof *st->count_loops);
  kgi_abi_wishes wishes = {.literal_sizes = exe->device->context->params.portable, .packed = true};
  if (!kgi_within_init(&st->within, m, &exe->arena)) return KG_NO_MEMORY;
  if (exe->arena.failed || !kgi_abi_make(&exe->arena, m, &wishes, &st->abi)) return KG_NO_MEMORY;
  kg_status status = kgi_join_make(exe, diags);
  if (status == KG_OK) status = look(exe, diags);
  wishes.count_loops = st->count_loops;
  /* programs that count their loops have a status buffer, so their bindings are only known now */
  if (status == KG_OK && !kgi_abi_make(&exe->arena, m, &wishes, &st->abi)) status = KG_NO_MEMORY;
  if (status == KG_OK) status = kgi_vk_make_programs(exe, diags);
  if (status == KG_OK) status = make_chunks(exe, diags);
  return status == KG_OK && !st->streaming ? record(exe, diags) : status;
}

/* The first failure that a program saw, with its position. */
static kg_status report(const kg_executable *exe, const uint32_t *words, kgi_diags *diags) {
  const kgi_vk_state *st = kgi_vk_state_of(exe);
  const kgi_abi_site *site = &st->abi.site[words[0] < st->abi.site_count ? words[0] : 0];
  const kgi_program *p = exe->module->program[site->program];
  const char *name = p ? kgi_string(exe->module, p->name) : "";
  if (site->kind == KGI_SITE_ASSERT) {
    kgi_str message = {site->inst ? p->inst[site->inst].arg[1] : 0};
    KGI_DIAG(diags, assert_failed, site->pos, kgi_string(exe->module, message));
  } else if (site->kind == KGI_SITE_LIMIT) {
    KGI_DIAG(diags, loop_limit, site->pos, KGI_NUM(words[2]));
  } else {
    KGI_DIAG(diags, loop_budget, site->pos, name, KGI_NUM(words[2]), KGI_NUM(st->loop_budget));
  }
  return KG_FAILED;
}

kg_status kgi_vk_execute(kg_executable *exe, kgi_diags *diags) {
  kgi_vulkan_device *d = kgi_vk_device(exe->device);
  kgi_vk_state *st = kgi_vk_state_of(exe);
  uint32_t *words = st->status ? kgi_vk_buffer(st->status)->mapped : NULL;
  if (words) memset(words, 0, KGI_STATUS_WORDS * sizeof *words);
  kg_status status = kgi_vk_still_there(d, diags);
  if (status == KG_OK) status = kgi_join_in(exe, diags);
  if (status == KG_OK) status = st->streaming ? record(exe, diags) : kgi_vk_submit(d, st->chunk, st->chunk_count, diags);
  if (status == KG_OK) status = kgi_join_out(exe, diags);
  return status == KG_OK && words && words[0] ? report(exe, words, diags) : status;
}

void kgi_vk_discard(kg_executable *exe) {
  kgi_vulkan_device *d = kgi_vk_device(exe->device);
  kgi_vk_state *st = exe->state;
  if (!st) return;
  if (st->chunk) d->vk.vkFreeCommandBuffers(d->device, d->pool, st->chunk_allocated, st->chunk);
  kgi_vk_free_programs(exe);
  kgi_join_free(exe);
}
