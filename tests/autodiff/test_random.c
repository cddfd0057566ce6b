/* Random programs, made from a seed so that they are free of races and stay in ranges where results mean something: gradients
 * against duals, entry by entry. None is refused. More with KGT_RANDOM=first:count in the environment. */
#include "tests/autodiff/autodiff_case.h"

#include <stdarg.h>

enum { LANES = 4, TEXT = 1 << 16 };

typedef struct maker {
  uint64_t seed;
  char text[TEXT];
  size_t used;
  int values[40], value_count; /* lets in scope, by number */
  int vars[20], var_count;
  int loops[8], loop_count;
  int next, depth, statements;
  bool uniform; /* all invocations are here together */
  bool module;  /* a second run follows, so that the first one's adjoint is a program of its own */
  bool in_place; /* s is stored to */
  bool arrays;
} maker;

static void put(maker *m, const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (m->used < TEXT - 400) m->used += (size_t)vsnprintf(m->text + m->used, TEXT - m->used, format, args);
  va_end(args);
}

static unsigned pick(maker *m, unsigned n) { return kgi_random_below(&m->seed, n); }

static void integer(maker *m) {
  if (m->loop_count && pick(m, 2)) put(m, "j%d", m->loops[pick(m, (unsigned)m->loop_count)]);
  else put(m, "%u", pick(m, 6));
}

static void expression(maker *m, int depth);

static void condition(maker *m, int depth) {
  static const char *const tests[] = {"<", ">", "<=", ">="};
  if (m->loop_count && pick(m, 3) == 0) {
    unsigned phase = pick(m, 3), of = pick(m, (unsigned)m->loop_count);
    put(m, "(j%d + %u) %% 3 == 1", m->loops[of], phase);
    return;
  }
  expression(m, depth - 1);
  put(m, " %s ", tests[pick(m, 4)]);
  expression(m, depth - 1);
}

static void leaf(maker *m) {
  switch (pick(m, 11)) {
  case 9: {
    static const char *const indices[] = {"i / 2", "(2 * i) % n", "min(i + 1, n - 1)", "workgroup_id.x * 4", "workgroup_id.x * 4 + lane",
                                          "n - 1 - i", "workgroup_id.x * 4 + (lane + 1) % 4", "lane", "clamp(i32(i) - 1, 0, i32(n) - 1)"};
    put(m, "x[%s]", indices[pick(m, 9)]);
    break;
  }
  case 0: put(m, "%.2f", kgi_random_between(&m->seed, -1, 1)); break;
  case 1: put(m, "x[i]"); break;
  case 2: put(m, "x[(i + %u) %% n]", pick(m, 6)); break;
  case 3: put(m, "w["), integer(m), put(m, " %% 3]"); break;
  case 4: put(m, "s[i]"); break;
  case 5:
    if (m->arrays) put(m, "a["), integer(m), put(m, " %% 3]");
    else put(m, "scale");
    break;
  case 6:
    if (m->value_count) put(m, "t%d", m->values[pick(m, (unsigned)m->value_count)]);
    else put(m, "x[i]");
    break;
  default:
    if (m->var_count) put(m, "v%d", m->vars[pick(m, (unsigned)m->var_count)]);
    else put(m, "w[1]");
  }
}

static void call(maker *m, const char *before, int depth, const char *between, const char *after) {
  put(m, "%s", before);
  expression(m, depth - 1);
  if (between) put(m, "%s", between), expression(m, depth - 1);
  put(m, "%s", after);
}

static void expression(maker *m, int depth) {
  if (depth <= 0) {
    leaf(m);
    return;
  }
  switch (pick(m, 16)) {
  case 0: case 1: call(m, "(", depth, " + ", ")"); break;
  case 2: call(m, "(", depth, " - ", ")"); break;
  case 3: case 4: case 5: call(m, "(", depth, " * ", ")"); break;
  case 6: call(m, "(", depth, " / (1.5 + tanh(", ")))"); break;
  case 7: call(m, "sin(", depth, NULL, ")"); break;
  case 8: call(m, "tanh(", depth, NULL, ")"); break;
  case 9: call(m, "exp(cos(", depth, NULL, "))"); break;
  case 10: call(m, "max(", depth, ", ", ")"); break;
  case 11: call(m, "min(", depth, ", ", " - 0.3)"); break;
  case 12: put(m, "select("), condition(m, depth), call(m, ", ", depth, ", ", ")"); break;
  case 13: call(m, "abs(", depth, " + 0.01 * ", ")"); break;
  case 14: call(m, "stop_gradient(", depth, NULL, ")"); break;
  default: leaf(m);
  }
}

static void block(maker *m, int statements);

static void assignment(maker *m) {
  int var = m->vars[pick(m, (unsigned)m->var_count)];
  put(m, "v%d = ", var);
  if (pick(m, 2)) put(m, "v%d + ", var);
  else if (pick(m, 2)) put(m, "0.7 * v%d + ", var);
  if (pick(m, 3) == 0) call(m, "tanh(", 3, NULL, ")");
  else put(m, "0.3 * "), call(m, "sin(", 3, NULL, ")");
  put(m, "\n");
}

static void branch(maker *m) {
  bool uniform = m->uniform;
  m->uniform = false;
  put(m, "if "), condition(m, 2), put(m, " {\n"), block(m, 3), put(m, "}");
  if (pick(m, 2)) put(m, " else {\n"), block(m, 3), put(m, "}");
  put(m, "\n");
  m->uniform = uniform;
}

static void loop(maker *m) {
  int index = m->next++;
  if (m->loop_count >= 3) return;
  bool uniform = m->uniform;
  unsigned form = pick(m, 4);
  if (form == 0) put(m, "for j%d in 0 .. n reversed {\n", index);
  else if (form == 1) put(m, "for j%d in 0 .. i %% 3 {\n", index), m->uniform = false;
  else {
    unsigned step = 1 + pick(m, 2), to = pick(m, 7), from = pick(m, 3);
    put(m, "for j%d in u32(%u) .. %u step %u {\n", index, from, to, step);
  }
  m->loops[m->loop_count++] = index;
  if (pick(m, 4) == 0) put(m, "if "), condition(m, 1), put(m, " { continue }\n"), m->uniform = false;
  block(m, 3);
  m->loop_count--;
  put(m, "}\n");
  m->uniform = uniform;
}

/* Shared memory, written and read in phases that barriers part. */
static void phase(maker *m) {
  put(m, "part[lane] = "), expression(m, 2), put(m, "\nbarrier\n");
  unsigned at = pick(m, 4), shift = pick(m, 4);
  put(m, "let t%d = part[(lane + %u) %% 4] * part[%u]\nbarrier\n", m->next, shift, at);
  if (m->value_count < 40) m->values[m->value_count++] = m->next;
  m->next++;
}

static void statement(maker *m) {
  m->statements++;
  switch (pick(m, 13)) {
  case 0: case 1:
    put(m, "let t%d = ", m->next), expression(m, 3), put(m, "\n");
    if (m->value_count < 40) m->values[m->value_count++] = m->next;
    m->next++;
    break;
  case 2:
    put(m, "var v%d = ", m->next), expression(m, 2), put(m, "\n");
    if (m->var_count < 20) m->vars[m->var_count++] = m->next;
    m->next++;
    break;
  case 3: case 4: case 5:
    if (m->var_count) assignment(m);
    break;
  case 6: case 7:
    if (!m->in_place) break;
    if (pick(m, 2)) put(m, "s[i] = "), call(m, "tanh(", 2, NULL, ")\n");
    else put(m, "s[i] = s[i] * 0.5 + "), expression(m, 2), put(m, "\n");
    break;
  case 8: put(m, "atomic_add(loss[%u], 0.1 * ", pick(m, 2)), expression(m, 2), put(m, ")\n"); break;
  case 9:
    if (m->arrays) put(m, "a["), integer(m), put(m, " %% 3] = "), expression(m, 2), put(m, "\n");
    break;
  case 10:
    if (m->uniform) phase(m);
    break;
  case 11:
    if (m->depth < 3) branch(m);
    break;
  default:
    if (m->depth < 3) loop(m);
  }
}

static void block(maker *m, int statements) {
  int values = m->value_count, vars = m->var_count;
  m->depth++;
  for (int k = 1 + (int)pick(m, (unsigned)statements); k > 0 && m->statements < 60; k--) statement(m);
  m->depth--;
  m->value_count = values, m->var_count = vars;
}

static void begin(maker *m, unsigned n) {
  m->module = pick(m, 2) != 0;
  m->in_place = !m->module || pick(m, 4) == 0;
  if (m->module) {
    put(m, "module m { param n : u32 = %u param scale : f32 = 0.8\n", n);
    put(m, "buffer x : f32[n] read buffer w : f32[3] read buffer s : f32[n] read_write buffer loss : f32[2] read_write\n");
    put(m, "buffer y : f32[n] temp buffer z : f32[n] write\n");
  }
  put(m, "program p { workgroup 4 grid invocations n param n : u32 = %u param scale : f32 = 0.8\n", n);
}

static void end(maker *m) {
  if (!m->module) return;
  put(m, "program q { workgroup 4 grid invocations n param n : u32 buffer y : f32[n] read buffer z : f32[n] write\n");
  put(m, "let i = global_id.x if i < n { z[i] = y[i] * y[(i + 1) %% n] } }\n");
  put(m, "run p(x = x, w = w, s = s, y = y, loss = loss, n = n, scale = scale) run q(y = y, z = z, n = n) }\n");
}

static void make(maker *m, uint32_t seed) {
  *m = (maker){.seed = seed, .uniform = true, .depth = -1};
  bool guarded = pick(m, 2) != 0;
  begin(m, guarded ? 5 + pick(m, 6) : 8);
  put(m, "buffer x : f32[n] read buffer w : f32[3] read buffer s : f32[n] read_write buffer y : f32[n] write\n");
  put(m, "buffer loss : f32[2] read_write shared part : f32[4]\nlet i = global_id.x let lane = local_id.x\n");
  if (guarded && pick(m, 2)) put(m, "if i >= n { return }\n"), m->uniform = false, guarded = false;
  else if (guarded) put(m, "if i < n {\n"), m->uniform = false;
  m->arrays = pick(m, 2) != 0;
  if (m->arrays) put(m, "var a : f32[3]\nfor j in u32(0) .. 3 { a[j] = 0.1 * x[i] * f32(j) }\n");
  put(m, "var v9 = x[i]\n");
  m->vars[m->var_count++] = 9, m->next = 10;
  for (int k = 3 + (int)pick(m, 6); k > 0; k--) statement(m);
  put(m, "y[i] = "), expression(m, 3), put(m, " + v9\n%s}\n", guarded ? "}" : "");
  end(m);
}

/* None is refused. */
static void try_seed(uint32_t seed) {
  static maker m;
  make(&m, seed);
  const char *wrt[] = {"x", "w", "s", "loss", "scale"};
  adt_case c = {.seed = seed + 1, .label = m.text, .params = {.accumulate = seed % 2, .wrt = wrt, .wrt_count = 5}};
  adt_prepare(&c, m.text, NULL);
  adt_verify(&c);
  adt_free(&c);
}

enum { GROUPS = 10, EACH = 30 };

START_TEST(random_programs) {
  uint32_t first = (uint32_t)_i * EACH, count = EACH;
  const char *more = getenv("KGT_RANDOM");
  if (more && sscanf(more, "%u:%u", &first, &count) == 2) first += (uint32_t)_i * count;
  for (uint32_t seed = first; seed < first + count; seed++) try_seed(seed);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TIMES(random_programs, GROUPS)};
  return kgt_run("autodiff/random", tests, KGT_COUNT(tests));
}
