/* Runs a compute shader as it is, through Vulkan alone: what an import of it is held against. Nothing of kgrad is in here.
 *
 *     foreign SHADER.spv [--entry NAME] [--grid X,Y,Z] [--push FILE] [--const ID=BITS]... BUFFER=FILE...
 *
 * BUFFER is SET.BINDING for a storage buffer, uSET.BINDING for a uniform buffer, with .ELEMENT behind it in an array, and @OFFSET
 * for a buffer whose address the push constants hold at that byte. FILE has the bytes on entry; those on exit replace them. The
 * device is lavapipe, the validation layers are on, and any message of theirs is a failure. */
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BUFFERS = 32, MOST_SETS = 8, MOST_CONSTANTS = 32, MOST_PUSH = 256 };

/* ---- the functions of Vulkan ---- */

#define GLOBAL(F) F(vkCreateInstance)
#define INSTANCE(F) \
  F(vkDestroyInstance) F(vkEnumeratePhysicalDevices) F(vkGetPhysicalDeviceProperties) F(vkGetPhysicalDeviceFeatures2) \
  F(vkGetPhysicalDeviceMemoryProperties) F(vkCreateDevice) F(vkGetDeviceProcAddr) F(vkCreateDebugUtilsMessengerEXT) \
  F(vkDestroyDebugUtilsMessengerEXT)
#define DEVICE(F) \
  F(vkDestroyDevice) F(vkGetDeviceQueue) F(vkCreateBuffer) F(vkDestroyBuffer) F(vkGetBufferMemoryRequirements) F(vkAllocateMemory) \
  F(vkFreeMemory) F(vkBindBufferMemory) F(vkMapMemory) F(vkGetBufferDeviceAddress) F(vkCreateShaderModule) \
  F(vkDestroyShaderModule) F(vkCreateDescriptorSetLayout) F(vkDestroyDescriptorSetLayout) F(vkCreatePipelineLayout) \
  F(vkDestroyPipelineLayout) F(vkCreateComputePipelines) F(vkDestroyPipeline) F(vkCreateDescriptorPool) \
  F(vkDestroyDescriptorPool) F(vkAllocateDescriptorSets) F(vkUpdateDescriptorSets) F(vkCreateCommandPool) \
  F(vkDestroyCommandPool) F(vkAllocateCommandBuffers) F(vkBeginCommandBuffer) F(vkEndCommandBuffer) F(vkCmdBindPipeline) \
  F(vkCmdBindDescriptorSets) F(vkCmdPushConstants) F(vkCmdPipelineBarrier) F(vkCmdDispatch) F(vkQueueSubmit) F(vkQueueWaitIdle)
#define DECLARE(name) static PFN_##name name;
GLOBAL(DECLARE) INSTANCE(DECLARE) DEVICE(DECLARE)
#undef DECLARE

/* ---- failing ---- */

static int messages; /* of the validation layers */

static _Noreturn void fail(const char *what, const char *which) {
  fprintf(stderr, "foreign: %s%s%s\n", what, *which ? ": " : "", which);
  exit(2);
}

static void must(VkResult result, const char *call) {
  if (result == VK_SUCCESS) return;
  char number[32];
  snprintf(number, sizeof number, "result %d", (int)result);
  fprintf(stderr, "foreign: %s: ", call);
  fail(number, "");
}
#define MUST(call) must(call, #call)

/* ---- what is asked for ---- */

typedef enum buffer_kind { STORAGE, UNIFORM, ADDRESS } buffer_kind;
typedef struct buffer {
  buffer_kind kind;
  uint32_t set, binding, element; /* or the byte of the push constants */
  const char *path;
  char *bytes; /* on entry */
  size_t size;
  VkBuffer buffer;
  VkDeviceMemory memory;
  void *mapped;
} buffer;

typedef struct job {
  const char *shader, *entry;
  uint32_t grid[3];
  buffer buffers[MOST_BUFFERS];
  uint32_t buffer_count;
  char push[MOST_PUSH];
  uint32_t push_size;
  VkSpecializationMapEntry entries[MOST_CONSTANTS];
  uint32_t constants[MOST_CONSTANTS], constant_count;
} job;

static char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END)) fail(path, strerror(errno));
  long end = ftell(file);
  char *bytes = malloc(end > 0 ? (size_t)end : 1);
  rewind(file);
  if (end < 0 || !bytes || fread(bytes, 1, (size_t)end, file) != (size_t)end) fail(path, "cannot be read");
  fclose(file);
  *size = (size_t)end;
  return bytes;
}

static void write_file(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file)) fail(path, "cannot be written");
}

static void read_push(job *j, const char *path) {
  size_t size;
  char *bytes = read_file(path, &size);
  if (size > MOST_PUSH) fail(path, "too many push constants");
  memcpy(j->push, bytes, size);
  j->push_size = (uint32_t)size;
  free(bytes);
}

static void read_constant(job *j, const char *text) {
  uint32_t k = j->constant_count++, id, bits;
  if (k == MOST_CONSTANTS || sscanf(text, "%u=%u", &id, &bits) != 2) fail("not ID=BITS", text);
  j->constants[k] = bits;
  j->entries[k] = (VkSpecializationMapEntry){.constantID = id, .offset = 4 * k, .size = 4};
}

static void read_buffer(job *j, const char *text) {
  buffer *b = &j->buffers[j->buffer_count++];
  const char *path = strchr(text, '=');
  if (j->buffer_count > MOST_BUFFERS || !path) fail("not BUFFER=FILE", text);
  b->kind = *text == 'u' ? UNIFORM : *text == '@' ? ADDRESS : STORAGE;
  bool fine = b->kind == ADDRESS ? sscanf(text, "@%u=", &b->binding) == 1
                                 : sscanf(text + (b->kind == UNIFORM), "%u.%u.%u=", &b->set, &b->binding, &b->element) >= 2;
  if (!fine || b->set >= MOST_SETS) fail("not BUFFER=FILE", text);
  b->path = path + 1;
  b->bytes = read_file(b->path, &b->size);
}

static job read_arguments(int count, char **word) {
  job j = {.entry = "main", .grid = {1, 1, 1}};
  for (int i = 1; i < count; i++) {
    const char *next = i + 1 < count ? word[i + 1] : "";
    if (!strcmp(word[i], "--entry")) j.entry = next, i++;
    else if (!strcmp(word[i], "--grid")) sscanf(next, "%u,%u,%u", &j.grid[0], &j.grid[1], &j.grid[2]), i++;
    else if (!strcmp(word[i], "--push")) read_push(&j, next), i++;
    else if (!strcmp(word[i], "--const")) read_constant(&j, next), i++;
    else if (strchr(word[i], '=')) read_buffer(&j, word[i]);
    else j.shader = word[i];
  }
  if (!j.shader) fail("which shader?", "");
  return j;
}

/* ---- instance and device ---- */

typedef struct vulkan {
  VkInstance instance;
  VkDebugUtilsMessengerEXT messenger;
  VkPhysicalDevice physical;
  VkDevice device;
  VkQueue queue;
} vulkan;

static VKAPI_ATTR VkBool32 VKAPI_CALL
on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
           const VkDebugUtilsMessengerCallbackDataEXT *data, void *user) {
  (void)severity, (void)user;
  if (!(types & VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT)) return VK_FALSE;
  fprintf(stderr, "validation: %s\n", data->pMessage ? data->pMessage : "");
  messages++;
  return VK_FALSE;
}

static void open_instance(vulkan *v) {
  void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, "vkGetInstanceProcAddr") : NULL;
  PFN_vkGetInstanceProcAddr get;
  if (!symbol) fail("there is no Vulkan loader", "");
  memcpy(&get, &symbol, sizeof get); /* ISO C does not convert object pointers to functions */
  VkDebugUtilsMessengerCreateInfoEXT messenger = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
    .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
    .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT, .pfnUserCallback = on_message};
  const char *layers[] = {"VK_LAYER_KHRONOS_validation"}, *extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
  VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
  VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pNext = &messenger, .pApplicationInfo = &app,
                               .enabledLayerCount = 1, .ppEnabledLayerNames = layers,
                               .enabledExtensionCount = 1, .ppEnabledExtensionNames = extensions};
#define LOAD(name) vkCreateInstance = (PFN_##name)get(NULL, #name);
  GLOBAL(LOAD)
#undef LOAD
  MUST(vkCreateInstance(&info, NULL, &v->instance));
#define LOAD(name) \
  if (!(name = (PFN_##name)get(v->instance, #name))) fail("there is no", #name);
  INSTANCE(LOAD)
#undef LOAD
  MUST(vkCreateDebugUtilsMessengerEXT(v->instance, &messenger, NULL, &v->messenger));
}

static void find_lavapipe(vulkan *v) {
  VkPhysicalDevice list[16];
  uint32_t count = 16;
  VkResult result = vkEnumeratePhysicalDevices(v->instance, &count, list);
  if (result != VK_INCOMPLETE) must(result, "vkEnumeratePhysicalDevices");
  for (uint32_t i = 0; i < count && !v->physical; i++) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(list[i], &properties);
    if (strstr(properties.deviceName, "llvmpipe")) v->physical = list[i];
  }
  if (!v->physical) fail("lavapipe is not installed", "");
}

/* With every feature that the device has, but for checks of bounds. */
static void open_device(vulkan *v) {
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT};
  VkPhysicalDeviceVulkan13Features f13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .pNext = &atomic};
  VkPhysicalDeviceVulkan12Features f12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &f13};
  VkPhysicalDeviceVulkan11Features f11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &f12};
  VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &f11};
  vkGetPhysicalDeviceFeatures2(v->physical, &features);
  features.features.robustBufferAccess = VK_FALSE;
  f13.robustImageAccess = VK_FALSE;
  const char *extensions[] = {VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME, VK_EXT_SHADER_SUBGROUP_VOTE_EXTENSION_NAME,
                              VK_EXT_SHADER_SUBGROUP_BALLOT_EXTENSION_NAME};
  float priority = 1;
  VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1,
                                   .pQueuePriorities = &priority};
  VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &features, .queueCreateInfoCount = 1,
                             .pQueueCreateInfos = &queue, .enabledExtensionCount = sizeof extensions / sizeof *extensions,
                             .ppEnabledExtensionNames = extensions};
  MUST(vkCreateDevice(v->physical, &info, NULL, &v->device));
#define LOAD(name) \
  if (!(name = (PFN_##name)vkGetDeviceProcAddr(v->device, #name))) fail("there is no", #name);
  DEVICE(LOAD)
#undef LOAD
  vkGetDeviceQueue(v->device, 0, 0, &v->queue);
}

static void close_vulkan(vulkan *v) {
  vkDestroyDevice(v->device, NULL);
  vkDestroyDebugUtilsMessengerEXT(v->instance, v->messenger, NULL);
  vkDestroyInstance(v->instance, NULL);
}

/* ---- buffers ---- */

static uint32_t host_memory(const vulkan *v, uint32_t allowed) {
  const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(v->physical, &memory);
  for (uint32_t i = 0; i < memory.memoryTypeCount; i++)
    if (allowed >> i & 1 && (memory.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
  fail("there is no memory for the host", "");
}

static void make_buffer(const vulkan *v, buffer *b) {
  VkBufferUsageFlags usage = b->kind == UNIFORM ? VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT : VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  if (b->kind == ADDRESS) usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = b->size, .usage = usage};
  MUST(vkCreateBuffer(v->device, &info, NULL, &b->buffer));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(v->device, b->buffer, &needs);
  VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                     .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
  VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = b->kind == ADDRESS ? &flags : NULL,
                                 .allocationSize = needs.size, .memoryTypeIndex = host_memory(v, needs.memoryTypeBits)};
  MUST(vkAllocateMemory(v->device, &memory, NULL, &b->memory));
  MUST(vkBindBufferMemory(v->device, b->buffer, b->memory, 0));
  MUST(vkMapMemory(v->device, b->memory, 0, VK_WHOLE_SIZE, 0, &b->mapped));
  memcpy(b->mapped, b->bytes, b->size);
}

static void make_buffers(const vulkan *v, job *j) {
  for (uint32_t i = 0; i < j->buffer_count; i++) {
    buffer *b = &j->buffers[i];
    make_buffer(v, b);
    if (b->kind != ADDRESS) continue;
    VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = b->buffer};
    VkDeviceAddress address = vkGetBufferDeviceAddress(v->device, &info);
    if (b->binding + sizeof address > j->push_size) fail("no push constants for the address of", b->path);
    memcpy(j->push + b->binding, &address, sizeof address);
  }
}

static void keep_buffers(const vulkan *v, job *j) {
  for (uint32_t i = 0; i < j->buffer_count; i++) {
    buffer *b = &j->buffers[i];
    write_file(b->path, b->mapped, b->size);
    vkDestroyBuffer(v->device, b->buffer, NULL);
    vkFreeMemory(v->device, b->memory, NULL);
    free(b->bytes);
  }
}

/* ---- descriptors ---- */

typedef struct sets {
  VkDescriptorSetLayout layout[MOST_SETS];
  VkDescriptorSet set[MOST_SETS];
  VkDescriptorPool pool;
  uint32_t count;
} sets;

static VkDescriptorType descriptor_type(const buffer *b) {
  return b->kind == UNIFORM ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

static uint32_t elements_of(const job *j, const buffer *b) {
  uint32_t count = 1;
  for (uint32_t i = 0; i < j->buffer_count; i++) {
    const buffer *o = &j->buffers[i];
    if (o->kind != ADDRESS && o->set == b->set && o->binding == b->binding && o->element >= count) count = o->element + 1;
  }
  return count;
}

static void make_layout(const vulkan *v, const job *j, uint32_t set, VkDescriptorSetLayout *layout) {
  VkDescriptorSetLayoutBinding bindings[MOST_BUFFERS];
  VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .pBindings = bindings};
  for (uint32_t i = 0; i < j->buffer_count; i++) {
    const buffer *b = &j->buffers[i];
    if (b->kind == ADDRESS || b->set != set || b->element) continue;
    bindings[info.bindingCount++] = (VkDescriptorSetLayoutBinding){
      .binding = b->binding, .descriptorType = descriptor_type(b), .descriptorCount = elements_of(j, b),
      .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
  }
  MUST(vkCreateDescriptorSetLayout(v->device, &info, NULL, layout));
}

static void make_sets(const vulkan *v, const job *j, sets *s) {
  VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, MOST_BUFFERS},
                                  {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, MOST_BUFFERS}};
  VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = MOST_SETS,
                                     .poolSizeCount = 2, .pPoolSizes = sizes};
  MUST(vkCreateDescriptorPool(v->device, &pool, NULL, &s->pool));
  for (uint32_t i = 0; i < j->buffer_count; i++)
    if (j->buffers[i].kind != ADDRESS && j->buffers[i].set >= s->count) s->count = j->buffers[i].set + 1;
  for (uint32_t i = 0; i < s->count; i++) make_layout(v, j, i, &s->layout[i]);
  VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = s->pool,
                                      .descriptorSetCount = s->count, .pSetLayouts = s->layout};
  if (s->count) MUST(vkAllocateDescriptorSets(v->device, &info, s->set));
  for (uint32_t i = 0; i < j->buffer_count; i++) {
    const buffer *b = &j->buffers[i];
    if (b->kind == ADDRESS) continue;
    VkDescriptorBufferInfo whole = {.buffer = b->buffer, .range = VK_WHOLE_SIZE};
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = s->set[b->set],
                                  .dstBinding = b->binding, .dstArrayElement = b->element, .descriptorCount = 1,
                                  .descriptorType = descriptor_type(b),
                                  .pBufferInfo = &whole};
    vkUpdateDescriptorSets(v->device, 1, &write, 0, NULL);
  }
}

static void free_sets(const vulkan *v, sets *s) {
  vkDestroyDescriptorPool(v->device, s->pool, NULL);
  for (uint32_t i = 0; i < s->count; i++) vkDestroyDescriptorSetLayout(v->device, s->layout[i], NULL);
}

/* ---- the pipeline, and its dispatch ---- */

typedef struct pipeline { VkShaderModule shader; VkPipelineLayout layout; VkPipeline pipeline; } pipeline;

static pipeline make_pipeline(const vulkan *v, const job *j, const sets *s) {
  pipeline p;
  size_t size;
  char *words = read_file(j->shader, &size);
  VkShaderModuleCreateInfo shader = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size,
                                     .pCode = (void *)words};
  MUST(vkCreateShaderModule(v->device, &shader, NULL, &p.shader));
  VkPushConstantRange push = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = j->push_size};
  VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = s->count,
                                       .pSetLayouts = s->layout, .pushConstantRangeCount = j->push_size ? 1 : 0,
                                       .pPushConstantRanges = &push};
  MUST(vkCreatePipelineLayout(v->device, &layout, NULL, &p.layout));
  VkSpecializationInfo constants = {.mapEntryCount = j->constant_count, .pMapEntries = j->entries,
                                    .dataSize = 4 * j->constant_count, .pData = j->constants};
  VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = p.layout,
                                      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = p.shader, .pName = j->entry,
                                                .pSpecializationInfo = &constants}};
  MUST(vkCreateComputePipelines(v->device, VK_NULL_HANDLE, 1, &info, NULL, &p.pipeline));
  free(words);
  return p;
}

static void free_pipeline(const vulkan *v, const pipeline *p) {
  vkDestroyPipeline(v->device, p->pipeline, NULL);
  vkDestroyPipelineLayout(v->device, p->layout, NULL);
  vkDestroyShaderModule(v->device, p->shader, NULL);
}

static void record(VkCommandBuffer commands, const job *j, const sets *s, const pipeline *p) {
  VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  VkMemoryBarrier visible = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                             .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
  MUST(vkBeginCommandBuffer(commands, &begin));
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, p->pipeline);
  if (s->count) vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, p->layout, 0, s->count, s->set, 0, NULL);
  if (j->push_size) vkCmdPushConstants(commands, p->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, j->push_size, j->push);
  vkCmdDispatch(commands, j->grid[0], j->grid[1], j->grid[2]);
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &visible, 0, NULL, 0,
                       NULL);
  MUST(vkEndCommandBuffer(commands));
}

static void dispatch(const vulkan *v, const job *j, const sets *s, const pipeline *p) {
  VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  VkCommandPool pool;
  VkCommandBuffer commands;
  MUST(vkCreateCommandPool(v->device, &info, NULL, &pool));
  VkCommandBufferAllocateInfo one = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool,
                                     .commandBufferCount = 1};
  MUST(vkAllocateCommandBuffers(v->device, &one, &commands));
  record(commands, j, s, p);
  VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
  MUST(vkQueueSubmit(v->queue, 1, &submit, VK_NULL_HANDLE));
  MUST(vkQueueWaitIdle(v->queue));
  vkDestroyCommandPool(v->device, pool, NULL);
}

int main(int count, char **word) {
  job j = read_arguments(count, word);
  vulkan v = {0};
  sets s = {0};
  open_instance(&v);
  find_lavapipe(&v);
  open_device(&v);
  make_buffers(&v, &j);
  make_sets(&v, &j, &s);
  pipeline p = make_pipeline(&v, &j, &s);
  dispatch(&v, &j, &s, &p);
  free_pipeline(&v, &p);
  free_sets(&v, &s);
  keep_buffers(&v, &j);
  close_vulkan(&v);
  return messages ? 3 : 0;
}
