/* Descriptor sets: which memory a program's buffers are. A run has one set of its own for as long as the executable lives, unless it
 * binds slices: then each dispatch has one, since slices move from trip to trip. A descriptor begins at a multiple of what the device
 * asks for. A slice that begins elsewhere is put aside: copied to a buffer of its own before the dispatch, and back behind it. */
#include "driver/views.h"
#include "driver/vulkan/program.h"
#include "foundation/ir/slices.h"

/* ---- slices ---- */

/* Of a program's buffer, in bytes of the module's. One without elements is never accessed, and gets the whole buffer. */
typedef struct part { uint64_t offset, bytes; bool aside, written; } part;

static part part_of(const kg_executable *exe, const kgi_run *run, uint32_t object) {
  const kgi_object *o = &run->program->scope.object[object];
  uint64_t size = kg_type_size((kg_type)o->type), alignment = kgi_vk_device(exe->device)->found.storage_alignment;
  part p = {.offset = run->from[object] * size, .bytes = (run->to[object] - run->from[object]) * size, .written = o->mode != KG_READ};
  if (!p.bytes) p.offset = 0;
  p.aside = alignment && p.offset % alignment;
  return p;
}

kg_status kgi_vk_survey_slices(kg_executable *exe, const kgi_run *run) {
  kgi_vk_state *st = kgi_vk_state_of(exe);
  uint32_t asides = 0;
  if (!kgi_run_has_slices(exe->module, run->item)) return KG_OK;
  st->moving_runs[run->item]++, st->moving_all++;
  for (uint32_t i = 1, end = kgi_buffer_end(&run->program->scope); i < end; i++) {
    part p = part_of(exe, run, i);
    asides += p.aside;
    if (p.aside && p.bytes > st->aside_bytes) st->aside_bytes = p.bytes;
  }
  if (asides > st->asides) st->asides = asides;
  return KG_OK;
}

uint32_t kgi_vk_copy_slices(kg_executable *exe, const kgi_run *run, VkCommandBuffer at, bool back) {
  const kgi_vk_state *st = kgi_vk_state_of(exe);
  uint32_t asides = 0, copies = 0;
  for (uint32_t i = 1, end = kgi_buffer_end(&run->program->scope); i < end; i++) {
    part p = part_of(exe, run, i);
    if (!p.aside) continue;
    VkBuffer whole = kgi_vk_buffer(exe->buffer[run->buffer[i]])->buffer, aside = kgi_vk_buffer(st->aside[asides++])->buffer;
    if (back && !p.written) continue;
    VkBufferCopy copy = {.srcOffset = back ? 0 : p.offset, .dstOffset = back ? p.offset : 0, .size = p.bytes};
    if (at) kgi_vk_device(exe->device)->vk.vkCmdCopyBuffer(at, back ? aside : whole, back ? whole : aside, 1, &copy);
    copies++;
  }
  return copies;
}

static kg_status make_asides(kg_executable *exe, kgi_diags *diags) {
  kgi_vk_state *st = kgi_vk_state_of(exe);
  kg_status status = KG_OK;
  st->aside = kgi_arena_alloc(&exe->arena, st->asides, sizeof(kg_buffer *));
  if (!st->aside) return KG_NO_MEMORY;
  for (uint32_t i = 0; status == KG_OK && i < st->asides; i++)
    status = kgi_vk_buffer_new(kgi_vk_device(exe->device), st->aside_bytes, false, diags, &st->aside[i]);
  return status;
}

/* ---- pools ---- */

typedef struct room { uint64_t sets, buffers, blocks; } room;

/* What one dispatch of an item takes. */
static room room_of(const kg_executable *exe, uint32_t item) {
  const kgi_vk_state *st = kgi_vk_state_of(exe);
  uint32_t program = exe->module->item[item].program, uniform = kgi_vk_has_block(&st->abi.program[program]);
  return (room){st->program[program].sets, st->program[program].slots - uniform, uniform};
}

static void add_room(room *r, room x, uint64_t times) {
  r->sets += times * x.sets, r->buffers += times * x.buffers, r->blocks += times * x.blocks;
}

static void widen_room(room *r, room x) {
  if (x.sets > r->sets) r->sets = x.sets;
  if (x.buffers > r->buffers) r->buffers = x.buffers;
  if (x.blocks > r->blocks) r->blocks = x.blocks;
}

static kg_status make_pool(kg_executable *exe, const room *r, kgi_diags *diags, VkDescriptorPool *out) {
  kgi_vulkan_device *d = kgi_vk_device(exe->device);
  VkDescriptorPoolSize sizes[2];
  uint32_t count = 0;
  if (r->buffers) sizes[count++] = (VkDescriptorPoolSize){VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, (uint32_t)r->buffers};
  if (r->blocks) sizes[count++] = (VkDescriptorPoolSize){VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, (uint32_t)r->blocks};
  VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = (uint32_t)r->sets,
                                     .poolSizeCount = count, .pPoolSizes = sizes};
  if (!r->sets) return KG_OK;
  return kgi_vk_check(d->vk.vkCreateDescriptorPool(d->device, &info, NULL, out), "vkCreateDescriptorPool", diags);
}

/* More dispatches than a chunk has are not kept: they are streamed, and a chunk may be of any of them. */
static kg_status make_pools(kg_executable *exe, kgi_diags *diags) {
  kgi_vk_state *st = kgi_vk_state_of(exe);
  room fixed = {0}, moving = {0}, widest = {0};
  for (uint32_t i = 1; i < exe->module->item_count; i++) {
    if (!st->item_used[i]) continue;
    room one = room_of(exe, i);
    if (!st->moving_runs[i]) add_room(&fixed, one, 1);
    else if (st->moving_all <= KGI_VK_CHUNK) add_room(&moving, one, st->moving_runs[i]);
    else widen_room(&widest, one);
  }
  add_room(&moving, widest, KGI_VK_CHUNK);
  kg_status status = make_pool(exe, &fixed, diags, &st->pool);
  return status == KG_OK ? make_pool(exe, &moving, diags, &st->moving) : status;
}

/* ---- sets ---- */

static kg_buffer *bound_buffer(const kg_executable *exe, const kgi_item *item, const kgi_abi_slot *slot) {
  const kgi_vk_state *st = kgi_vk_state_of(exe);
  switch ((kgi_slot_kind)slot->kind) {
  case KGI_SLOT_PARAMS: return st->uniform;
  case KGI_SLOT_STATUS: return st->status;
  case KGI_SLOT_BUFFER: break;
  }
  return kgi_join_buffer(exe, exe->module->bind[item->binding + slot->object - 1]);
}

static VkBuffer memory_of(const kg_executable *exe, const kgi_item *item, const kgi_abi_slot *slot) {
  return kgi_vk_buffer(bound_buffer(exe, item, slot))->buffer;
}

/* `run`: the dispatch, where the item binds slices, else NULL. */
static void write_sets(const kg_executable *exe, const kgi_item *item, const kgi_run *run, const VkDescriptorSet *sets) {
  const kgi_vulkan_device *d = kgi_vk_device(exe->device);
  const kgi_vk_state *st = kgi_vk_state_of(exe);
  const kgi_vk_program *p = &st->program[item->program];
  uint32_t asides = 0;
  for (uint32_t i = 0; i < p->slots; i++) {
    const kgi_abi_slot *slot = &p->slot[i];
    part x = run && slot->kind == KGI_SLOT_BUFFER ? part_of(exe, run, slot->object) : (part){0};
    p->info[i] = (VkDescriptorBufferInfo){.buffer = x.aside ? kgi_vk_buffer(st->aside[asides++])->buffer : memory_of(exe, item, slot),
                                          .offset = x.aside ? 0 : x.offset, .range = VK_WHOLE_SIZE};
    if (slot->kind == KGI_SLOT_PARAMS) p->info[i].range = st->abi.program[item->program].block_size;
    p->write[i] = (VkWriteDescriptorSet){
      .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = sets[slot->place.set], .dstBinding = slot->place.binding,
      .descriptorCount = 1, .descriptorType = kgi_vk_slot_type(slot), .pBufferInfo = &p->info[i]};
  }
  d->vk.vkUpdateDescriptorSets(d->device, p->slots, p->write, 0, NULL);
}

static kg_status allocate(const kg_executable *exe, const kgi_vk_program *p, VkDescriptorPool pool, VkDescriptorSet *sets,
                          kgi_diags *diags) {
  const kgi_vulkan_device *d = kgi_vk_device(exe->device);
  VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = pool,
                                      .descriptorSetCount = p->sets, .pSetLayouts = p->set};
  return kgi_vk_check(d->vk.vkAllocateDescriptorSets(d->device, &info, sets), "vkAllocateDescriptorSets", diags);
}

static kg_status make_set(kg_executable *exe, uint32_t index, kgi_diags *diags) {
  kgi_vk_state *st = kgi_vk_state_of(exe);
  const kgi_item *item = &exe->module->item[index];
  const kgi_vk_program *p = &st->program[item->program];
  st->set[index] = kgi_arena_alloc(&exe->arena, p->sets, sizeof *st->set[index]);
  if (!st->set[index]) return KG_NO_MEMORY;
  kg_status status = allocate(exe, p, st->pool, st->set[index], diags);
  if (status == KG_OK) write_sets(exe, item, NULL, st->set[index]);
  return status;
}

static kg_status make_rooms(kg_executable *exe) {
  kgi_vk_state *st = kgi_vk_state_of(exe);
  for (uint32_t i = 1; i < exe->module->program_count; i++) {
    kgi_vk_program *p = &st->program[i];
    p->info = kgi_arena_alloc(&exe->arena, p->slots, sizeof *p->info);
    p->write = kgi_arena_alloc(&exe->arena, p->slots, sizeof *p->write);
    p->moving = kgi_arena_alloc(&exe->arena, p->sets, sizeof *p->moving);
  }
  return exe->arena.failed ? KG_NO_MEMORY : KG_OK;
}

kg_status kgi_vk_make_sets(kg_executable *exe, kgi_diags *diags) {
  const kgi_vk_state *st = kgi_vk_state_of(exe);
  kg_status status = make_rooms(exe);
  if (status == KG_OK) status = make_pools(exe, diags);
  if (status == KG_OK) status = make_asides(exe, diags);
  for (uint32_t i = 1; status == KG_OK && i < exe->module->item_count; i++)
    if (st->item_used[i] && !st->moving_runs[i]) status = make_set(exe, i, diags);
  return status;
}

kg_status kgi_vk_moving_sets(kg_executable *exe, const kgi_run *run, kgi_diags *diags) {
  const kgi_vk_state *st = kgi_vk_state_of(exe);
  const kgi_vk_program *p = &st->program[run->program_index];
  kg_status status = allocate(exe, p, st->moving, p->moving, diags);
  if (status == KG_OK) write_sets(exe, &exe->module->item[run->item], run, p->moving);
  return status;
}

kg_status kgi_vk_forget_sets(kg_executable *exe, kgi_diags *diags) {
  const kgi_vulkan_device *d = kgi_vk_device(exe->device);
  const kgi_vk_state *st = kgi_vk_state_of(exe);
  if (!st->moving || !st->streaming) return KG_OK;
  return kgi_vk_check(d->vk.vkResetDescriptorPool(d->device, st->moving, 0), "vkResetDescriptorPool", diags);
}

void kgi_vk_free_sets(kg_executable *exe) {
  const kgi_vulkan_device *d = kgi_vk_device(exe->device);
  const kgi_vk_state *st = kgi_vk_state_of(exe);
  d->vk.vkDestroyDescriptorPool(d->device, st->pool, NULL);
  d->vk.vkDestroyDescriptorPool(d->device, st->moving, NULL);
  for (uint32_t i = 0; st->aside && i < st->asides; i++)
    if (st->aside[i]) kgi_vk_buffer_free(st->aside[i]);
}
