/* A program that runs a shader runs its adjoint, in plain Vulkan. For the shader of tests/host/bodies.comp:
 *
 *     kgrad grad bodies.comp --mode split --primal same.spv -o adjoint.spv --layout same --accumulate \
 *         --bind grad_pos_x=1.4 --bind grad_force=1.5 --bind params=2.0
 *
 * The layout is the shader's with two storage buffers more in set 1, and a set 2 with one uniform buffer: the lengths, at the offsets
 * that "members" of the .json lists. Push constants, constants, and all that was bound before stay. */
#include <vulkan/vulkan.h>

enum { SETS = 3 };

VkResult make_adjoint(VkDevice device, const uint32_t *words, size_t bytes, const VkSpecializationInfo *constants,
                      VkPipelineLayout layout, VkPipeline *adjoint) {
  VkShaderModuleCreateInfo code = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = words};
  VkShaderModule shader;
  VkResult result = vkCreateShaderModule(device, &code, NULL, &shader);
  if (result != VK_SUCCESS) return result;
  VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = layout,
                                      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = shader,
                                                .pName = "bodies_grad", .pSpecializationInfo = constants}};
  result = vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, adjoint);
  vkDestroyShaderModule(device, shader, NULL);
  return result;
}

/* Behind the shader's own dispatch, and what made the cotangent of its output. It adds to the gradient, which is zeroed before. */
void record_adjoint(VkCommandBuffer commands, VkPipeline adjoint, VkPipelineLayout layout, const VkDescriptorSet sets[SETS],
                    const void *pushed, uint32_t bytes, uint32_t groups, VkBuffer gradient) {
  VkMemoryBarrier filled = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                            .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_WRITE_BIT,
                            .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
  vkCmdFillBuffer(commands, gradient, 0, VK_WHOLE_SIZE, 0);
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                       VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &filled, 0, NULL, 0, NULL);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, adjoint);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, SETS, sets, 0, NULL);
  vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, bytes, pushed);
  vkCmdDispatch(commands, groups, 1, 1);
}
