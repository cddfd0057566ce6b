/* The loader, opened at run time; the instance; which devices there are and what they have. */
#include "driver/vulkan/vulkan.h"

#include <kgrad/spirv.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DEVICES = 64, MESA_LOOP_LIMIT = 65535 };

/* ---- the loader ---- */

/* POSIX gives functions as object pointers; ISO C does not convert those, so the bytes are copied. */
static PFN_vkGetInstanceProcAddr entry_of(void *library) {
  PFN_vkGetInstanceProcAddr get = NULL;
  void *symbol = dlsym(library, "vkGetInstanceProcAddr");
  memcpy(&get, &symbol, sizeof get);
  return get;
}

static bool load_global(kgi_vulkan *v, PFN_vkGetInstanceProcAddr get) {
  bool all = true;
#define LOAD(name) all &= (v->vk.name = (PFN_##name)get(NULL, #name)) != NULL;
  KGI_VK_GLOBAL(LOAD)
#undef LOAD
  return all;
}

static bool load_instance(kgi_vulkan *v, PFN_vkGetInstanceProcAddr get) {
  bool all = true;
#define LOAD(name) all &= (v->vk.name = (PFN_##name)get(v->instance, #name)) != NULL;
  KGI_VK_INSTANCE(LOAD)
#undef LOAD
  return all;
}

/* ---- validation ---- */

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data, void *user) {
  kg_context *c = user;
  kgi_diags diags = {.sink = &c->sink};
  /* the loader's own remarks about the drivers it finds are not about this program */
  if (!(types & (VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT))) return VK_FALSE;
  (void)severity;
  c->messages++;
  KGI_DIAG(&diags, vulkan_validation, 0, data->pMessage ? data->pMessage : "");
  return VK_FALSE;
}

static VkDebugUtilsMessengerCreateInfoEXT messenger_info(kg_context *c) {
  return (VkDebugUtilsMessengerCreateInfoEXT){
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
    .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
    .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT |
                   VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
    .pfnUserCallback = on_message,
    .pUserData = c,
  };
}

static const char validation_layer[] = "VK_LAYER_KHRONOS_validation";

static bool has_layer(const kgi_vulkan *v, kgi_arena *arena) {
  uint32_t count = 0;
  if (v->vk.vkEnumerateInstanceLayerProperties(&count, NULL) != VK_SUCCESS || !count) return false;
  VkLayerProperties *layers = kgi_arena_alloc(arena, count, sizeof *layers);
  if (!layers || v->vk.vkEnumerateInstanceLayerProperties(&count, layers) < VK_SUCCESS) return false;
  for (uint32_t i = 0; i < count; i++)
    if (!strcmp(layers[i].layerName, validation_layer)) return true;
  return false;
}

/* ---- the instance ---- */

static VkResult create_instance(kg_context *c, kgi_vulkan *v) {
  VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_info(c);
  VkValidationFeatureEnableEXT enabled = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  VkValidationFeaturesEXT features = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT, .pNext = &messenger,
                                      .enabledValidationFeatureCount = 1, .pEnabledValidationFeatures = &enabled};
  const char *layers[] = {validation_layer}, *extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
  VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pEngineName = "kgrad", .apiVersion = VK_API_VERSION_1_3};
  VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
  if (c->params.validate) {
    info.pNext = &features;
    info.enabledLayerCount = 1, info.ppEnabledLayerNames = layers;
    info.enabledExtensionCount = 1, info.ppEnabledExtensionNames = extensions;
  }
  return v->vk.vkCreateInstance(&info, NULL, &v->instance);
}

static void create_messenger(kg_context *c, kgi_vulkan *v, PFN_vkGetInstanceProcAddr get) {
  VkDebugUtilsMessengerCreateInfoEXT info = messenger_info(c);
  PFN_vkCreateDebugUtilsMessengerEXT create =
    (PFN_vkCreateDebugUtilsMessengerEXT)get(v->instance, "vkCreateDebugUtilsMessengerEXT");
  v->destroy_messenger = (PFN_vkDestroyDebugUtilsMessengerEXT)get(v->instance, "vkDestroyDebugUtilsMessengerEXT");
  if (create && v->destroy_messenger) create(v->instance, &info, NULL, &v->messenger);
}

/* ---- what a device has ---- */

static bool has_extension(const VkExtensionProperties *list, uint32_t count, const char *name) {
  for (uint32_t i = 0; i < count; i++)
    if (!strcmp(list[i].extensionName, name)) return true;
  return false;
}

/* Links the structures that this device knows; linking others is an error. */
void kgi_vk_link(kgi_vk_chain *c, uint32_t version, bool atomic_float) {
  *c = (kgi_vk_chain){.base = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2},
               .storage16 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES},
               .storage8 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES},
               .float16 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES},
               .atomic64 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES},
               .atomic_float = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT}};
  void **next = &c->base.pNext;
  *next = &c->storage16, next = &c->storage16.pNext;
  if (version >= VK_API_VERSION_1_2) {
    *next = &c->storage8, next = &c->storage8.pNext;
    *next = &c->float16, next = &c->float16.pNext;
    *next = &c->atomic64, next = &c->atomic64.pNext;
  }
  if (atomic_float) *next = &c->atomic_float;
}

static uint32_t features_of(const kgi_vk_chain *c) {
  uint32_t f = 0;
  if (c->base.features.shaderInt64) f |= KG_FEATURE_INT64;
  if (c->base.features.shaderFloat64) f |= KG_FEATURE_FLOAT64;
  if (c->float16.shaderFloat16) f |= KG_FEATURE_FLOAT16;
  if (c->storage8.storageBuffer8BitAccess) f |= KG_FEATURE_STORAGE8;
  if (c->storage16.storageBuffer16BitAccess) f |= KG_FEATURE_STORAGE16;
  if (c->atomic_float.shaderBufferFloat32AtomicAdd) f |= KG_FEATURE_ATOMIC_ADD_F32_BUFFER;
  if (c->atomic_float.shaderSharedFloat32AtomicAdd) f |= KG_FEATURE_ATOMIC_ADD_F32_SHARED;
  if (c->atomic64.shaderBufferInt64Atomics && c->atomic64.shaderSharedInt64Atomics) f |= KG_FEATURE_ATOMIC_I64;
  return f;
}

static uint32_t subgroup_features(const VkPhysicalDeviceSubgroupProperties *s) {
  static const struct { VkSubgroupFeatureFlagBits bit; uint32_t feature; } table[] = {
    {VK_SUBGROUP_FEATURE_BASIC_BIT, KG_FEATURE_SUBGROUP_BASIC}, {VK_SUBGROUP_FEATURE_VOTE_BIT, KG_FEATURE_SUBGROUP_VOTE},
    {VK_SUBGROUP_FEATURE_ARITHMETIC_BIT, KG_FEATURE_SUBGROUP_ARITHMETIC}, {VK_SUBGROUP_FEATURE_BALLOT_BIT, KG_FEATURE_SUBGROUP_BALLOT},
    {VK_SUBGROUP_FEATURE_SHUFFLE_BIT, KG_FEATURE_SUBGROUP_SHUFFLE},
    {VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT, KG_FEATURE_SUBGROUP_RELATIVE},
  };
  uint32_t f = 0;
  for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
    if (s->supportedOperations & table[i].bit && s->supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) f |= table[i].feature;
  return f;
}

static bool find_queue(const kgi_vulkan *v, kgi_vulkan_found *f, kgi_arena *arena) {
  uint32_t count = 0;
  v->vk.vkGetPhysicalDeviceQueueFamilyProperties(f->device, &count, NULL);
  VkQueueFamilyProperties *families = kgi_arena_alloc(arena, count, sizeof *families);
  if (!families) return false;
  v->vk.vkGetPhysicalDeviceQueueFamilyProperties(f->device, &count, families);
  for (f->queue_family = 0; f->queue_family < count; f->queue_family++)
    if (families[f->queue_family].queueFlags & VK_QUEUE_COMPUTE_BIT) return true;
  return false;
}

static const char *format(kgi_arena *arena, const char *pattern, const char *a, const char *b, unsigned n) {
  char text[600];
  int length = snprintf(text, sizeof text, pattern, a, b, n);
  const char *copy = length < 0 ? NULL : kgi_arena_strdup(arena, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
  return copy ? copy : "";
}

static void copy_limits(const VkPhysicalDeviceProperties *p, kg_device_info *info, kgi_vulkan_found *f) {
  const VkPhysicalDeviceLimits *l = &p->limits;
  info->vulkan_major = VK_API_VERSION_MAJOR(p->apiVersion), info->vulkan_minor = VK_API_VERSION_MINOR(p->apiVersion);
  info->workgroup_invocations = l->maxComputeWorkGroupInvocations;
  memcpy(info->workgroup_size, l->maxComputeWorkGroupSize, sizeof info->workgroup_size);
  memcpy(info->groups, l->maxComputeWorkGroupCount, sizeof info->groups);
  info->shared_bytes = l->maxComputeSharedMemorySize;
  info->buffer_bytes = l->maxStorageBufferRange;
  f->buffers_per_stage = l->maxPerStageDescriptorStorageBuffers < l->maxDescriptorSetStorageBuffers
                           ? l->maxPerStageDescriptorStorageBuffers : l->maxDescriptorSetStorageBuffers;
  f->sets = l->maxBoundDescriptorSets;
  f->push_bytes = l->maxPushConstantsSize;
  f->uniform_bytes = l->maxUniformBufferRange;
  f->uniform_alignment = (uint32_t)l->minUniformBufferOffsetAlignment;
  f->storage_alignment = (uint32_t)l->minStorageBufferOffsetAlignment;
  f->host_memory = p->deviceType != VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  info->gpu = p->deviceType == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU || p->deviceType == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU ||
              p->deviceType == VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU;
}

static bool describe(kg_context *c, kgi_started *own, VkPhysicalDevice device) {
  kgi_vulkan *v = own->state;
  const kgi_vk_instance_table *vk = &v->vk;
  VkPhysicalDeviceFloatControlsProperties floats = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES};
  VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, .pNext = &floats};
  VkPhysicalDeviceSubgroupProperties subgroups = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
  VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &subgroups};
  vk->vkGetPhysicalDeviceProperties2(device, &properties);
  if (properties.properties.apiVersion < VK_API_VERSION_1_1) return true;
  if (properties.properties.apiVersion >= VK_API_VERSION_1_2) subgroups.pNext = &driver;
  vk->vkGetPhysicalDeviceProperties2(device, &properties);
  kgi_vulkan_found *f = &v->found[v->found_count];
  *f = (kgi_vulkan_found){.device = device, .version = properties.properties.apiVersion};
  if (!find_queue(v, f, &c->arena)) return !c->arena.failed;
  uint32_t count = 0;
  vk->vkEnumerateDeviceExtensionProperties(device, NULL, &count, NULL);
  VkExtensionProperties *extensions = kgi_arena_alloc(&c->arena, count, sizeof *extensions);
  if (!extensions || vk->vkEnumerateDeviceExtensionProperties(device, NULL, &count, extensions) < VK_SUCCESS) return false;
  kgi_vk_chain features;
  f->atomic_float = has_extension(extensions, count, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME);
  kgi_vk_link(&features, f->version, f->atomic_float);
  vk->vkGetPhysicalDeviceFeatures2(device, &features.base);
  kg_device_info info = {.features = features_of(&features) | subgroup_features(&subgroups), .subgroup_size = subgroups.subgroupSize};
  copy_limits(&properties.properties, &info, f);
  if (floats.shaderSignedZeroInfNanPreserveFloat32) info.features |= KG_FEATURE_SIGNED_ZERO_INF_NAN;
  info.features &= ~c->params.without;
  /* lavapipe runs a workgroup batch by batch, and changes batches at memory barriers too: where one batch comes to it and another
   * does not, the rest of the workgroup is never run. It keeps the order of accesses without them. */
  f->no_memory_barrier = driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE;
  f->counts_all_barriers = driver.driverID == VK_DRIVER_ID_GOOGLE_SWIFTSHADER || f->no_memory_barrier;
  if (driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE) info.loop_budget = MESA_LOOP_LIMIT;
  info.id = format(&c->arena, "%s%s%u", "vulkan:", "", v->found_count);
  info.name = format(&c->arena, "%s%s", properties.properties.deviceName, "", 0);
  info.driver = format(&c->arena, "%s %s", driver.driverName, driver.driverInfo, 0);
  v->found_count++;
  return kgi_context_add(c, own, &info);
}

static kg_status enumerate(kg_context *c, kgi_started *own) {
  kgi_vulkan *v = own->state;
  VkPhysicalDevice devices[MOST_DEVICES];
  uint32_t count = MOST_DEVICES;
  if (v->vk.vkEnumeratePhysicalDevices(v->instance, &count, devices) < VK_SUCCESS) return KG_OK;
  v->found = kgi_arena_alloc(&c->arena, count, sizeof *v->found);
  if (!v->found) return KG_NO_MEMORY;
  for (uint32_t i = 0; i < count; i++)
    if (!describe(c, own, devices[i])) return KG_NO_MEMORY;
  return KG_OK;
}

/* Where the loader or every driver is missing there is no Vulkan, which is no error. */
kg_status kgi_vk_start(kg_context *c, kgi_started *own, kgi_diags *diags) {
  if (c->params.no_vulkan) return KG_OK;
  kgi_vulkan *v = kgi_arena_alloc(&c->arena, 1, sizeof *v);
  if (!v) return KG_NO_MEMORY;
  v->library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  PFN_vkGetInstanceProcAddr get = v->library ? entry_of(v->library) : NULL;
  own->state = v;
  if (!get || !load_global(v, get)) return KG_OK;
  if (c->params.validate && !has_layer(v, &c->arena)) {
    KGI_DIAG(diags, no_validation, 0, validation_layer);
    return KG_UNAVAILABLE;
  }
  if (create_instance(c, v) != VK_SUCCESS) return v->instance = NULL, KG_OK;
  if (!load_instance(v, get)) return KG_OK;
  if (c->params.validate) create_messenger(c, v, get);
  return enumerate(c, own);
}

void kgi_vk_stop(void *state) {
  kgi_vulkan *v = state;
  if (v->messenger) v->destroy_messenger(v->instance, v->messenger, NULL);
  if (v->instance && v->vk.vkDestroyInstance) v->vk.vkDestroyInstance(v->instance, NULL);
  if (v->library) dlclose(v->library);
}
