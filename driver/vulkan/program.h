/* What an executable holds on a Vulkan device. */
#ifndef KGI_DRIVER_VULKAN_PROGRAM_H
#define KGI_DRIVER_VULKAN_PROGRAM_H
#include "driver/vulkan/vulkan.h"
#include "driver/within.h"
#include "spirv/abi.h"

typedef struct kgi_vk_program {
  bool used;
  VkDescriptorSetLayout *set; /* by number; those that nothing is bound in are empty */
  uint32_t sets;
  kgi_abi_slot *slot; uint32_t slots; /* what is bound */
  VkDescriptorBufferInfo *info; VkWriteDescriptorSet *write; /* room to say so, by slot; and for the sets of one dispatch */
  VkDescriptorSet *moving;
  VkPipelineLayout layout;
  VkPipeline pipeline;
  uint32_t block_stride; /* of its params in the uniform buffer; 0: push constants */
} kgi_vk_program;

typedef struct kgi_vk_state {
  kgi_abi abi;
  kgi_vk_program *program;  /* by index */
  VkDescriptorPool pool;
  VkDescriptorSet **set;    /* by item, then number: a run's buffers never change; NULL: it binds slices, which may move */
  VkDescriptorPool moving;  /* of sets for one dispatch each */
  uint64_t *moving_runs;    /* by item: dispatches that bind slices */
  uint64_t moving_all;
  kg_buffer **aside;        /* where slices are put that a descriptor cannot begin with; as many as one run has */
  uint32_t asides;
  uint64_t aside_bytes;     /* the largest */
  bool *item_used;
  kg_buffer *status, *uniform; /* of the host's memory; NULL: not needed */
  uint64_t uniform_runs;    /* dispatches whose params lie there */
  uint64_t uniform_bytes;
  uint32_t loop_budget;     /* that the programs count to; 0: none counts */
  bool *count_loops;        /* by program */
  kgi_within within;        /* which accesses need no check */
  VkCommandBuffer *chunk; uint32_t chunk_count, chunk_allocated; /* recorded; one alone when streaming */
  bool streaming;           /* too many dispatches to keep: recorded again for each execution, chunk by chunk */
} kgi_vk_state;

enum { KGI_VK_CHUNK = 4096, KGI_VK_CHUNKS = 16 }; /* dispatches in a command buffer; command buffers kept */

/* barriers.c: KG_REFUSED where a device that counts all barriers would not bring a workgroup together. */
kg_status kgi_vk_check_barriers(const kg_allocator *alloc, const kg_module *m, const kgi_program *p, uint32_t subgroup_size,
                                kgi_diags *diags);

static inline kgi_vk_state *kgi_vk_state_of(const kg_executable *exe) { return exe->state; }
/* Pipelines and descriptor sets of what is used. */
kg_status kgi_vk_make_programs(kg_executable *exe, kgi_diags *diags);
void kgi_vk_free_programs(kg_executable *exe);
/* sets.c: what programs are told of their buffers. */
kg_status kgi_vk_make_sets(kg_executable *exe, kgi_diags *diags);
void kgi_vk_free_sets(kg_executable *exe);
/* Notes what the sets of a dispatch will need, before they are made. */
kg_status kgi_vk_survey_slices(kg_executable *exe, const kgi_run *run);
static inline bool kgi_vk_has_slices(const kgi_vk_state *st, const kgi_run *run) { return st->moving_runs[run->item] != 0; }
/* The sets of a dispatch that binds slices, in `moving` of its program. What is streamed forgets them all with each chunk. */
kg_status kgi_vk_moving_sets(kg_executable *exe, const kgi_run *run, kgi_diags *diags);
kg_status kgi_vk_forget_sets(kg_executable *exe, kgi_diags *diags);
/* Records the copies of the slices that are put aside, to there or back; how many. */
uint32_t kgi_vk_copy_slices(kg_executable *exe, const kgi_run *run, VkCommandBuffer at, bool back);

static inline bool kgi_vk_has_block(const kgi_abi_program *a) { return a->params_binding != KGI_NO_BINDING; }
static inline VkDescriptorType kgi_vk_slot_type(const kgi_abi_slot *slot) {
  return slot->kind == KGI_SLOT_PARAMS ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}
#endif
