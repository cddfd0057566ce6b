/* Checkpoints wherever one may stand: in loops of any kind, in branches, in one another; around loops, exits, barriers, arrays and vars
 * that are overwritten before and behind. Held against duals, and against the same kernel whose regions are no checkpoints: both
 * give the same bits, on the reference and on a device. */
#include "tests/autodiff/autodiff_case.h"
#include "tests/support/devices.h"

#define HEAD(k) HEAD_OF(8, k)
#define ONE(k) HEAD_OF(4, k) /* workgroup: what its invocations add up in shared memory comes in one order */
#define HEAD_OF(n, k) "program p { workgroup 4 grid invocations n param n : u32 = " #n " param k : u32 = " #k " const C = 7\n" \
                "buffer x : f32[n] read buffer y : f32[n] write buffer z : f32[n] read_write buffer idx : u32[n] read in 0 .. n\n" \
                "shared s : f32[4] shared q : f32[2, 4] let i = global_id.x let l = local_id.x\n"

static const char *const kernels[] = {
  /* alone; first and last; around nothing; around all */
  HEAD(3) "var h = x[i] region checkpoint a { h = sin(h) * h h = exp(h * 0.5) } y[i] = h * h }",
  HEAD(3) "region checkpoint a { let t = x[i] y[i] = sin(t) * t }  }",
  HEAD(3) "var h = x[i] region checkpoint a { } h = h * h region checkpoint b { h = sin(h) * h } region checkpoint c { h = cos(h) * h }"
          " y[i] = h }",
  HEAD(3) "region checkpoint a { var h = x[i] for j in 0 .. k { h = sin(h) * 1.1 } y[i] = h z[i] = z[i] * h } }",
  /* in loops: a few trips, many, none, one; by a literal, a constant, a param, data */
  HEAD(40) "var h = x[i] for t in 0 .. k { region checkpoint a { for j in 0 .. 6 { h = sin(h) * 1.1 + x[j] * 0.1 } } } y[i] = h }",
  HEAD(0) "var h = x[i] for t in 0 .. k { region checkpoint a { for j in 0 .. 6 { h = sin(h) * 1.1 + x[j] * 0.1 } } } y[i] = h }",
  HEAD(1) "var h = x[i] for t in 0 .. 5 { region checkpoint a { for j in 0 .. k { h = sin(h) * 1.1 } } } y[i] = h }",
  HEAD(0) "var h = x[i] for t in 0 .. 5 { region checkpoint a { for j in 0 .. k { h = sin(h) * 1.1 } } } y[i] = h * h }",
  HEAD(9) "var h = x[i] for t in 0 .. C { region checkpoint a { for j in 0 .. C { h = sin(h) * 1.1 } } } y[i] = h }",
  HEAD(9) "var h = x[i] for t in 0 .. 300 { region checkpoint a { for j in 0 .. 3 { h = sin(h) * 1.1 } } } y[i] = h }",
  HEAD(9) "var h = x[i] for t in 0 .. 3 { region checkpoint a { for j in 0 .. 300 { h = sin(h) * 1.1 } } } y[i] = h }",
  HEAD(3) "var h = x[i] for t in 0 .. idx[i] { region checkpoint a { for j in 0 .. idx[l] { h = sin(h) * 1.1 } } } y[i] = h }",
  HEAD(5) "var h = x[i] for t in 0 .. k { region checkpoint a { for j in 0 .. t { h = sin(h) * 1.1 } } } y[i] = h }",
  HEAD(5) "var h = x[i] for t in 1 .. 2 * k step 3 reversed { region checkpoint a { for j in t .. 2 * t step 2 { h = sin(h) * (1.0 +"
          " 0.01 * f32(j)) } } } y[i] = h }",
  /* in a while, around a while; with and without a limit */
  HEAD(3) "var h = x[i] var n_ = 0 while n_ < 6 limit 20 { region checkpoint a { for j in 0 .. 3 { h = sin(h) * 1.1 } n_ += 1 } } y[i] ="
          " h }",
  HEAD(3) "var h = x[i] for t in 0 .. 5 { region checkpoint a { var c = 1.0 while c < 3.0 limit 9 { c = c * 1.5 + h * h * 0.1 } h ="
          " sin(h) * c * 0.4 } } y[i] = h }",
  HEAD(3) "var h = x[i] for t in 0 .. k { region checkpoint a { var c = 1.0 while c < 3.0 { c = c * 1.5 + h * h * 0.1 } h ="
          " sin(h) * c * 0.4 } } y[i] = h }",
  HEAD(3) "var h = x[i] while h * h < 4.0 limit 30 { region checkpoint a { h = h * 1.3 + 0.1 h = h + 0.1 * sin(h) } } y[i] = h }",
  /* in a branch, and around branches */
  HEAD(9) "var h = x[i] for t in 0 .. k { if h > 0.3 { region checkpoint a { h = sin(h) * 1.1 h = h * h } } else { h = h + 0.4 } }"
          " y[i] = h }",
  HEAD(9) "var h = x[i] for t in 0 .. k { region checkpoint a { if h > 0.3 { h = sin(h) * 1.1 h = h * h } else { h = h + 0.4 } } }"
          " y[i] = h }",
  HEAD(9) "var h = x[i] if h > 0.0 { region checkpoint a { h = sin(h) h = h * h } } else { region checkpoint b { h = cos(h) h = h * h } }"
          " y[i] = h * h }",
  HEAD(9) "var h = x[i] if h > 0.0 { h = h * h region checkpoint a { h = sin(h) h = h * h y[i] = h } } else { y[i] = h } }",
  /* in one another, and one behind the other */
  HEAD(6) "var h = x[i] for t in 0 .. k { region checkpoint a { for u in 0 .. 4 { region checkpoint b { for j in 0 .. 3 { h = sin(h) *"
          " 1.1 } } h = h * h } } } y[i] = h }",
  HEAD(6) "var h = x[i] region checkpoint a { region checkpoint b { region checkpoint c { h = sin(h) * h } h = h * cos(h) } h = h * h }"
          " y[i] = h }",
  HEAD(6) "var h = x[i] for t in 0 .. k { region checkpoint a { h = sin(h) * 1.1 h = h * h } h = h + 0.2 region checkpoint b { h ="
          " cos(h) * h } } y[i] = h }",
  /* what it reads is overwritten behind, before, in it, in another loop */
  HEAD(6) "var h = x[i] var g = 0.5 for t in 0 .. k { region checkpoint a { for j in 0 .. 4 { h = sin(h) * g } } g = g * 1.1 + h * 0.1 }"
          " y[i] = h * g }",
  HEAD(6) "var h = x[i] var g = 0.5 for t in 0 .. k { g = sin(g) + h * 0.1 region checkpoint a { for j in 0 .. 4 { h = sin(h) * g } } }"
          " y[i] = h * g }",
  HEAD(6) "var h = x[i] var g = 0.5 region checkpoint a { h = sin(h) * g g = h * h } g = g * h h = 0.25 * g region checkpoint b { h = h * g"
          " g = sin(h) } y[i] = h * g }",
  HEAD(6) "var h = x[i] var g = x[i] for t in 0 .. k { region checkpoint a { g = h * h h = sin(g) * h } y[i] = 0.5 } y[i] = g * h }",
  HEAD(6) "var h = x[i] for t in 0 .. k { var g = h * h region checkpoint a { for j in 0 .. 4 { g = sin(g) + h } } h = g * 0.5 z[i] = z[i] + g * g }"
          " y[i] = h }",
  HEAD(6) "var h = x[i] for t in 0 .. k { var g = h * h region checkpoint a { for j in 0 .. 4 { g = sin(g) + h h = h * 0.9 } } if t % 2 =="
          " 0 { h = g * 0.5 } else { h = h * g } } y[i] = h }",
  HEAD(6) "var h = x[i] var m = -1000.0 for t in 0 .. k { region checkpoint a { h = sin(h * 3.0) m = max(m, h * h) } } y[i] = m }",
  HEAD(6) "var h = x[i] var m = -1000.0 for t in 0 .. k { region checkpoint a { for j in 0 .. 3 { h = sin(h * 3.0) if h > m { m = h } }"
          " } } y[i] = m * m }",
  HEAD(6) "var m = -1000.0 for t in 0 .. n { region checkpoint a { let v = x[t] * x[i] if v > m { m = v } } } y[i] = m * m }",
  /* arrays: of a few elements, of many, at indices that are computed, stored in part, declared inside */
  HEAD(6) "var v : f32[3] for a in 0 .. 3 { v[a] = x[(i + a) % n] } for t in 0 .. k { region checkpoint c { for j in 0 .. 6 { v[j % 3] ="
          " sin(v[(j + idx[i]) % 3]) * 1.1 + v[j % 3] * 0.3 } } } y[i] = v[0] + v[1] * v[2] }",
  HEAD(6) "var v : f32[40] for a in 0 .. 40 { v[a] = x[a % n] } for t in 0 .. k { region checkpoint c { v[idx[i]] = sin(v[(t + idx[i])])"
          " * v[3] } } y[i] = v[0] + v[idx[i]] * v[2] }",
  HEAD(6) "var v : f32[4] for t in 0 .. k { region checkpoint c { for j in 0 .. 4 { v[j] = x[(i + j + t) % n] } y[i] = v[0] * v[1] + v[2] *"
          " v[3] } } }",
  HEAD(6) "var v : f32[4] for a in 0 .. 4 { v[a] = x[i] } for t in 0 .. k { region checkpoint c { for j in 0 .. 2 { v[1 + j] = sin(v[j]) *"
          " v[j + 1] } } v[0] = v[0] * v[3] } y[i] = v[0] + v[1] * v[2] + v[3] }",
  HEAD(6) "var h = x[i] for t in 0 .. k { region checkpoint c { var w : f32[5] for j in 0 .. 5 { w[j] = h * f32(j) } for j in 0 .. 4 { w[j"
          " + 1] = w[j + 1] * sin(w[j]) } h = h * 0.5 + w[4] } } y[i] = h }",
  HEAD(6) "var v : f32[2, 3] for a in 0 .. 2 { for c in 0 .. 3 { v[a, c] = x[a + c] } } for t in 0 .. k { region checkpoint d { for j in 0"
          " .. 9 { v[j % 2, j % 3] = sin(v[1, j % 3]) * v[j % 2, 2] } } } y[i] = v[0, 0] + v[1, 1] * v[1, 2] }",
  HEAD(6) "var v : f32[C] for a in 0 .. C { v[a] = x[i] } for t in 0 .. k { region checkpoint d { for j in 1 .. C { v[j] = sin(v[j - 1]) *"
          " v[j] } } } y[i] = v[0] + v[6] }",
  /* states of other types */
  HEAD(6) "var a = x[i] var seed = i for t in 0 .. k { region checkpoint c { for j in 0 .. 5 { seed = seed * 1664525 + 1013904223 a ="
          " sin(a) * (1.0 + f32(seed % 7) * 0.1) } } } y[i] = a }",
  HEAD(6) "var a = x[i] var odd = false for t in 0 .. k { region checkpoint c { for j in 0 .. 3 { if odd { a = sin(a) } else { a = a * 1.1"
          " } odd = a > 0.3 } } } y[i] = a }",
  HEAD(6) "var a = f64(x[i]) var b = f16(x[i]) for t in 0 .. k { region checkpoint c { for j in 0 .. 3 { a = a * a + f64(0.25) b = b *"
          " f16(0.5) + b * b } } } y[i] = f32(a) + f32(b) }",
  /* a var that holds nothing yet, and one that is stored to first */
  HEAD(6) "var h = x[i] var g : f32 for t in 0 .. k { region checkpoint c { g = h * h h = sin(g) + g } } y[i] = g * h }",
  HEAD(6) "var h = x[i] var g : f32 for t in 0 .. k { region checkpoint c { if t == 0 { g = h } for j in 0 .. 2 { g = g * sin(h) h = h + g"
          " } } } y[i] = g * h }",
  /* a var that begins with what no input reaches: what it held before is gone, whatever the loop makes of it */
  HEAD(0) "var h = x[i] region checkpoint c { h = 0.5 for j in 0 .. k { h = h * x[i] } } y[i] = h }",
  HEAD(3) "var h = x[i] region checkpoint c { h = 0.5 if h > x[i] { h = h * x[i] } } y[i] = h }",
  HEAD(2) "var h = x[i] for t in 0 .. 3 { region checkpoint c { h = 0.5 region checkpoint d { h = 0.25 for j in 1 .. k { h = h * sin(x[i])"
          " } } h = h + 0.5 } z[i] = z[i] * h } y[i] = h }",
  HEAD(2) "var h = x[i] region checkpoint c { h = 0.5 region checkpoint d { h = h + 0.5 if x[i] > 0.0 { h = h * x[i] } } } y[i] = h }",
  /* buffers: own elements in place, elements of others, stored and loaded again */
  HEAD(6) "for t in 0 .. k { region checkpoint c { for j in 0 .. 4 { z[i] = sin(z[i]) * x[i] } } } y[i] = z[i] * z[i] }",
  HEAD(6) "var h = x[i] for t in 0 .. k { region checkpoint c { h = h * z[i] z[i] = sin(h) h = h + z[i] * z[i] } } y[i] = h }",
  HEAD(6) "var h = x[i] for t in 0 .. k { region checkpoint c { for j in 0 .. n { h = sin(h) + x[j] * x[(j + idx[i]) % n] } } z[i] = z[i]"
          " * h } y[i] = h }",
  HEAD(6) "region checkpoint c { y[i] = sin(x[i]) } z[i] = z[i] * x[i] }",
  /* exits: of the loop around, of a loop inside, of the program; from deep inside, from one of several checkpoints */
  HEAD(9) "var h = x[i] for t in 0 .. k { region checkpoint c { h = sin(h) * 1.4 + 0.1 if h > 1.2 { break } h = h * h } h = h + 0.1 } y[i]"
          " = h * h }",
  HEAD(9) "var h = x[i] for t in 0 .. k { region checkpoint c { h = sin(h) * 1.4 if h < 0.2 { continue } h = h * h } h = h * 0.9 }"
          " y[i] = h * h }",
  HEAD(9) "var h = x[i] for t in 0 .. k { region checkpoint c { h = sin(h) * 1.4 + 0.1 if h > 1.2 { y[i] = h * h return } h = h * h } h = h"
          " + 0.1 } y[i] = h }",
  HEAD(9) "var h = x[i] for t in 0 .. k { region checkpoint c { for j in 0 .. 9 { h = sin(h) * 1.4 + 0.1 if h > 1.2 { break } h = h * h }"
          " } h = h * 0.7 } y[i] = h * h }",
  HEAD(9) "var h = x[i] for t in 0 .. k { region checkpoint c { for j in 0 .. 9 { if j == 3 { continue } h = sin(h) * 1.4 + 0.1 region"
          " checkpoint d { h = h * cos(h) if h > 0.8 { break } h = h + 0.1 } } } h = h * 0.7 } y[i] = h * h }",
  HEAD(9) "var h = x[i] var n_ = 0 while n_ < 9 limit 12 { n_ += 1 region checkpoint c { h = sin(h) * 1.4 if n_ == 3 { continue } h = h * h"
          " + 0.3 if h > 1.5 { break } } h = h * 0.9 } y[i] = h * h }",
  HEAD(9) "region checkpoint c { var h = x[i] if h > 0.5 { y[i] = h * h return } h = h * cos(h) y[i] = h * h } z[i] = z[i] * x[i] }",
  HEAD(9) "var h = x[i] for t in 0 .. k { region checkpoint c { h = sin(h) * 1.4 break } } y[i] = h * h }",
  HEAD(9) "var m = 0 for t in 0 .. k { region checkpoint c { m = m + 1 if m == 5 { break } m = m * 2 } } y[i] = x[i] * f32(m) }",
  /* the checkpoint ends with a jump, and its loop is of no matter to gradients */
  HEAD(9) "for j in 0 .. 2 { var w : u32 = 0 if 0 & 1 == 0 { region checkpoint c { break } } while w < idx[i]"
          " limit 64 { w += 1 } z[i] = f32(w) } y[i] = x[i] * x[i] * z[i] }",
  /* shared memory: filled inside, filled outside, both; barriers inside */
  ONE(5) "var h = x[i] for t in 0 .. k { region checkpoint c { s[l] = sin(h) barrier h = s[l] * s[3 - l] + h barrier } } y[i] = h }",
  ONE(5) "var h = x[i] s[l] = h barrier for t in 0 .. k { region checkpoint c { h = sin(h) + s[3 - l] * h } } y[i] = h }",
  ONE(5) "var h = x[i] for t in 0 .. k { s[l] = h * h barrier region checkpoint c { h = sin(h) + s[3 - l] * h } barrier } y[i] = h }",
  ONE(5) "var h = x[i] s[l] = h barrier for t in 0 .. k { region checkpoint c { let v = s[3 - l] * h barrier s[l] = sin(v) barrier h = s[(l"
          " + 1) % 4] * h } } y[i] = h + s[l] }",
  ONE(5) "var h = x[i] for t in 0 .. k { region checkpoint c { for j in 0 .. 3 { s[l] = sin(h) barrier h = s[l] * s[3 - l] + h barrier }"
          " } } y[i] = h }",
  ONE(5) "var h = x[i] region checkpoint c { q[0, l] = h barrier for j in 0 .. 3 { q[(j + 1) % 2, l] = sin(q[j % 2, 3 - l]) * h barrier } h"
          " = q[1, l] } barrier y[i] = h * h }",
  ONE(5) "var h = x[i] for t in 0 .. k { region checkpoint c { s[l] = h * h barrier for j in 0 .. 2 { if l < 2 >> j { s[l] = s[l] * s[l + (2"
          " >> j)] } barrier } h = h * 0.5 + s[0] barrier } } y[i] = h }",
  ONE(5) "var h = x[i] for t in 0 .. k { region checkpoint c { s[l] = sin(h) barrier region checkpoint d { h = s[l] * s[3 - l] + h h = h *"
          " h } barrier } } y[i] = h }",
  /* lanes */
  ONE(5) "var h = x[i] for t in 0 .. k { region checkpoint c { h = sin(h) h = h * subgroup_add(h) * 0.3 h = cos(h) * h } } y[i] = h }",
  ONE(5) "var h = x[i] for t in 0 .. k { region checkpoint c { for j in 0 .. 3 { h = sin(h) * subgroup_shuffle_xor(h, 1) + 0.1 } } }"
          " y[i] = h }",
  /* integers that decide */
  HEAD(4) "var h = x[i] for t in 0 .. k { region checkpoint c { let e = idx[i] for j in 0 .. e { h = sin(h) + x[(e + j) % n] } } } y[i] ="
          " h }",
  HEAD(4) "var h = x[i] var e = idx[i] for t in 0 .. k { region checkpoint c { for j in 0 .. e % 4 { h = sin(h) + x[(e + j) % n] } e = e *"
          " 3 + 1 } } y[i] = h }",
};

/* The same kernel, whose regions are only named. */
static char *without_checkpoints(const char *text) {
  static const char word[] = "checkpoint ";
  char *copy = malloc(strlen(text) + 1), *to = copy;
  while (*text) {
    if (!strncmp(text, word, sizeof word - 1)) text += sizeof word - 1;
    else *to++ = *text++;
  }
  *to = 0;
  return copy;
}

START_TEST(holds) { adt_holds(kernels[_i]); }
END_TEST

static void hold_without(const char *text) {
  char *plain = without_checkpoints(text);
  adt_holds(plain);
  free(plain);
}

/* What the kernel asks for is right in any case. */
START_TEST(holds_without) { hold_without(kernels[_i]); }
END_TEST

static bool is_shadow(const adt_case *c, const char *name) {
  for (size_t k = 0; k < kg_grad_map_count(c->map); k++)
    if (!strcmp(kg_grad_map_entry(c->map, k).shadow, name)) return true;
  return false;
}

static void run_on(adt_data *d, const char *device) {
  if (!device) {
    adt_run(d);
    return;
  }
  kgt_device on = kgt_open(device);
  kgt_run_fine(&on, d->module, NULL, d->array, d->length);
  kgt_close(&on);
}

static void prepare_both(const char *text, kg_grad_params params, adt_case *with, adt_case *without) {
  char *plain = without_checkpoints(text);
  *with = (adt_case){.seed = 5, .params = params}, *without = (adt_case){.seed = 5, .params = params};
  adt_prepare(with, text, NULL), adt_prepare(without, plain, NULL);
  free(plain);
}

/* Outputs and gradients. On a device, contributions of several workgroups are added up in a fixed order. */
static void keep_bits(const char *text, const char *device) {
  adt_case with, without;
  bool several = strstr(text, "n : u32 = 8") != NULL;
  prepare_both(text, (kg_grad_params){.deterministic = device && several}, &with, &without);
  adt_copy(&with.result, &with.before), adt_copy(&without.result, &without.before);
  run_on(&with.result, device), run_on(&without.result, device);
  for (uint32_t i = 0; i < kg_module_buffer_count(with.adjoint); i++) {
    kg_buffer_info info = kg_module_buffer(with.adjoint, i);
    uint32_t k = kg_module_find_buffer(without.adjoint, info.name);
    if (!is_shadow(&with, info.name) && kg_module_find_buffer(with.primal, info.name) == UINT32_MAX) continue;
    ck_assert_uint_ne(k, UINT32_MAX);
    ck_assert_msg(!memcmp(with.result.array[i], without.result.array[k], (size_t)with.result.length[i] * kg_type_size(info.type)),
                  "%s differs: %s", info.name, text);
  }
  adt_free(&with), adt_free(&without);
}

START_TEST(keeps_its_bits) { keep_bits(kernels[_i], NULL); }
END_TEST

START_TEST(keeps_its_bits_on_vulkan) { keep_bits(kernels[_i], "vulkan"); }
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TEXTS(holds, kernels), KGT_TEXTS(holds_without, kernels), KGT_TEXTS(keeps_its_bits, kernels),
                            KGT_TEXTS(keeps_its_bits_on_vulkan, kernels)};
  return kgt_run("autodiff/checkpoints", tests, KGT_COUNT(tests));
}
