/* Gradients that texts ask loaders for. */
#include "tests/support/kgtest.h"

#include <kgrad/autodiff.h>

#include <string.h>

static bool files(void *user, const char *path, const char **text, size_t *size) {
  (void)user;
  *text = !strcmp(path, "a/k.kg") ? "program k { workgroup 1 grid 1 buffer x : f32[1] read buffer w : f32[1] read buffer y : f32[1] write "
                                    "y[0] = x[0] * w[0] }"
          : !strcmp(path, "n.kg") ? "module n { buffer x : f32[1] read buffer w : f32[1] read buffer y : f32[1] write use \"a/k.kg\" as k run k }"
          : !strcmp(path, "g.kg") ? "module g { buffer x : f32[1] read use gradient \"n.kg\" as k run k }"
                                  : NULL;
  return *text && (*size = strlen(*text), true);
}

static void count(void *user, const kg_diag *d) {
  (void)d;
  ++*(int *)user;
}

static const struct { const char *path; kg_status status; const char *has, *has_not; bool said; } rows[] = {
    {"gradient() a/k.kg", KG_OK, "grad_w", "grad_z", false},
    {"gradient(of=y) a/k.kg", KG_OK, "grad_w", "grad_z", false},
    {"gradient(of=y,wrt=x) a/k.kg", KG_OK, "grad_x", "grad_w", false},
    {"gradient(wrt=x,wrt=w) n.kg", KG_OK, "grad_w", "use", false},
    {"gradient(of=z) a/k.kg", KG_INVALID, NULL, NULL, true},
    {"gradient(of=) a/k.kg", KG_INVALID, NULL, NULL, true},
    {"gradient() g.kg", KG_INVALID, NULL, NULL, true},
    {"gradient() none.kg", KG_INVALID, NULL, NULL, false},
    {"gradient(y) a/k.kg", KG_INVALID, NULL, NULL, false},
    {"gradient(of=y a/k.kg", KG_INVALID, NULL, NULL, false},
    {"gradient()", KG_INVALID, NULL, NULL, false},
    {"gradient() ", KG_INVALID, NULL, NULL, false},
    {"gradient(", KG_INVALID, NULL, NULL, false},
    {"a/k.kg", KG_INVALID, NULL, NULL, false},
    {"", KG_INVALID, NULL, NULL, false},
};

START_TEST(loads) {
  int said = 0;
  char *text = NULL;
  size_t size = 0;
  kg_loader loader = {files, NULL};
  ck_assert_int_eq(kg_grad_load(NULL, rows[_i].path, &loader, &(kg_sink){count, &said}, &text, &size), rows[_i].status);
  ck_assert_int_eq(said > 0, rows[_i].said);
  ck_assert((text != NULL) == (rows[_i].status == KG_OK));
  if (!text) return;
  ck_assert_uint_eq(strlen(text), size);
  ck_assert_ptr_nonnull(strstr(text, rows[_i].has));
  ck_assert_ptr_null(strstr(text, rows[_i].has_not));
  kg_bytes_free(NULL, text, size + 1);
}
END_TEST

START_TEST(names_without_end) {
  char path[4000] = "gradient(";
  kg_loader loader = {files, NULL};
  char *text = NULL;
  size_t size;
  for (int i = 0; i < 80; i++) strcat(path, "of=y,");
  strcat(path, ") a/k.kg");
  ck_assert_int_eq(kg_grad_load(NULL, path, &loader, NULL, &text, &size), KG_INVALID);
  for (int i = 0; i < 300; i++) strcat(path, "path/");
  ck_assert_int_eq(kg_grad_load(NULL, path, &loader, NULL, &text, &size), KG_INVALID);
  ck_assert_ptr_null(text);
}
END_TEST

static kg_status load_again(const kg_allocator *alloc, void *data) {
  char *text = NULL;
  size_t size;
  kg_loader loader = {files, NULL};
  kg_status status = kg_grad_load(alloc, data, &loader, NULL, &text, &size);
  if (status == KG_OK) kg_bytes_free(alloc, text, size + 1);
  return status;
}

START_TEST(allocations) {
  char path[] = "gradient(of=y) n.kg";
  ck_assert_uint_gt(kgt_fail_each_allocation(load_again, path), 20);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(loads, rows, path), KGT(names_without_end), KGT(allocations)};
  return kgt_run("autodiff/load", tests, KGT_COUNT(tests));
}
