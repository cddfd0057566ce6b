/* SPIRV-Tools out of memory: at whichever request it happens, the call that led to it says so, and nothing is thrown through C. */
#include "tests/support/devices.h"
#include "tests/support/failing_new.h"

#include <kgrad/spirv.h>

static kg_module *m;
static uint32_t *words;
static size_t count;

static void set_up(void) {
  m = kgt_parse("program p { workgroup 4 grid 1 buffer x : f32[4] read_write x[global_id.x] = 2.0 * x[global_id.x] }");
  ck_assert_int_eq(kg_spirv_emit(NULL, m, &(kg_spirv_params){0}, &kgt_sink, &words, &count), KG_OK);
}

static void tear_down(void) {
  kg_bytes_free(NULL, words, count * sizeof *words);
  kg_module_free(m);
}

static kg_status emit(void) {
  uint32_t *made = NULL;
  size_t size = 0;
  kg_status status = kg_spirv_emit(NULL, m, &(kg_spirv_params){0}, &kgt_sink, &made, &size);
  if (status == KG_OK) kg_bytes_free(NULL, made, size * sizeof *made);
  return status;
}

static kg_status disassemble(void) {
  char *text = NULL;
  size_t size = 0;
  kg_status status = kg_spirv_disassemble(NULL, words, count, &kgt_sink, &text, &size);
  if (status == KG_OK) kg_bytes_free(NULL, text, size + 1);
  return status;
}

static const struct { const char *name; kg_status (*attempt)(void); } attempts[] = {{"emit", emit}, {"disassemble", disassemble}};

START_TEST(memory_runs_out) {
  kg_status status = KG_NO_MEMORY;
  long requests = 0;
  set_up();
  for (; status != KG_OK; requests++) {
    kgt_last.count = 0;
    kgt_new_grants = requests;
    status = attempts[_i].attempt();
    kgt_new_grants = -1;
    if (status == KG_OK) break;
    ck_assert_msg(status == KG_NO_MEMORY, "request %ld: %s: %s", requests, kg_status_name(status), kgt_last.message);
    ck_assert_int_eq(kgt_last.count, 1);
    ck_assert_str_eq(kgt_last.id, "no-memory");
  }
  ck_assert_int_gt(requests, 20);
  tear_down();
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(memory_runs_out, attempts, name)};
  return kgt_run("spirv/exhausted", tests, KGT_COUNT(tests));
}
