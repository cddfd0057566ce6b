#include "bench/bare.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

enum { MOST_BUFFERS = 8, MOST_DEVICES = 16 };

/* The functions that are called, by when they can be looked up. */
#define INSTANCE_FUNCTIONS(X)                                                                                                    \
  X(DestroyInstance) X(EnumeratePhysicalDevices) X(GetPhysicalDeviceProperties) X(GetPhysicalDeviceMemoryProperties)             \
  X(GetPhysicalDeviceQueueFamilyProperties) X(CreateDevice) X(GetDeviceProcAddr)
#define DEVICE_FUNCTIONS(X)                                                                                                      \
  X(DestroyDevice) X(GetDeviceQueue) X(CreateBuffer) X(DestroyBuffer) X(GetBufferMemoryRequirements) X(AllocateMemory)           \
  X(FreeMemory) X(BindBufferMemory) X(MapMemory) X(CreateDescriptorSetLayout) X(DestroyDescriptorSetLayout)                      \
  X(CreatePipelineLayout) X(DestroyPipelineLayout) X(CreateShaderModule) X(DestroyShaderModule) X(CreateComputePipelines)        \
  X(DestroyPipeline) X(CreateDescriptorPool) X(DestroyDescriptorPool) X(AllocateDescriptorSets) X(UpdateDescriptorSets)          \
  X(CreateCommandPool) X(DestroyCommandPool) X(AllocateCommandBuffers) X(BeginCommandBuffer) X(EndCommandBuffer)                 \
  X(CmdBindPipeline) X(CmdBindDescriptorSets) X(CmdPushConstants) X(CmdDispatch) X(CmdPipelineBarrier) X(CreateFence)            \
  X(DestroyFence) X(ResetFences) X(WaitForFences) X(QueueSubmit)

struct bench_bare {
  void *library;
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
#define DECLARE(name) PFN_vk##name name;
  INSTANCE_FUNCTIONS(DECLARE)
  DEVICE_FUNCTIONS(DECLARE)
#undef DECLARE
  VkInstance instance;
  VkPhysicalDevice physical;
  VkDevice device;
  uint32_t family;
  VkQueue queue;
  VkBuffer buffer[MOST_BUFFERS];
  VkDeviceMemory memory[MOST_BUFFERS];
  void *mapped[MOST_BUFFERS];
  uint32_t buffer_count;
  VkDescriptorSetLayout set_layout;
  VkPipelineLayout layout;
  VkPipeline pipeline;
  VkDescriptorPool descriptors;
  VkDescriptorSet set;
  VkCommandPool commands;
  VkCommandBuffer command;
  VkFence fence;
};

#define TRY(call)                                                                                                                \
  do {                                                                                                                           \
    if ((call) != VK_SUCCESS) return false;                                                                                      \
  } while (0)

static bool open_instance(bench_bare *b) {
  b->library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!b->library) return false;
  *(void **)&b->GetInstanceProcAddr = dlsym(b->library, "vkGetInstanceProcAddr");
  if (!b->GetInstanceProcAddr) return false;
  PFN_vkCreateInstance create = (PFN_vkCreateInstance)b->GetInstanceProcAddr(NULL, "vkCreateInstance");
  VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
  VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
  if (!create) return false;
  TRY(create(&info, NULL, &b->instance));
#define LOOK(name)                                                                                                               \
  if (!(b->name = (PFN_vk##name)b->GetInstanceProcAddr(b->instance, "vk" #name))) return false;
  INSTANCE_FUNCTIONS(LOOK)
#undef LOOK
  return true;
}

static bool choose(bench_bare *b, const char *name) {
  VkPhysicalDevice found[MOST_DEVICES];
  uint32_t count = MOST_DEVICES;
  if (b->EnumeratePhysicalDevices(b->instance, &count, found) < 0) return false;
  for (uint32_t i = 0; i < count; i++) {
    VkPhysicalDeviceProperties p;
    b->GetPhysicalDeviceProperties(found[i], &p);
    if (!strcmp(p.deviceName, name)) return b->physical = found[i], true;
  }
  return false;
}

static bool open_device(bench_bare *b) {
  VkQueueFamilyProperties family[8];
  uint32_t count = 8;
  b->GetPhysicalDeviceQueueFamilyProperties(b->physical, &count, family);
  while (b->family < count && !(family[b->family].queueFlags & VK_QUEUE_COMPUTE_BIT)) b->family++;
  if (b->family == count) return false;
  float priority = 1;
  VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = b->family,
                                   .queueCount = 1, .pQueuePriorities = &priority};
  VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
  TRY(b->CreateDevice(b->physical, &info, NULL, &b->device));
#define LOOK(name)                                                                                                               \
  if (!(b->name = (PFN_vk##name)b->GetDeviceProcAddr(b->device, "vk" #name))) return false;
  DEVICE_FUNCTIONS(LOOK)
#undef LOOK
  b->GetDeviceQueue(b->device, b->family, 0, &b->queue);
  return true;
}

/* Host-visible and coherent: the measure is the dispatch, not the copy. */
static bool make_buffer(bench_bare *b, uint32_t i, size_t size) {
  VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
  TRY(b->CreateBuffer(b->device, &info, NULL, &b->buffer[i]));
  VkMemoryRequirements needs;
  VkPhysicalDeviceMemoryProperties has;
  b->GetBufferMemoryRequirements(b->device, b->buffer[i], &needs);
  b->GetPhysicalDeviceMemoryProperties(b->physical, &has);
  const VkMemoryPropertyFlags want = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  uint32_t type = 0;
  while (type < has.memoryTypeCount && !(needs.memoryTypeBits >> type & 1 && (has.memoryTypes[type].propertyFlags & want) == want))
    type++;
  VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size, .memoryTypeIndex = type};
  TRY(b->AllocateMemory(b->device, &allocate, NULL, &b->memory[i]));
  TRY(b->BindBufferMemory(b->device, b->buffer[i], b->memory[i], 0));
  TRY(b->MapMemory(b->device, b->memory[i], 0, VK_WHOLE_SIZE, 0, &b->mapped[i]));
  memset(b->mapped[i], 0, size);
  return true;
}

static bool make_pipeline(bench_bare *b, const bench_bare_kernel *k) {
  VkDescriptorSetLayoutBinding binding[MOST_BUFFERS];
  for (uint32_t i = 0; i < k->buffer_count; i++)
    binding[i] = (VkDescriptorSetLayoutBinding){.binding = i, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                .descriptorCount = 1, .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
  VkDescriptorSetLayoutCreateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                         .bindingCount = k->buffer_count, .pBindings = binding};
  TRY(b->CreateDescriptorSetLayout(b->device, &set, NULL, &b->set_layout));
  VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, k->params_size};
  VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1,
                                       .pSetLayouts = &b->set_layout, .pushConstantRangeCount = k->params_size != 0,
                                       .pPushConstantRanges = &range};
  TRY(b->CreatePipelineLayout(b->device, &layout, NULL, &b->layout));
  VkShaderModule shader;
  VkShaderModuleCreateInfo code = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = k->word_count * 4,
                                   .pCode = k->words};
  TRY(b->CreateShaderModule(b->device, &code, NULL, &shader));
  VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = b->layout,
      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = shader, .pName = k->entry}};
  VkResult made = b->CreateComputePipelines(b->device, VK_NULL_HANDLE, 1, &info, NULL, &b->pipeline);
  b->DestroyShaderModule(b->device, shader, NULL);
  return made == VK_SUCCESS;
}

static bool bind_buffers(bench_bare *b) {
  VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, b->buffer_count};
  VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1,
                                     .pPoolSizes = &size};
  TRY(b->CreateDescriptorPool(b->device, &pool, NULL, &b->descriptors));
  VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = b->descriptors,
                                          .descriptorSetCount = 1, .pSetLayouts = &b->set_layout};
  TRY(b->AllocateDescriptorSets(b->device, &allocate, &b->set));
  for (uint32_t i = 0; i < b->buffer_count; i++) {
    VkDescriptorBufferInfo whole = {b->buffer[i], 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = b->set, .dstBinding = i,
                                  .descriptorCount = 1, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = &whole};
    b->UpdateDescriptorSets(b->device, 1, &write, 0, NULL);
  }
  return true;
}

/* With the barriers that make what the host wrote visible to the kernel, and what the kernel wrote to the host. */
static bool record(bench_bare *b, const bench_bare_kernel *k) {
  VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = b->family};
  TRY(b->CreateCommandPool(b->device, &pool, NULL, &b->commands));
  VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = b->commands,
                                          .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1};
  TRY(b->AllocateCommandBuffers(b->device, &allocate, &b->command));
  VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  TRY(b->BeginCommandBuffer(b->command, &begin));
  b->CmdBindPipeline(b->command, VK_PIPELINE_BIND_POINT_COMPUTE, b->pipeline);
  b->CmdBindDescriptorSets(b->command, VK_PIPELINE_BIND_POINT_COMPUTE, b->layout, 0, 1, &b->set, 0, NULL);
  if (k->params_size)
    b->CmdPushConstants(b->command, b->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, k->params_size, k->params);
  b->CmdDispatch(b->command, k->groups[0], k->groups[1], k->groups[2]);
  VkMemoryBarrier out = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                         .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
  b->CmdPipelineBarrier(b->command, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &out, 0, NULL, 0, NULL);
  TRY(b->EndCommandBuffer(b->command));
  VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  TRY(b->CreateFence(b->device, &fence, NULL, &b->fence));
  return true;
}

static bool open_all(bench_bare *b, const char *device, const bench_bare_kernel *k) {
  if (k->buffer_count > MOST_BUFFERS || !open_instance(b) || !choose(b, device) || !open_device(b)) return false;
  for (; b->buffer_count < k->buffer_count; b->buffer_count++)
    if (!make_buffer(b, b->buffer_count, k->buffers[b->buffer_count])) return false;
  return make_pipeline(b, k) && bind_buffers(b) && record(b, k);
}

bench_bare *bench_bare_open(const char *device, const bench_bare_kernel *kernel) {
  bench_bare *b = calloc(1, sizeof *b);
  if (b && open_all(b, device, kernel)) return b;
  fprintf(stderr, "bare Vulkan: the device %s could not be set up\n", device);
  bench_bare_close(b);
  return NULL;
}

int bench_bare_run(bench_bare *b) {
  VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &b->command};
  if (b->QueueSubmit(b->queue, 1, &submit, b->fence) != VK_SUCCESS) return -1;
  if (b->WaitForFences(b->device, 1, &b->fence, VK_TRUE, UINT64_MAX) != VK_SUCCESS) return -1;
  return b->ResetFences(b->device, 1, &b->fence) == VK_SUCCESS ? 0 : -1;
}

void *bench_bare_memory(bench_bare *b, uint32_t binding) { return b->mapped[binding]; }

static void close_device(bench_bare *b) {
  if (b->fence) b->DestroyFence(b->device, b->fence, NULL);
  if (b->commands) b->DestroyCommandPool(b->device, b->commands, NULL);
  if (b->descriptors) b->DestroyDescriptorPool(b->device, b->descriptors, NULL);
  if (b->pipeline) b->DestroyPipeline(b->device, b->pipeline, NULL);
  if (b->layout) b->DestroyPipelineLayout(b->device, b->layout, NULL);
  if (b->set_layout) b->DestroyDescriptorSetLayout(b->device, b->set_layout, NULL);
  for (uint32_t i = 0; i < MOST_BUFFERS; i++) {
    if (b->buffer[i]) b->DestroyBuffer(b->device, b->buffer[i], NULL);
    if (b->memory[i]) b->FreeMemory(b->device, b->memory[i], NULL);
  }
  b->DestroyDevice(b->device, NULL);
}

void bench_bare_close(bench_bare *b) {
  if (!b) return;
  if (b->device && b->DestroyDevice) close_device(b);
  if (b->instance && b->DestroyInstance) b->DestroyInstance(b->instance, NULL);
  if (b->library) dlclose(b->library);
  free(b);
}
