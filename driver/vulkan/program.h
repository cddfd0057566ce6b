/* What an executable holds on a Vulkan device. */
#ifndef KGI_DRIVER_VULKAN_PROGRAM_H
#define KGI_DRIVER_VULKAN_PROGRAM_H
#include "driver/vulkan/vulkan.h"
#include "spirv/abi.h"

typedef struct kgi_vk_program {
  bool used;
  VkDescriptorSetLayout *set; /* by number; those that nothing is bound in are empty */
  uint32_t sets;
  kgi_abi_slot *slot; uint32_t slots; /* what is bound */
  VkPipelineLayout layout;
  VkPipeline pipeline;
  uint32_t block_stride; /* of its params in the uniform buffer; 0: push constants */
} kgi_vk_program;

typedef struct kgi_vk_state {
  kgi_abi abi;
  kgi_vk_program *program;  /* by index */
  VkDescriptorPool pool;
  VkDescriptorSet **set;    /* by item, then number: a run's buffers never change */
  bool *item_used;
  kg_buffer *status, *uniform; /* of the host's memory; NULL: not needed */
  uint64_t uniform_runs;    /* dispatches whose params lie there */
  uint64_t uniform_bytes;
  uint32_t loop_budget;     /* that the programs count to; 0: none counts */
  bool *count_loops;        /* by program */
  VkCommandBuffer *chunk; uint32_t chunk_count, chunk_allocated; /* recorded; one alone when streaming */
  bool streaming;           /* too many dispatches to keep: recorded again for each execution, chunk by chunk */
} kgi_vk_state;

enum { KGI_VK_CHUNK = 4096, KGI_VK_CHUNKS = 16 }; /* dispatches in a command buffer; command buffers kept */

static inline kgi_vk_state *kgi_vk_state_of(const kg_executable *exe) { return exe->state; }
/* Pipelines and descriptor sets of what is used. */
kg_status kgi_vk_make_programs(kg_executable *exe, kgi_diags *diags);
void kgi_vk_free_programs(kg_executable *exe);
/* A run's params and hidden lengths, as the ABI lays them out. */
void kgi_vk_fill_block(const kgi_abi_program *a, const kgi_run *run, unsigned char *out);
#endif
