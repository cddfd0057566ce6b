/* Distinctness of many accesses at once: what is said of all, and of each, holds at any number of them. */
#include "tests/foundation/distinct_case.h"

/* `%u` stands for the number of the access, `N` for how many there are. `stray` is put behind them. */
typedef struct many { const char *name, *length, *before, *access, *stray; unsigned own, own_with_stray; } many;
static const many crowds[] = {
  {"a window", "n + N", "let i = global_id.x", "y[i + %u] += 1.0 ", "", NO, NO},
  {"rows of an invocation", "n * N", "let i = global_id.x if i >= n { return }", "y[i * N + %u] += 1.0 ", "y[i] = 1.0", OWN, NO},
  {"every third", "3 * n * N", "let i = global_id.x if i >= n { return }", "y[3 * (i * N + %u) + 1] += 1.0 ", "y[3 * i] = 1.0", OWN, OWN},
  {"planes", "100 * N", "let i = global_id.x if i >= 100 { return }", "y[i + 100 * %u] += 1.0 ", "y[99 - i] = 1.0", OWN, NO},
  {"planes that overlap by one", "100 * N", "let i = global_id.x if i > 100 { return }", "y[i + 100 * %u] += 1.0 ", "", NO, NO},
  {"backwards", "n * N", "let i = global_id.x if i >= n { return }", "y[i * N + (N - 1 - %u)] += 1.0 ", "", OWN, OWN},
  {"the workgroup's", "n * N", "let i = workgroup_id.x if i >= n { return }", "y[i * N + %u] += 1.0 ", "", ACROSS, ACROSS},
};

/* Where every access is a family of its own, what is not compared is not claimed. */
static const many apart[] = {
  {"under conditions of their own, a window", "n + N", "let i = global_id.x", "if x[%u] > 0.0 { y[i + %u] = 1.0 } ", "", NO, NO},
  {"under conditions of their own, own elements", "n", "let i = global_id.x", "if x[%u] > 0.0 { y[i + 0 * %u] = 1.0 } ", "", OWN, OWN},
};

static void append(char **at, const char *text, unsigned k, unsigned n) {
  for (; *text; text++) {
    if (text[0] == '%' && text[1] == 'u') *at += sprintf(*at, "%u", k), text++;
    else if (*text == 'N') *at += sprintf(*at, "%u", n);
    else *(*at)++ = *text;
  }
  **at = 0;
}

static unsigned ask_many(const many *r, unsigned n, bool stray, unsigned *least, unsigned *most) {
  static char body[1 << 20];
  char length[64], *at = body, *at_length = length;
  append(&at, r->before, 0, n), append(&at, " ", 0, n), append(&at_length, r->length, 0, n);
  for (unsigned k = 0; k < n; k++) append(&at, r->access, k, n);
  append(&at, stray ? r->stray : "", 0, n);
  row as_row = {r->name, "grid invocations n", length, body, 0};
  uint8_t *each = calloc(8 * n + 8, 1);
  uint32_t count;
  unsigned own = ask(&as_row, false, each, &count);
  *least = OWN, *most = 0;
  for (uint32_t k = 0; k < count; k++) *least &= each[k], *most |= each[k];
  free(each);
  return own;
}

static const unsigned sizes[] = {1, 2, 63, 64, 65, 200, 1500};
enum { SIZES = sizeof sizes / sizeof *sizes };

START_TEST(many_accesses) {
  const many *r = &crowds[_i / SIZES];
  unsigned n = sizes[_i % SIZES], least, most, wanted = n == 1 && r->own != ACROSS ? OWN : r->own; /* one overlaps none */
  ck_assert_msg(ask_many(r, n, false, &least, &most) == wanted, "%s of %u", r->name, n);
  ck_assert_msg(least == wanted && most == wanted, "%s of %u: %u %u", r->name, n, least, most);
  if (n > 1) ck_assert_msg(ask_many(r, n, true, &least, &most) == r->own_with_stray && least == r->own_with_stray, "%s of %u and one", r->name, n);
} END_TEST

/* Right with as many comparisons as there are, and with fewer. */
START_TEST(many_families) {
  const many *r = &apart[_i / SIZES];
  unsigned n = sizes[_i % SIZES], least, most, own = ask_many(r, n, false, &least, &most), wanted = n == 1 ? OWN : r->own;
  ck_assert_msg(own == least, "%s of %u: %u, and %u of one", r->name, n, own, least);
  ck_assert_msg(n <= 65 ? own == wanted && most == wanted : !(most & ~wanted), "%s of %u: %u %u", r->name, n, own, most);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_CROSS(many_accesses, crowds, name, SIZES), KGT_CROSS(many_families, apart, name, SIZES)};
  return kgt_run("foundation/distinct_many", tests, KGT_COUNT(tests));
}
