/* What the CPU device gives its kernels, and what it makes of what they leave: with kernels that are written by hand, in place of what
 * room c makes of the module. */
#include "driver/cpu/cpu.h"
#include "tests/support/devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In place of c/emit.c. */
static const char *emitted;

kg_status kg_c_emit(const kg_allocator *alloc, const kg_module *m, const kg_c_params *params, const kg_sink *sink, char **text,
                    size_t *size) {
  static const char prelude[] =
    "#include <stdint.h>\n#include <stddef.h>\n"
    "struct kg_status { uint32_t count, first, program, fault; };\n"
    "struct kg_args { void *const *buffer; const uint32_t *length; const uint64_t *param; uint32_t groups[3];\n"
    "                 struct kg_status *status; void *const *own; uint64_t budget; };\n"
    "#define KERNEL(k) void kg_kernel_##k(const struct kg_args *a, uint32_t first, uint32_t end)\n";
  (void)m, (void)sink;
  ck_assert(params->kernels_only);
  *size = sizeof prelude - 1 + strlen(emitted);
  *text = kgi_alloc(alloc, *size + 1);
  if (!*text) return KG_NO_MEMORY;
  snprintf(*text, *size + 1, "%s%s", prelude, emitted);
  return KG_OK;
}

kg_status kgi_c_emit_together(const kg_allocator *alloc, const kg_module *const *module, uint32_t count, const kg_sink *sink,
                              char **text, size_t *size) {
  (void)alloc, (void)module, (void)count, (void)sink, (void)text, (void)size;
  return KG_REFUSED;
}

static kgt_device open_cpu(void) {
  char folder[300];
  snprintf(folder, sizeof folder, "%s/cache", kgt_temp_dir());
  setenv("KGRAD_CACHE", folder, 1);
  setenv("CC", "gcc", 1);
  return kgt_open("cpu");
}

static void close_cpu(kgt_device *d) {
  char command[300];
  kgt_close(d);
  snprintf(command, sizeof command, "rm -rf '%s'/*", kgt_temp_dir());
  ck_assert_int_eq(system(command), 0);
}

static kg_status run(const kgt_device *d, const char *kernel, const char *c, const double *params, void *const *data,
                     const uint64_t *lengths) {
  kg_module *m = kgt_parse(kernel);
  emitted = c;
  kg_status status = kgt_run_module(d, m, params, data, lengths);
  kg_module_free(m);
  return status;
}

static void run_fine(const kgt_device *d, const char *kernel, const char *c, const double *params, void *const *data) {
  ck_assert_msg(run(d, kernel, c, params, data, NULL) == KG_OK, "%s: %s", kgt_last.id, kgt_last.message);
}

/* ---- what kernels are given ---- */

START_TEST(arguments) {
  kgt_device d = open_cpu();
  uint32_t y[12] = {0};
  float x[5] = {1, 2, 3, 4, 5};
  const char *text = "program p { workgroup 4 grid 3, 2, 5 param n : u32 param s : f32 = 0.5 buffer x : f32[n] read\n"
                     "buffer y : u32[12] write y[0] = u32(x[0] * s) }";
  run_fine(&d, text,
           "KERNEL(1) { uint32_t *y = a->buffer[1]; const float *x = a->buffer[0]; float s; uint32_t b = (uint32_t)a->param[1];\n"
           "  __builtin_memcpy(&s, &b, 4); y[0] = a->length[0]; y[1] = a->length[1]; y[2] = (uint32_t)a->param[0];\n"
           "  y[3] = (uint32_t)(s * 100); for (int k = 0; k < 3; k++) y[4 + k] = a->groups[k]; y[7] = (uint32_t)x[4];\n"
           "  y[8] = a->budget > 1000000; y[9] = (uint32_t)((uintptr_t)x % 64 + (uintptr_t)y % 64);\n"
           "  __atomic_fetch_add(&y[10], end - first, __ATOMIC_RELAXED); y[11] = (uint32_t)(a->param[1] >> 32); }\n",
           (const double[]){5, 0.25}, (void *[]){x, y});
  const uint32_t expected[] = {5, 12, 5, 25, 3, 2, 5, 5, 1, 0, 30, 0};
  for (int i = 0; i < 12; i++) ck_assert_uint_eq(y[i], expected[i]);
  close_cpu(&d);
}
END_TEST

/* Runs of one module see what those before them wrote; a slice begins at its first element. */
START_TEST(slices_in_order) {
  kgt_device d = open_cpu();
  uint32_t a[12] = {1};
  const char *text = "module m { buffer a : u32[12] read_write\n"
                     "program p { workgroup 1 grid 1 buffer r : u32[1] read buffer s : u32[1] write s[0] = r[0] + 1 }\n"
                     "repeat k in 0 .. 11 { run p(r = a[k .. k + 1], s = a[k + 1 .. k + 2]) } }";
  run_fine(&d, text, "KERNEL(1) { (void)first, (void)end; *(uint32_t *)a->buffer[1] = *(uint32_t *)a->buffer[0] + a->length[1]; }\n", NULL,
           (void *[]){a});
  for (uint32_t i = 0; i < 12; i++) ck_assert_uint_eq(a[i], i + 1);
  close_cpu(&d);
}
END_TEST

/* Two views of one binding: both begin at its first byte. */
START_TEST(views_share_their_block) {
  kgt_device d = open_cpu();
  uint32_t all[8] = {10, 11, 12, 13, 14, 15, 16, 17}, odd[4] = {0}, y[4] = {0};
  const char *text = "program p { workgroup 4 grid 1 buffer all : u32[8] read_write view(set 0, binding 0, offset 0, stride 4)\n"
                     "buffer odd : u32[4] write view(set 0, binding 0, offset 4, stride 8) buffer y : u32[4] write\n"
                     "let i = local_id.x odd[i] = 7 y[i] = all[i] }";
  run_fine(&d, text,
           "KERNEL(1) { (void)first, (void)end; char *all = a->buffer[0], *odd = a->buffer[1]; uint32_t *y = a->buffer[2];\n"
           "  for (int i = 0; i < 4; i++) *(uint32_t *)(odd + 4 + 8 * i) = 7 + (all != odd); for (int i = 0; i < 4; i++) y[i] = ((uint32_t *)all)[i]; }\n",
           NULL, (void *[]){all, odd, y});
  const uint32_t after[] = {10, 7, 12, 7, 14, 7, 16, 7};
  for (int i = 0; i < 8; i++) ck_assert_uint_eq(all[i], after[i]);
  for (int i = 0; i < 4; i++) {
    ck_assert_uint_eq(odd[i], 7);
    ck_assert_uint_eq(y[i], after[i]);
  }
  close_cpu(&d);
}
END_TEST

/* As many as are kept, and more. */
static const double trips[] = {0, 1, 1000, 65536, 65537, 300000};

START_TEST(many_runs) {
  kgt_device d = open_cpu();
  uint32_t y[2] = {5, 0};
  const char *text = "module m { param n : u32 buffer y : u32[2] read_write\n"
                     "program p { workgroup 1 grid 2 param k : u32 buffer y : u32[2] read_write y[0] += k y[1] += 1 }\n"
                     "repeat k in 0 .. n { run p(k = k, y = y) } }";
  run_fine(&d, text,
           "KERNEL(1) { uint32_t *y = a->buffer[0]; for (uint32_t g = first; g < end; g++) if (g) { y[0] += (uint32_t)a->param[0]; y[1]++; } }\n",
           &trips[_i], (void *[]){y});
  uint32_t n = (uint32_t)trips[_i], sum = 0;
  for (uint32_t k = 0; k < n; k++) sum += k;
  ck_assert_uint_eq(y[0], 5 + sum);
  ck_assert_uint_eq(y[1], n);
  close_cpu(&d);
}
END_TEST

START_TEST(executed_again) {
  kgt_device d = open_cpu();
  kg_executable *exe;
  float x[1000], y[1000];
  for (int i = 0; i < 1000; i++) x[i] = (float)i;
  kg_module *m = kgt_parse("program p { workgroup 1 grid 1000 buffer x : f32[1000] read buffer y : f32[1000] read_write\n"
                           "y[workgroup_id.x] += x[workgroup_id.x] }");
  emitted = "KERNEL(1) { const float *x = a->buffer[0]; float *y = a->buffer[1]; for (uint32_t i = first; i < end; i++) y[i] += x[i]; }\n";
  const kg_binding bindings[] = {{"x", x, 1000}, {"y", memset(y, 0, sizeof y), 1000}};
  ck_assert_int_eq(kg_executable_new_bound(d.device, m, bindings, 2, NULL, &kgt_sink, &exe), KG_OK);
  for (int k = 1; k <= 50; k++) {
    ck_assert_int_eq(kg_execute(exe, &kgt_sink), KG_OK);
    ck_assert_int_eq(kg_buffer_read(kg_executable_find(exe, "y"), 0, y, sizeof y, &kgt_sink), KG_OK);
    for (int i = 0; i < 1000; i++) ck_assert_float_eq(y[i], (float)(i * k));
  }
  kg_executable_free(exe);
  kg_module_free(m);
  close_cpu(&d);
}
END_TEST

/* ---- what they leave ---- */

/* The instruction of that kind in the module's only program. */
static uint32_t find_inst(const kg_module *m, kgi_kind kind) {
  const kgi_program *p = m->program[1];
  uint32_t i = 1;
  while (i < p->inst_count && p->inst[i].kind != kind) i++;
  return i;
}

typedef struct failing { const char *id, *part, *text; kgi_kind kind; kgi_c_fault fault; uint32_t line; } failing;
static const failing failures[] = {
  {"assert-failed", "no fives", "program p { workgroup 4 grid 2\nbuffer y : f32[8] write\nlet i = global_id.x\nassert i != 5 \"no fives\"\ny[i] = 1.0 }",
   KGI_check, KGI_C_ASSERT, 4},
  {"loop-limit", "3 invocations", "program p { workgroup 1 grid 1\nbuffer y : f32[8] read_write\nwhile y[0] == 0.0 limit 7 { y[1] = 1.0 }\ny[1] = 2.0 }",
   KGI_while, KGI_C_LIMIT, 3},
  {"loop-budget", "loops of p were ended in 3", "program p { workgroup 1 grid 1\nbuffer y : f32[8] read_write\nwhile y[0] == 0.0 { y[1] = 1.0 } }",
   KGI_while, KGI_C_BUDGET, 3},
};

START_TEST(failures_are_told) {
  const failing *f = &failures[_i];
  kgt_device d = open_cpu();
  kg_module *m = kgt_parse(f->text);
  char text[600];
  float y[8] = {0};
  snprintf(text, sizeof text,
           "KERNEL(1) { (void)end; if (first) return; float *y = a->buffer[0]; struct kg_status *s = a->status; y[1] = 3 + (float)s->count;\n"
           "  s->count = 3; s->first = %u; s->program = 1; s->fault = %u; }\n", 1 + find_inst(m, f->kind), f->fault);
  emitted = text;
  for (int again = 0; again < 2; again++) {
    ck_assert_int_eq(kgt_run_module(&d, m, NULL, (void *[]){y}, NULL), KG_FAILED);
    ck_assert_str_eq(kgt_last.id, f->id);
    ck_assert_msg(strstr(kgt_last.message, f->part) != NULL, "%s", kgt_last.message);
    ck_assert_uint_eq(kgt_last.line, f->line);
    ck_assert_float_eq(y[1], 3); /* what was written is there, and the status was clear */
  }
  kg_module_free(m);
  close_cpu(&d);
}
END_TEST

/* ---- refused before anything runs ---- */

typedef struct refused { const char *id, *part, *text, *c; } refused;
static const refused refusals[] = {
  {"device-limit", "invocations in a workgroup", "program p { workgroup 64, 64 grid 1 buffer y : f32[4] write y[0] = 1.0 }", ""},
  {"device-limit", "workgroups together", "program p { workgroup 1 grid 65536, 65536 buffer y : f32[4] write y[0] = 1.0 }", "KERNEL(1) {}\n"},
  {"device-limit", "bytes of shared memory",
   "program p { workgroup 1 grid 1 buffer y : f32[4] write shared s : f32[262145] s[0] = 1.0 barrier y[0] = s[0] }", ""},
  {"device-limit", "bytes of stack", "program p { workgroup 1 grid 1 buffer y : f32[4] write y[0] = 1.0 }",
   "KERNEL(1) { volatile char x[40 << 20]; x[first] = x[end] = 1; (void)a; }\n"},
  {"kernels-not-loaded", "p", "program p { workgroup 1 grid 1 buffer y : f32[4] write y[0] = 1.0 }", "KERNEL(2) {}\n"},
  {"compile-failed", "error", "program p { workgroup 1 grid 1 buffer y : f32[4] write y[0] = 1.0 }", "KERNEL(1) { nothing; }\n"},
};

START_TEST(refused_with_a_reason) {
  const refused *r = &refusals[_i];
  kgt_device d = open_cpu();
  ck_assert_int_eq(run(&d, r->text, r->c, NULL, (void *[]){NULL}, NULL), KG_REFUSED);
  ck_assert_str_eq(kgt_last.id, r->id);
  ck_assert_msg(strstr(kgt_last.message, r->part) != NULL, "%s", kgt_last.message);
  close_cpu(&d);
}
END_TEST

/* No allocation that fails leaves anything behind. */
static kg_status run_once(const kg_allocator *alloc, void *user) {
  kg_context *c = NULL;
  kg_device *d = NULL;
  float x[300] = {0};
  const kg_binding bindings[] = {{"y", x, 300}};
  kg_status status = kg_context_new(alloc, NULL, &kgt_sink, &c);
  if (status == KG_OK) status = kg_device_open(c, "cpu", &kgt_sink, &d);
  if (status == KG_OK) status = kg_run_bound(d, user, bindings, 1, NULL, &kgt_sink, NULL);
  kg_device_free(d);
  kg_context_free(c);
  return status;
}

START_TEST(no_memory) {
  kgt_device d = open_cpu();
  setenv("VK_DRIVER_FILES", "/nowhere.json", 1), setenv("VK_ICD_FILENAMES", "/nowhere.json", 1);
  unsetenv("KGRAD_VALIDATE");
  kg_module *m = kgt_parse("program p { workgroup 1 grid 300 buffer y : f32[300] write y[workgroup_id.x] = 1.0 }");
  emitted = "KERNEL(1) { float *y = a->buffer[0]; for (uint32_t i = first; i < end; i++) y[i] = 1; }\n";
  ck_assert_uint_gt(kgt_fail_each_allocation(run_once, m), 5);
  kg_module_free(m);
  close_cpu(&d);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT(arguments), KGT(slices_in_order), KGT(views_share_their_block), KGT_TIMES(many_runs, KGT_COUNT(trips)), KGT(executed_again),
    KGT_TABLE(failures_are_told, failures, id), KGT_TABLE(refused_with_a_reason, refusals, part), KGT(no_memory),
  };
  return kgt_run("driver/cpu_run", tests, KGT_COUNT(tests));
}
