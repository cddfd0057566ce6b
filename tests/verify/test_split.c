/* The gradient in two modules does what it does in one: every kernel that comes with kgrad, forward and adjoint one after the other,
 * bit for bit what the one module gives. Where a device adds floats in an order of its own, to within rounding. */
#include "tests/verify/forms_case.h"

/* Every entry names a buffer of the adjoint; what is kept is written by the one and read by the other. */
static void check_map(const kg_grad_map *map, const kg_module *forward, const kg_module *adjoint) {
  for (size_t n = 0; n < kg_grad_map_count(map); n++) {
    kg_grad_entry e = kg_grad_map_entry(map, n);
    uint32_t k = kg_module_find_buffer(adjoint, e.shadow), f = kg_module_find_buffer(forward, e.shadow);
    ck_assert_msg(k != UINT32_MAX, "no buffer %s", e.shadow);
    if (!e.kept) continue;
    ck_assert_uint_ne(f, UINT32_MAX);
    ck_assert_int_eq(kg_module_buffer(adjoint, k).mode, KG_READ);
    ck_assert_int_ne(kg_module_buffer(forward, f).mode, KG_READ);
    ck_assert_int_ne(kg_module_buffer(forward, f).mode, KG_TEMP);
  }
}

static bool same_on(const kgt_device *d, const char *file, const kg_module *combined, const kg_module *first, const kg_module *second) {
  loaded one = {0}, forward = {0}, adjoint = {0};
  load(&one, combined, NULL);
  load(&forward, first, NULL);
  kg_status status = execute(d, &one);
  if (status == KG_OK) {
    ck_assert_msg(execute(d, &forward) == KG_OK, "%s: forward: %s", file, kgt_last.message);
    load(&adjoint, second, &forward);
    ck_assert_msg(execute(d, &adjoint) == KG_OK, "%s: adjoint: %s", file, kgt_last.message);
    bool near = strcmp(d->info.id, "reference") != 0 && (adds_atomically(combined) || adds_atomically(second));
    compare_all(file, &one, &forward, &adjoint, near);
  }
  unload(&one), unload(&forward), unload(&adjoint);
  return status == KG_OK;
}

/* False: it is refused as one module, or the device cannot run it. */
static bool same_in_two(const kgt_device *d, const char *file) {
  kg_module *m = NULL, *combined = NULL, *forward = NULL, *adjoint = NULL;
  kg_grad_map *map = NULL;
  size_t size;
  char *text = kgt_read_source(file, &size);
  bool ran = false;
  if (kg_module_parse(NULL, file, text, size, &kgt_sink, &m) == KG_OK && kg_grad(m, NULL, &kgt_sink, &combined) == KG_OK) {
    kg_status status = kg_grad_split(m, NULL, &kgt_sink, &forward, &adjoint, &map);
    ck_assert_msg(status == KG_OK || status == KG_REFUSED, "%s: %s", file, kgt_last.message);
    if (status == KG_REFUSED) fprintf(stderr, "%s: %s\n", file, kgt_last.message);
    if (status == KG_OK) check_map(map, forward, adjoint), ran = same_on(d, file, combined, forward, adjoint);
  }
  kg_grad_map_free(map);
  kg_module_free(adjoint), kg_module_free(forward), kg_module_free(combined), kg_module_free(m);
  free(text);
  return ran;
}

/* The kernel promises what its buffers hold on entry: what it stores there may lie elsewhere, and the adjoint is given that. Of what it only
 * loads the promise holds on. */
START_TEST(what_is_overwritten_has_no_range) {
  static const char text[] = "program p { workgroup 1 grid 1 buffer s : i32[2] read_write in 1 .. 4 buffer t : i32[2] read in 1 .. 4\n"
    "buffer a : f32[2] read_write for i in s[0] .. s[1] { a[t[i] - 1] *= 2.0 } s[0] = 0 s[1] = 9 }";
  kg_module *m = NULL, *forward = NULL, *adjoint = NULL;
  ck_assert_int_eq(kg_module_parse(NULL, "t", text, strlen(text), &kgt_sink, &m), KG_OK);
  ck_assert_int_eq(kg_grad_split(m, NULL, &kgt_sink, &forward, &adjoint, NULL), KG_OK);
  uint32_t before = kg_module_find_buffer(forward, "s"), s = kg_module_find_buffer(adjoint, "s"), t = kg_module_find_buffer(adjoint, "t");
  ck_assert(kg_module_buffer(forward, before).ranged);
  ck_assert(s == UINT32_MAX || !kg_module_buffer(adjoint, s).ranged);
  ck_assert(t != UINT32_MAX && kg_module_buffer(adjoint, t).ranged);
  kg_module_free(adjoint), kg_module_free(forward), kg_module_free(m);
}
END_TEST

/* What no run uses is among them: a host passes what the kernel declares. */
START_TEST(declares_what_the_kernel_does) {
  static const char text[] = "module m { param n : u32 = 3 buffer x : f32[n] read buffer idle : f64[n] read_write\n"
    "buffer lost : f32[n] temp buffer y : f32[n] read_write program p { workgroup 4 grid invocations n param n : u32 buffer x : f32[n] read\n"
    "buffer y : f32[n] read_write let i = global_id.x if i < n { y[i] = y[i] * x[i] } } run p }";
  kg_module *m = NULL, *forward = NULL, *adjoint = NULL;
  ck_assert_int_eq(kg_module_parse(NULL, "t", text, strlen(text), &kgt_sink, &m), KG_OK);
  ck_assert_int_eq(kg_grad_split(m, NULL, &kgt_sink, &forward, &adjoint, NULL), KG_OK);
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++) {
    kg_buffer_info own = kg_module_buffer(m, i);
    uint32_t k = kg_module_find_buffer(forward, own.name);
    ck_assert_msg((k != UINT32_MAX) == (own.mode != KG_TEMP), "%s", own.name);
    if (k != UINT32_MAX) ck_assert_int_eq(kg_module_buffer(forward, k).mode, own.mode);
  }
  ck_assert_uint_gt(kg_module_buffer_count(forward), 3); /* and a tape */
  kg_module_free(adjoint), kg_module_free(forward), kg_module_free(m);
}
END_TEST

static const char *const folders[] = {"examples", "tests/kernels", "tests/gradients"};
static const int least[] = {10, 40, 60}; /* that are differentiated and run */

START_TEST(on_the_reference) { forms_all_on("reference", folders[_i], least[_i], same_in_two); }
END_TEST
START_TEST(on_vulkan) { forms_all_on("vulkan", folders[_i], least[_i], same_in_two); }
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(declares_what_the_kernel_does), KGT(what_is_overwritten_has_no_range), KGT_TEXTS(on_the_reference, folders), KGT_TEXTS(on_vulkan, folders)};
  return kgt_run("verify/split", tests, KGT_COUNT(tests));
}
