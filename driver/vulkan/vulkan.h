/* driver/vulkan: Vulkan devices. */
/* The Vulkan back end. Files: load.c (loader, instance, what devices there are), device.c (one device, its buffers), program.c
 * (pipelines), sets.c (descriptor sets, slices), record.c (recording and execution). */
#ifndef KGI_DRIVER_VULKAN_H
#define KGI_DRIVER_VULKAN_H
#include "driver/backend.h"

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

/* Every function that is called, by what gives its address. */
#define KGI_VK_GLOBAL(F) F(vkCreateInstance) F(vkEnumerateInstanceLayerProperties) F(vkEnumerateInstanceVersion)
#define KGI_VK_INSTANCE(F) \
  F(vkDestroyInstance) F(vkEnumeratePhysicalDevices) F(vkGetPhysicalDeviceProperties2) F(vkGetPhysicalDeviceFeatures2) \
  F(vkGetPhysicalDeviceQueueFamilyProperties) F(vkGetPhysicalDeviceMemoryProperties) F(vkEnumerateDeviceExtensionProperties) \
  F(vkCreateDevice) F(vkGetDeviceProcAddr)
#define KGI_VK_DEVICE(F) \
  F(vkDestroyDevice) F(vkGetDeviceQueue) F(vkCreateBuffer) F(vkDestroyBuffer) F(vkGetBufferMemoryRequirements) \
  F(vkAllocateMemory) F(vkFreeMemory) F(vkBindBufferMemory) F(vkMapMemory) F(vkCreateShaderModule) F(vkDestroyShaderModule) \
  F(vkCreateDescriptorSetLayout) F(vkDestroyDescriptorSetLayout) F(vkCreatePipelineLayout) F(vkDestroyPipelineLayout) \
  F(vkCreateComputePipelines) F(vkDestroyPipeline) F(vkCreatePipelineCache) F(vkDestroyPipelineCache) F(vkCreateDescriptorPool) \
  F(vkDestroyDescriptorPool) F(vkResetDescriptorPool) F(vkAllocateDescriptorSets) F(vkUpdateDescriptorSets) F(vkCreateCommandPool) \
  F(vkDestroyCommandPool) F(vkAllocateCommandBuffers) F(vkFreeCommandBuffers) F(vkBeginCommandBuffer) F(vkEndCommandBuffer) \
  F(vkResetCommandBuffer) F(vkCmdBindPipeline) F(vkCmdBindDescriptorSets) F(vkCmdPushConstants) F(vkCmdDispatch) \
  F(vkCmdPipelineBarrier) F(vkCmdCopyBuffer) F(vkCmdFillBuffer) F(vkCreateFence) F(vkDestroyFence) F(vkResetFences) \
  F(vkWaitForFences) F(vkQueueSubmit) F(vkDeviceWaitIdle)

#define KGI_VK_MEMBER(name) PFN_##name name;
typedef struct kgi_vk_instance_table { KGI_VK_GLOBAL(KGI_VK_MEMBER) KGI_VK_INSTANCE(KGI_VK_MEMBER) } kgi_vk_instance_table;
typedef struct kgi_vk_device_table { KGI_VK_DEVICE(KGI_VK_MEMBER) } kgi_vk_device_table;
#undef KGI_VK_MEMBER

/* The features that matter here, linked as far as a device knows their structures. */
typedef struct kgi_vk_chain {
  VkPhysicalDeviceFeatures2 base;
  VkPhysicalDevice16BitStorageFeatures storage16;
  VkPhysicalDevice8BitStorageFeatures storage8;
  VkPhysicalDeviceShaderFloat16Int8Features float16;
  VkPhysicalDeviceShaderAtomicInt64Features atomic64;
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float;
} kgi_vk_chain;
void kgi_vk_link(kgi_vk_chain *chain, uint32_t version, bool atomic_float);

/* What was found of a physical device, beside its kg_device_info. */
typedef struct kgi_vulkan_found {
  VkPhysicalDevice device;
  uint32_t queue_family, version;
  bool atomic_float; /* has that extension */
  uint32_t buffers_per_stage; /* storage buffers that one program may have */
  uint32_t sets;              /* descriptor sets that one pipeline may have */
  uint32_t push_bytes, uniform_bytes, uniform_alignment, storage_alignment;
  bool host_memory; /* its own memory is the host's */
  bool no_memory_barrier; /* emission does without them */
  bool counts_all_barriers; /* one in a branch that nobody takes is waited at as well */
} kgi_vulkan_found;

/* What a context keeps of Vulkan: as much as there is. */
typedef struct kgi_vulkan {
  void *library;
  VkInstance instance;
  VkDebugUtilsMessengerEXT messenger;
  PFN_vkDestroyDebugUtilsMessengerEXT destroy_messenger;
  kgi_vk_instance_table vk;
  kgi_vulkan_found *found; uint32_t found_count;
} kgi_vulkan;

extern const kgi_backend kgi_backend_vulkan;
kg_status kgi_vk_start(kg_context *context, kgi_started *own, kgi_diags *diags);
void kgi_vk_stop(void *state);

typedef struct kgi_vulkan_device {
  kg_device base;
  kgi_vulkan_found found;
  VkDevice device;
  VkQueue queue;
  kgi_vk_device_table vk;
  VkPhysicalDeviceMemoryProperties memory;
  VkPipelineCache cache;
  VkCommandPool pool;
  VkCommandBuffer transfer; /* for staged copies */
  VkFence fence;
  kg_buffer *staging;       /* host memory, made when first needed */
  bool lost;                /* for good */
} kgi_vulkan_device;

typedef struct kgi_vulkan_buffer {
  kg_buffer base;
  VkBuffer buffer;
  VkDeviceMemory memory;
  void *mapped; /* NULL: the host does not see it, and copies are staged */
} kgi_vulkan_buffer;

static inline kgi_vulkan_device *kgi_vk_device(kg_device *d) { return (kgi_vulkan_device *)d; }
static inline kgi_vulkan_buffer *kgi_vk_buffer(kg_buffer *b) { return (kgi_vulkan_buffer *)b; }

/* KG_OK, or what a result means, with a diagnostic that names the call. */
kg_status kgi_vk_check(VkResult result, const char *call, kgi_diags *diags);
/* `host`: memory that the host sees, whatever the device. */
kg_status kgi_vk_buffer_new(kgi_vulkan_device *d, uint64_t bytes, bool host, kgi_diags *diags, kg_buffer **out);
void kgi_vk_buffer_free(kg_buffer *buffer);
/* KG_FAILED: the device was lost. What it was doing never ends: its fence and command buffers stay in use, and are not touched again. */
kg_status kgi_vk_still_there(const kgi_vulkan_device *d, kgi_diags *diags);
kg_status kgi_vk_submit(kgi_vulkan_device *d, const VkCommandBuffer *buffers, uint32_t count, kgi_diags *diags);

kg_status kgi_vk_prepare(kg_executable *exe, kgi_diags *diags);
kg_status kgi_vk_execute(kg_executable *exe, kgi_diags *diags);
void kgi_vk_discard(kg_executable *exe);
#endif
