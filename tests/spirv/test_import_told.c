/* What an import refuses, with the instruction that it stopped at; and what it is told. Modules are assembled by SPIRV-Tools. */
#include "tests/support/devices.h"

#include <kgrad/spirv.h>
#include <spirv-tools/libspirv.h>
#include <string.h>

#define HEAD HEAD_OF("OpExecutionMode %main LocalSize 4 1 1\n")
#define HEAD_OF(size) \
  "OpCapability Shader OpCapability Float64 OpCapability GroupNonUniform\n%glsl = OpExtInstImport \"GLSL.std.450\"\n" \
  "OpMemoryModel Logical GLSL450 OpEntryPoint GLCompute %main \"main\"\n" size \
  "OpDecorate %block BufferBlock OpMemberDecorate %block 0 Offset 0 OpDecorate %x DescriptorSet 0 OpDecorate %x Binding 0\n" \
  "%void = OpTypeVoid %f = OpTypeFunction %void %double = OpTypeFloat 64 %u = OpTypeInt 32 0 %pair = OpTypeVector %u 2\n" \
  "%1 = OpConstant %u 1 %block = OpTypeStruct %double %to = OpTypePointer Uniform %block %into = OpTypePointer Uniform %double\n" \
  "%0 = OpConstant %u 0 %3 = OpConstant %u 3 %sixteen = OpConstant %u 264 %two = OpConstantComposite %pair %0 %3\n" \
  "%x = OpVariable %to Uniform\n"
#define MAIN HEAD "%main = OpFunction %void None %f %body = OpLabel\n"
#define LINED \
  "OpCapability Shader OpMemoryModel Logical GLSL450 OpEntryPoint GLCompute %main \"main\"\n" \
  "OpExecutionMode %main LocalSize 4 1 1\n" \
  "%file = OpString \"a.comp\" %void = OpTypeVoid %f = OpTypeFunction %void %u = OpTypeInt 32 0\n" \
  "%1 = OpConstant %u 1 %3 = OpConstant %u 3 %sixteen = OpConstant %u 264 %main = OpFunction %void None %f %body = OpLabel\n"
#define END "\nOpReturn OpFunctionEnd\n"

/* A block of push constants with a table of two pointers, and one of them behind it. */
#define POINTERS \
  "OpCapability Shader OpCapability Int64 OpCapability PhysicalStorageBufferAddresses OpExtension \"SPV_KHR_physical_storage_buffer\"\n" \
  "OpMemoryModel PhysicalStorageBuffer64 GLSL450 OpEntryPoint GLCompute %main \"main\" %id\n" \
  "OpExecutionMode %main LocalSize 4 1 1 OpDecorate %id BuiltIn LocalInvocationIndex OpDecorate %list ArrayStride 8\n" \
  "OpDecorate %block Block OpMemberDecorate %block 0 Offset 0 OpMemberDecorate %block 1 Offset 16\n" \
  "OpDecorate %one BufferBlock OpMemberDecorate %one 0 Offset 0 OpDecorate %b DescriptorSet 0 OpDecorate %b Binding 0\n" \
  "OpDecorate %data Block OpMemberDecorate %data 0 Offset 0 OpDecorate %var AliasedPointer\n" \
  "OpDecorate %nums BufferBlock OpMemberDecorate %nums 0 Offset 0 OpMemberDecorate %nums 1 Offset 8\n" \
  "OpDecorate %n DescriptorSet 0 OpDecorate %n Binding 1\n" \
  "%void = OpTypeVoid %bool = OpTypeBool %f = OpTypeFunction %void %u = OpTypeInt 32 0\n" \
  "%float = OpTypeFloat 32 %0 = OpConstant %u 0\n" \
  "%1 = OpConstant %u 1 %2 = OpConstant %u 2 %data = OpTypeStruct %float %to = OpTypePointer PhysicalStorageBuffer %data\n" \
  "%into = OpTypePointer PhysicalStorageBuffer %float %list = OpTypeArray %to %2 %block = OpTypeStruct %list %to\n" \
  "%pp = OpTypePointer PushConstant %block %pto = OpTypePointer PushConstant %to %in = OpTypePointer Input %u\n" \
  "%one = OpTypeStruct %to %pb = OpTypePointer Uniform %one %bto = OpTypePointer Uniform %to\n" \
  "%local = OpTypePointer Function %to %l = OpTypeInt 64 0 %nums = OpTypeStruct %l %l %pnums = OpTypePointer Uniform %nums\n" \
  "%pl = OpTypePointer Uniform %l %locall = OpTypePointer Function %l %n = OpVariable %pnums Uniform\n" \
  "%p = OpVariable %pp PushConstant %id = OpVariable %in Input %b = OpVariable %pb Uniform\n" \
  "%main = OpFunction %void None %f %body = OpLabel %var = OpVariable %local Function %num = OpVariable %locall Function\n"
#define LOADED(name, members) \
  "%at_" name " = OpAccessChain %pto %p " members " %" name " = OpLoad %to %at_" name "\n"
#define NUMBER(name, member) \
  "%at_" name " = OpAccessChain %pl %n " member " %" name " = OpLoad %l %at_" name " OpStore %num %" name "\n"
#define FROM_NUMBER(name) "%l_" name " = OpLoad %l %num %" name " = OpConvertUToPtr %to %l_" name "\n" STORED("%" name)
#define STORED(pointer) "%m = OpAccessChain %into " pointer " %0 %v = OpLoad %float %m Aligned 4 OpStore %m %v Aligned 4\n"

typedef struct told { const char *name, *text, *id, *part; } told;
static const told cases[] = {
  {"nothing but a header", "", "import-invalid", "OpMemoryModel"},
  {"no size of the workgroup", HEAD_OF("") "%main = OpFunction %void None %f %body = OpLabel" END, "import-malformed", "size of its workgroup"},
  {"a type that is no type", HEAD "%main = OpFunction %u None %f %body = OpLabel OpReturn OpFunctionEnd", "import-invalid", ""},
  {"a barrier of the device", MAIN "OpControlBarrier %1 %3 %sixteen" END, "import-refused", "OpControlBarrier"},
  {"a function of fragments", MAIN "%at = OpAccessChain %into %x %0 %d = OpExtInst %double %glsl InterpolateAtCentroid %at" END,
   "import-invalid", "InterpolationFunction"},
  {"a line of the source", LINED "OpLine %file 12 3 OpControlBarrier %1 %3 %sixteen" END, "import-refused", ", a.comp:12: "},
  {"a line that ended", LINED "OpLine %file 12 3 OpNoLine OpControlBarrier %1 %3 %sixteen" END, "import-refused", " at word 58: "},
  {"a descriptor that an index chooses", HEAD "%many = OpTypeArray %block %3 %tom = OpTypePointer Uniform %many\n"
   "%xs = OpVariable %tom Uniform %pu = OpTypePointer Private %u %i = OpVariable %pu Private\n"
   "%main = OpFunction %void None %f %body = OpLabel %k = OpLoad %u %i %at = OpAccessChain %into %xs %k %0\n"
   "%d = OpLoad %double %at OpStore %at %d" END, "import-refused", "an index chooses its descriptor"},
  {"a pointer that an index chooses", POINTERS "%i = OpLoad %u %id\n" LOADED("c", "%0 %i") STORED("%c") END, "import-refused",
   "an index chooses its pointer"},
  {"a pointer that the shader changes", POINTERS "%at = OpAccessChain %bto %b %0\n" LOADED("c", "%1") "OpStore %at %c" END,
   "import-refused", "stored to memory that others may see"},
  {"a variable of two pointers", POINTERS LOADED("c", "%0 %0") LOADED("d", "%0 %1") "OpStore %var %c OpStore %var %d\n"
   "%e = OpLoad %to %var " STORED("%e") END, "import-refused", "several pointers in turn"},
  {"a variable without a pointer", POINTERS "%e = OpLoad %to %var " STORED("%e") END, "import-refused", "is not known"},
  {"a variable of two addresses", POINTERS NUMBER("c", "%0") NUMBER("d", "%1") FROM_NUMBER("e") END, "import-refused", "no member of a block"},
  {"a second address in a variable", POINTERS NUMBER("c", "%0") FROM_NUMBER("e") NUMBER("d", "%1") END, "import-refused",
   "several addresses in turn"},
  {"a workgroup of size 0", HEAD_OF("OpDecorate %s SpecId 7 OpDecorate %size BuiltIn WorkgroupSize\n")
   "%s = OpSpecConstant %u 0 %us = OpTypeVector %u 3 %size = OpSpecConstantComposite %us %s %1 %1\n"
   "%main = OpFunction %void None %f %body = OpLabel" END, "import-workgroup", "constant 7"},
  {"a choice of two pointers", POINTERS LOADED("c", "%0 %0") LOADED("d", "%1") "%yes = OpIEqual %bool %0 %1\n"
   "%e = OpSelect %to %yes %c %d " STORED("%e") END, "import-refused", "a choice among pointers"},
};

START_TEST(is_told) {
  const told *t = &cases[_i];
  kg_module *m = NULL;
  spv_binary binary = NULL;
  spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_3);
  kgt_last = (kgt_heard){0};
  ck_assert_int_eq(spvTextToBinary(context, t->text, strlen(t->text), &binary, NULL), SPV_SUCCESS);
  kg_status status = kg_spirv_import(NULL, "p.spv", binary->code, binary->wordCount * 4, NULL, &kgt_sink, &m);
  ck_assert_ptr_null(m);
  ck_assert_msg(status == KG_INVALID || status == KG_REFUSED, "status %d", (int)status);
  ck_assert_msg(!strcmp(kgt_last.id, t->id), "%s: %s", kgt_last.id, kgt_last.message);
  ck_assert_msg(strstr(kgt_last.message, t->part) != NULL, "%s", kgt_last.message);
  spvBinaryDestroy(binary);
  spvContextDestroy(context);
}
END_TEST

/* ---- what is known beforehand ---- */

#define SPECIAL HEAD_OF("OpExecutionMode %main LocalSize 4 1 1\nOpDecorate %k SpecId 7 OpDecorate %same SpecId 7\n") \
  "%k = OpSpecConstant %u 4 %same = OpSpecConstant %u 5\n%main = OpFunction %void None %f %body = OpLabel\n" \
  "%sum = OpIAdd %u %k %same %d = OpConvertUToF %double %sum\n%at = OpAccessChain %into %x %0 OpStore %at %d" END

typedef struct known { const char *name, *constant, *id; } known;
static const known facts[] = {
  {"by its SpecId, both that have it", "7=9", ""}, {"in hexadecimal", "7=0x9", ""}, {"another SpecId", "8=9", "fixed-unknown"},
  {"a SpecId and more", "7x=9", "fixed-unknown"},  {"a value that is none", "7=x", "fixed-value"}, {"too large a value", "7=4294967296", "fixed-value"},
  {"no value", "7", "fixed-form"},
};

START_TEST(is_known) {
  const known *t = &facts[_i];
  const kg_spirv_import_params params = {.grid = {2, 3, 1}, .facts = {.constants = &t->constant, .constant_count = 1}};
  kg_module *m = NULL;
  char *got = NULL;
  size_t size = 0;
  spv_binary binary = NULL;
  spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_3);
  kgt_last = (kgt_heard){0};
  ck_assert_int_eq(spvTextToBinary(context, SPECIAL, strlen(SPECIAL), &binary, NULL), SPV_SUCCESS);
  kg_status status = kg_spirv_import(NULL, "p.spv", binary->code, binary->wordCount * 4, &params, &kgt_sink, &m);
  spvBinaryDestroy(binary), spvContextDestroy(context);
  ck_assert_msg(!strcmp(kgt_last.id, t->id), "%s: %s", kgt_last.id, kgt_last.message);
  ck_assert_int_eq(status, *t->id ? KG_INVALID : KG_OK);
  if (*t->id) return;
  ck_assert_int_eq(kg_module_print(NULL, m, NULL, &got, &size), KG_OK);
  ck_assert_msg(strstr(got, "grid      2, 3\n") && strstr(got, "= 18.0") && !strstr(got, "const") && !strstr(got, "param"), "%s", got);
  kg_bytes_free(NULL, got, size + 1), kg_module_free(m);
}
END_TEST

/* ---- what SPIRV-Tools would refuse ---- */

#define PLAIN(decorated, remarks) \
  "OpMemoryModel Logical GLSL450 OpEntryPoint GLCompute %main \"main\"\n" \
  "OpExecutionMode %main LocalSize 4 1 1\n" decorated \
  "%void = OpTypeVoid %f = OpTypeFunction %void %u = OpTypeInt 32 0 %1 = OpConstant %u 1\n" remarks \
  "%main = OpFunction %void None %f %body = OpLabel %sum = OpIAdd %u %1 %1" END

typedef struct taken { const char *name, *text; } taken;
static const taken takes[] = {
  {"a header that states too little", "OpCapability Shader " PLAIN("OpDecorate %sum NoSignedWrap\n", "")},
  {"debug information of a pointer to no type that it has told of", "OpCapability Shader OpExtension \"SPV_KHR_non_semantic_info\"\n"
   "%set = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\" "
   PLAIN("OpName %p \"p\"\n", "%p = OpExtInst %void %set DebugTypePointer %u %1 %1\n")},
};

START_TEST(is_taken) {
  kg_module *m = NULL;
  spv_binary binary = NULL;
  spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_3);
  ck_assert_int_eq(spvTextToBinary(context, takes[_i].text, strlen(takes[_i].text), &binary, NULL), SPV_SUCCESS);
  ck_assert_uint_eq(binary->code[1], 0x10300);
  ck_assert_int_ne(spvValidateBinary(context, binary->code, binary->wordCount, NULL), SPV_SUCCESS);
  kgt_last = (kgt_heard){0};
  kg_status status = kg_spirv_import(NULL, "p.spv", binary->code, binary->wordCount * 4, NULL, &kgt_sink, &m);
  ck_assert_msg(status == KG_OK, "%s: %s", kgt_last.id, kgt_last.message);
  kg_module_free(m), spvBinaryDestroy(binary), spvContextDestroy(context);
}
END_TEST

/* Some axes of a grid, and nothing of the others. */
START_TEST(a_grid_of_nothing) {
  const kg_spirv_import_params params = {.grid = {4, 0, 1}};
  kg_module *m = NULL;
  kgt_last = (kgt_heard){0};
  ck_assert_int_eq(kg_spirv_import(NULL, "p.spv", "", 0, &params, &kgt_sink, &m), KG_INVALID);
  ck_assert_str_eq(kgt_last.id, "import-grid");
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(is_told, cases, name), KGT_TABLE(is_known, facts, name), KGT_TABLE(is_taken, takes, name),
                            KGT(a_grid_of_nothing)};
  return kgt_run("spirv/import_told", tests, KGT_COUNT(tests));
}
