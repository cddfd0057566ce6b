/* One device: its queue, its buffers, and what the host may do to them. */
#include "driver/vulkan/vulkan.h"

#include <kgrad/spirv.h>

#include <string.h>

enum { STAGING_BYTES = 8 << 20 };

kg_status kgi_vk_check(VkResult result, const char *call, kgi_diags *diags) {
  if (result >= VK_SUCCESS) return KG_OK;
  if (result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY) {
    KGI_DIAG(diags, device_memory, 0, call);
    return KG_REFUSED;
  }
  if (result == VK_ERROR_DEVICE_LOST) {
    KGI_DIAG(diags, device_lost, 0, call);
    return KG_FAILED;
  }
  KGI_DIAG(diags, vulkan_call, 0, call, KGI_NUM(result));
  return KG_UNAVAILABLE;
}

/* ---- memory ---- */

/* The first type with all of `must`, one with all of `want` preferred; UINT32_MAX: none. Vulkan lists what is only local to the device
 * before what the host sees of it too, through a window that may be slower for both. */
static uint32_t memory_type(const kgi_vulkan_device *d, uint32_t allowed, VkMemoryPropertyFlags must, VkMemoryPropertyFlags want) {
  uint32_t found = UINT32_MAX;
  for (uint32_t i = 0; i < d->memory.memoryTypeCount; i++) {
    VkMemoryPropertyFlags flags = d->memory.memoryTypes[i].propertyFlags;
    if (!(allowed >> i & 1) || (flags & must) != must) continue;
    if ((flags & want) == want) return i;
    if (found == UINT32_MAX) found = i;
  }
  return found;
}

static kg_status give_memory(kgi_vulkan_device *d, kgi_vulkan_buffer *b, bool host, kgi_diags *diags) {
  const VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  const VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  VkMemoryRequirements need;
  d->vk.vkGetBufferMemoryRequirements(d->device, b->buffer, &need);
  uint32_t type = memory_type(d, need.memoryTypeBits, host ? visible : local,
                              host ? VK_MEMORY_PROPERTY_HOST_CACHED_BIT | visible : local);
  VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = need.size, .memoryTypeIndex = type};
  if (type == UINT32_MAX) return kgi_vk_check(VK_ERROR_OUT_OF_DEVICE_MEMORY, "a memory type", diags);
  kg_status status = kgi_vk_check(d->vk.vkAllocateMemory(d->device, &info, NULL, &b->memory), "vkAllocateMemory", diags);
  if (status == KG_OK)
    status = kgi_vk_check(d->vk.vkBindBufferMemory(d->device, b->buffer, b->memory, 0), "vkBindBufferMemory", diags);
  if (status == KG_OK && host)
    status = kgi_vk_check(d->vk.vkMapMemory(d->device, b->memory, 0, VK_WHOLE_SIZE, 0, &b->mapped), "vkMapMemory", diags);
  return status;
}

void kgi_vk_buffer_free(kg_buffer *buffer) {
  kgi_vulkan_buffer *b = kgi_vk_buffer(buffer);
  kgi_vulkan_device *d = kgi_vk_device(buffer->device);
  d->vk.vkDestroyBuffer(d->device, b->buffer, NULL);
  d->vk.vkFreeMemory(d->device, b->memory, NULL);
  kgi_free(&d->base.context->alloc, b, sizeof *b);
}

/* A dispatch never finds an empty binding: an element that is out of bounds is still read, and then dropped. */
static uint64_t padded(uint64_t bytes) { return bytes < 16 ? 16 : (bytes + 3) / 4 * 4; }

static kg_status clear(kgi_vulkan_device *d, kgi_vulkan_buffer *b, kgi_diags *diags);

kg_status kgi_vk_buffer_new(kgi_vulkan_device *d, uint64_t bytes, bool host, kgi_diags *diags, kg_buffer **out) {
  kgi_vulkan_buffer *b = kgi_alloc(&d->base.context->alloc, sizeof *b);
  if (!b) return KG_NO_MEMORY;
  *b = (kgi_vulkan_buffer){.base = {.device = &d->base, .bytes = bytes}};
  VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .size = padded(bytes),
    .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
             VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  };
  kg_status status = kgi_vk_check(d->vk.vkCreateBuffer(d->device, &info, NULL, &b->buffer), "vkCreateBuffer", diags);
  if (status == KG_OK) status = give_memory(d, b, host, diags);
  if (status == KG_OK) status = clear(d, b, diags);
  if (status != KG_OK) return kgi_vk_buffer_free(&b->base), status;
  *out = &b->base;
  return KG_OK;
}

/* ---- copies ---- */

kg_status kgi_vk_still_there(const kgi_vulkan_device *d, kgi_diags *diags) {
  return d->lost ? kgi_vk_check(VK_ERROR_DEVICE_LOST, "an earlier call", diags) : KG_OK;
}

kg_status kgi_vk_submit(kgi_vulkan_device *d, const VkCommandBuffer *buffers, uint32_t count, kgi_diags *diags) {
  VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = count, .pCommandBuffers = buffers};
  kg_status status = kgi_vk_still_there(d, diags);
  if (status == KG_OK) status = kgi_vk_check(d->vk.vkQueueSubmit(d->queue, 1, &info, d->fence), "vkQueueSubmit", diags);
  if (status == KG_OK)
    status = kgi_vk_check(d->vk.vkWaitForFences(d->device, 1, &d->fence, VK_TRUE, UINT64_MAX), "vkWaitForFences", diags);
  if (status == KG_OK) status = kgi_vk_check(d->vk.vkResetFences(d->device, 1, &d->fence), "vkResetFences", diags);
  if (status == KG_FAILED) d->lost = true;
  return status;
}

static kg_status begin_transfer(kgi_vulkan_device *d, kgi_diags *diags) {
  VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                    .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
  kg_status status = kgi_vk_still_there(d, diags);
  return status == KG_OK ? kgi_vk_check(d->vk.vkBeginCommandBuffer(d->transfer, &begin), "vkBeginCommandBuffer", diags) : status;
}

/* Everything before is done and seen by everything behind: earlier dispatches, this copy, the host. */
static kg_status end_transfer(kgi_vulkan_device *d, kgi_diags *diags) {
  VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                         .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_READ_BIT};
  d->vk.vkCmdPipelineBarrier(d->transfer, VK_PIPELINE_STAGE_TRANSFER_BIT,
                             VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &all, 0, NULL, 0, NULL);
  kg_status status = kgi_vk_check(d->vk.vkEndCommandBuffer(d->transfer), "vkEndCommandBuffer", diags);
  return status == KG_OK ? kgi_vk_submit(d, &d->transfer, 1, diags) : status;
}

static kg_status clear(kgi_vulkan_device *d, kgi_vulkan_buffer *b, kgi_diags *diags) {
  if (b->mapped) return memset(b->mapped, 0, (size_t)padded(b->base.bytes)), KG_OK;
  kg_status status = begin_transfer(d, diags);
  if (status != KG_OK) return status;
  d->vk.vkCmdFillBuffer(d->transfer, b->buffer, 0, VK_WHOLE_SIZE, 0);
  return end_transfer(d, diags);
}

static kg_status staged(kgi_vulkan_buffer *b, uint64_t offset, void *to, const void *from, uint64_t size, kgi_diags *diags) {
  kgi_vulkan_device *d = kgi_vk_device(b->base.device);
  kg_status status = KG_OK;
  if (!d->staging) status = kgi_vk_buffer_new(d, STAGING_BYTES, true, diags, &d->staging);
  for (uint64_t at = 0; status == KG_OK && at < size; at += STAGING_BYTES) {
    kgi_vulkan_buffer *s = kgi_vk_buffer(d->staging);
    uint64_t part = size - at < STAGING_BYTES ? size - at : STAGING_BYTES;
    if (from) memcpy(s->mapped, (const char *)from + at, (size_t)part);
    VkBufferCopy copy = {.srcOffset = from ? 0 : offset + at, .dstOffset = from ? offset + at : 0, .size = part};
    status = begin_transfer(d, diags);
    if (status != KG_OK) break;
    d->vk.vkCmdCopyBuffer(d->transfer, from ? s->buffer : b->buffer, from ? b->buffer : s->buffer, 1, &copy);
    status = end_transfer(d, diags);
    if (status == KG_OK && to) memcpy((char *)to + at, s->mapped, (size_t)part);
  }
  return status;
}

static kg_status buffer_write(kg_buffer *buffer, uint64_t offset, const void *bytes, uint64_t size, kgi_diags *diags) {
  kgi_vulkan_buffer *b = kgi_vk_buffer(buffer);
  if (!b->mapped) return staged(b, offset, NULL, bytes, size, diags);
  memcpy((char *)b->mapped + offset, bytes, (size_t)size);
  return KG_OK;
}

static kg_status buffer_read(kg_buffer *buffer, uint64_t offset, void *bytes, uint64_t size, kgi_diags *diags) {
  kgi_vulkan_buffer *b = kgi_vk_buffer(buffer);
  if (!b->mapped) return staged(b, offset, bytes, NULL, size, diags);
  memcpy(bytes, (const char *)b->mapped + offset, (size_t)size);
  return KG_OK;
}

static kg_status buffer_new(kg_device *device, uint64_t bytes, kgi_diags *diags, kg_buffer **out) {
  kgi_vulkan_device *d = kgi_vk_device(device);
  return kgi_vk_buffer_new(d, bytes, d->found.host_memory && !device->context->params.staged, diags, out);
}

/* ---- opening ---- */

/* What is used where it is there; nothing else is switched on. */
static void choose_features(kgi_vk_chain *c, const kgi_vulkan_found *found, uint32_t features) {
  kgi_vk_link(c, found->version, found->atomic_float);
  c->base.features.shaderInt64 = (features & KG_FEATURE_INT64) != 0;
  c->base.features.shaderFloat64 = (features & KG_FEATURE_FLOAT64) != 0;
  c->float16.shaderFloat16 = (features & KG_FEATURE_FLOAT16) != 0;
  c->storage8.storageBuffer8BitAccess = (features & KG_FEATURE_STORAGE8) != 0;
  c->storage16.storageBuffer16BitAccess = (features & KG_FEATURE_STORAGE16) != 0;
  c->atomic_float.shaderBufferFloat32AtomicAdd = c->atomic_float.shaderBufferFloat32Atomics =
    (features & KG_FEATURE_ATOMIC_ADD_F32_BUFFER) != 0;
  c->atomic_float.shaderSharedFloat32AtomicAdd = c->atomic_float.shaderSharedFloat32Atomics =
    (features & KG_FEATURE_ATOMIC_ADD_F32_SHARED) != 0;
  c->atomic64.shaderBufferInt64Atomics = c->atomic64.shaderSharedInt64Atomics = (features & KG_FEATURE_ATOMIC_I64) != 0;
}

static VkResult create_device(const kgi_vulkan *v, kgi_vulkan_device *d, uint32_t features) {
  const float priority = 1;
  kgi_vk_chain chosen;
  const char *extensions[3];
  uint32_t count = 0;
  choose_features(&chosen, &d->found, features);
  if (d->found.atomic_float) extensions[count++] = VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME;
  VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = d->found.queue_family,
                                   .queueCount = 1, .pQueuePriorities = &priority};
  VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &chosen.base, .queueCreateInfoCount = 1,
                             .pQueueCreateInfos = &queue, .enabledExtensionCount = count, .ppEnabledExtensionNames = extensions};
  return v->vk.vkCreateDevice(d->found.device, &info, NULL, &d->device);
}

static bool load_device(const kgi_vulkan *v, kgi_vulkan_device *d) {
  bool all = true;
#define LOAD(name) all &= (d->vk.name = (PFN_##name)v->vk.vkGetDeviceProcAddr(d->device, #name)) != NULL;
  KGI_VK_DEVICE(LOAD)
#undef LOAD
  return all;
}

static kg_status make_pool(kgi_vulkan_device *d, kgi_diags *diags) {
  VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = d->found.queue_family,
                                  .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
  kg_status status = kgi_vk_check(d->vk.vkCreateCommandPool(d->device, &pool, NULL, &d->pool), "vkCreateCommandPool", diags);
  VkCommandBufferAllocateInfo buffer = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = d->pool,
                                        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1};
  if (status == KG_OK)
    status = kgi_vk_check(d->vk.vkAllocateCommandBuffers(d->device, &buffer, &d->transfer), "vkAllocateCommandBuffers", diags);
  VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  if (status == KG_OK) status = kgi_vk_check(d->vk.vkCreateFence(d->device, &fence, NULL, &d->fence), "vkCreateFence", diags);
  VkPipelineCacheCreateInfo cache = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  if (status == KG_OK)
    status = kgi_vk_check(d->vk.vkCreatePipelineCache(d->device, &cache, NULL, &d->cache), "vkCreatePipelineCache", diags);
  return status;
}

static void close_device(kg_device *device) {
  kgi_vulkan_device *d = kgi_vk_device(device);
  if (d->device && d->vk.vkDestroyDevice) {
    if (d->staging) kgi_vk_buffer_free(d->staging);
    d->vk.vkDestroyPipelineCache(d->device, d->cache, NULL);
    d->vk.vkDestroyFence(d->device, d->fence, NULL);
    d->vk.vkDestroyCommandPool(d->device, d->pool, NULL);
    d->vk.vkDestroyDevice(d->device, NULL);
  }
  kgi_free(&device->context->alloc, d, sizeof *d);
}

static kg_status open_device(kg_context *c, void *state, uint32_t index, const kg_device_info *info, kgi_diags *diags, kg_device **out) {
  const kgi_vulkan *v = state;
  kgi_vulkan_device *d = kgi_alloc(&c->alloc, sizeof *d);
  if (!d) return KG_NO_MEMORY;
  *d = (kgi_vulkan_device){.base = {.backend = &kgi_backend_vulkan, .context = c}, .found = v->found[index]};
  kg_status status = kgi_vk_check(create_device(v, d, info->features), "vkCreateDevice", diags);
  if (status == KG_OK && !load_device(v, d)) status = kgi_vk_check(VK_ERROR_INITIALIZATION_FAILED, "vkGetDeviceProcAddr", diags);
  if (status != KG_OK) return close_device(&d->base), status;
  d->vk.vkGetDeviceQueue(d->device, d->found.queue_family, 0, &d->queue);
  PFN_vkGetPhysicalDeviceMemoryProperties properties = v->vk.vkGetPhysicalDeviceMemoryProperties;
  properties(d->found.device, &d->memory);
  status = make_pool(d, diags);
  if (status != KG_OK) return close_device(&d->base), status;
  *out = &d->base;
  return KG_OK;
}

const kgi_backend kgi_backend_vulkan = {
  .name = "vulkan", .slow = true, .compiles = true, .start = kgi_vk_start, .stop = kgi_vk_stop, .open = open_device, .close = close_device,
  .buffer_new = buffer_new, .buffer_free = kgi_vk_buffer_free, .buffer_write = buffer_write, .buffer_read = buffer_read, .prepare = kgi_vk_prepare,
  .execute = kgi_vk_execute, .discard = kgi_vk_discard,
};
