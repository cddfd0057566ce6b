/* Exits lowered to flags: what is left has the form that the sweeps rely on, and computes the same, bit by bit. Where the gradient is
 * taken, it agrees with duals. */
#include "tests/autodiff/autodiff_case.h"

#include "autodiff/plan/ad.h"
#include "foundation/ir/validate.h"
#include "foundation/passes/clean.h"
#include "fuzz/ask/ask.h"

/* ---- the form ---- */

static bool stores_floats(const kgi_program *p, kgi_blk block) {
  KGI_EACH_INSIDE(p, block, i)
    if (kgi_writes(&p->inst[i]) && kgi_is_float(p->scope.object[kgi_object_of(&p->inst[i])].type)) return true;
  return false;
}

static uint32_t loop_around(const kgi_program *p, uint32_t i) {
  do i = p->block[p->inst[i].block].owner;
  while (i && !kgi_is_loop(&p->inst[i]));
  return i;
}

/* `if FLAG { break }` at the end of a loop's body. */
static bool is_last_break(const kgi_program *p, uint32_t exit) {
  kgi_blk block = p->inst[exit].block;
  uint32_t branch = p->block[block].owner, loop = loop_around(p, exit);
  const kgi_inst *inst = &p->inst[branch], *flag = &p->inst[inst->arg[0]];
  return p->inst[exit].kind == KGI_break && inst->kind == KGI_if && p->block[block].first == exit && !inst->arg[2] &&
         p->block[kgi_body_of(&p->inst[loop])].last == branch && flag->kind == KGI_load && p->scope.object[flag->arg[0]].space == KGI_VAR;
}

/* Nobody returns, and a loop that stores to floats is left in one place. Cleaning may find that it is left there in any case. */
static bool is_structured(const kgi_program *p, bool cleaned) {
  bool matters = stores_floats(p, KGI_BODY);
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    if (!matters || !kgi_ends(&p->inst[i]) || is_last_break(p, i)) continue;
    if (cleaned && p->inst[i].kind == KGI_break && kgi_is_loop(&p->inst[p->block[p->inst[i].block].owner])) continue;
    if (p->inst[i].kind == KGI_return || stores_floats(p, kgi_body_of(&p->inst[loop_around(p, i)]))) return false;
  }
  return true;
}

/* ---- by hand ---- */

#define HEAD "program p { workgroup 4 grid invocations n param n : u32 = 8\n" \
             "buffer x : f32[16] read buffer k : u32[16] read in 0 .. 6 buffer y : f32[n] read_write buffer c : u32[4] read_write\n" \
             "buffer z : f32[n] read_write shared s : f32[4] let i = global_id.x let l = local_id.x\n"

static const char *const kernels[] = {
  /* return, two ifs deep, in the else, in both */
  HEAD "if i < 6 { if x[i] > 0.0 { return } y[i] = 2.0 * x[i] } z[i] = y[i] + x[i] }",
  HEAD "if i < 6 { y[i] = x[i] } else { if x[i] > 0.0 { y[i] = 1.0 return } else { z[i] = 3.0 } y[i] = 2.0 } z[i] = y[i] * x[i] }",
  HEAD "if i < 6 { if x[i] > 0.0 { y[i] = x[i] return } else { z[i] = 1.0 return } y[i] = 5.0 } z[i] = x[i] }",
  HEAD "if x[i] > 0.0 { if x[i] > 0.5 { if x[i] > 1.0 { return } y[i] = 1.0 } z[i] = 2.0 } let t = x[i] * 3.0 if i == 2 { if t > 0.0 {"
       " return } }"
       " y[i] = t z[i] = t * y[i] }",
  /* nothing but an exit; one at the end */
  HEAD "if i < 6 { if x[i] > 0.0 { return } } z[i] = x[i] }",
  HEAD "if i < 6 { if x[i] > 0.0 { return } y[i] = 5.0 } z[i] = x[i] return }",
  /* break in nested ifs, in an else, behind a continue, behind all else, without a condition */
  HEAD "var t = 0.0 for j in u32(0) .. 16 { if x[j] > 0.0 { if x[j] > 1.0 { break } t += x[j] } t += 0.5 } y[i] = t }",
  HEAD "var t = 0.0 for j in u32(0) .. 16 { if x[j] < 1.0 { t += x[j] } else { if k[j] > 2 { break } t -= 1.0 } t *= 0.5 } y[i] = t }",
  HEAD "var t = 0.0 for j in u32(0) .. 16 { if k[j] == 1 { t += 1.0 continue } if k[j] > 3 { if x[j] > 0.0 { break } continue } t +="
       " x[j] } y[i] = t }",
  HEAD "var t = 0.0 for j in u32(0) .. 16 reversed { t += x[j] if x[j] > 1.0 { break } } y[i] = t }",
  HEAD "var t = 0.0 for j in i .. 6 { t += x[j] break } y[i] = t }",
  HEAD "var t = 0.0 for j in i .. 6 { t += x[j] if t > 0.0 { t *= 2.0 break } else { t -= 1.0 break } t = 9.0 } y[i] = t }",
  HEAD "var t = 0.0 for j in i .. 6 { if x[j] > 0.0 { if k[j] > 2 { t += 1.0 continue } t += 2.0 } else { if k[j] > 2 { t -= x[j] break"
       " } } t += x[j] } y[i] = t }",
  /* one trip at most, whichever it is; or none */
  HEAD "for j in i32(k[i]) - 3 .. 2 step i32(k[l]) + 1 reversed { y[i] += f32(j) + 10.0 if k[i + 1] > 2 { if x[i] > 0.0 { break } z[i]"
       " = x[i] } y[i] *= 2.0 break }"
       " for j in k[i] .. 4 step 2 { z[i] += f32(j) break } for j in i64(k[i]) .. 4 step 3 reversed { z[i] += f32(j) if x[i] > 0.5 {"
       " return } break } y[i] += 1.0 }",
  HEAD "for j in i32(-2147483647) .. 2147483647 step i32(k[i]) + 1 reversed { y[i] = f32(j) break } }",
  HEAD "while { let old = atomic_add(c[0], 1) when k[i] > 2 } limit 1 { y[i] = 1.0 if x[i] > 0.0 { if x[i] > 0.5 { break } y[i] = 2.0 }"
       " z[i] = 3.0 break } y[i] += z[i] }",
  HEAD "while true { y[i] = 1.0 if x[i] > 0.0 { if x[i] > 0.5 { break } y[i] = 2.0 } z[i] = 3.0 if k[i] > 3 { return } break } y[i] +="
       " z[i] }",
  HEAD "for j in u32(0) .. 4 { y[i] += 1.0 if k[j] < 100000 || true { if true { break } z[i] = 2.0 } z[i] = x[i] } }",
  HEAD "while k[i] > 2 limit n { y[i] += 1.0 if x[i] > 0.0 { return } break } y[i] += z[i] }",
  /* both branches leave, each in another way */
  HEAD "var t = 0.0 for j in i .. 8 { if k[j] > 4 { if x[j] > 0.0 { break } else { continue } } t += x[j] if k[j] == 0 { if x[j] > 0.0"
       " { return } else { break } } } y[i] = t }",
  /* return out of one loop, out of two, out of an inner one that has a break as well */
  HEAD "for j in u32(0) .. 16 { if x[j] > 1.0 { return } y[i] += x[j] } z[i] = y[i] }",
  HEAD "var t = 0.0 for j in u32(0) .. 4 { for m in u32(0) .. 4 { if x[4 * j + m] > 1.0 + 0.1 * f32(i) { y[i] = t return } t += x[4 * j"
       " + m] } t *= 0.5 } z[i] = t }",
  HEAD "var t = 0.0 for j in u32(0) .. 4 { if k[j] == i { continue } for m in u32(0) .. 4 { if k[m] == 5 { break } if k[m] == 4 { if"
       " x[m] > 0.0 { return } else { continue } }"
       " t += x[4 * j + m] } if t > 2.0 { if i > 3 { break } t -= 1.0 } t *= 0.5 z[i] = t } y[i] = t }",
  /* loops around the one with the return, each with exits of its own: neither takes another trip, nor goes on with this one */
  HEAD "for j in u32(0) .. 4 { y[i] += 1.0 for m in u32(0) .. 4 { if x[4 * j + m] > 0.7 { return } z[i] += 1.0 } if k[j] > 3 { if x[j]"
       " > 0.0 { break } } y[i] += 10.0 } }",
  HEAD "for j in u32(0) .. 4 { if k[j] > 2 { for m in u32(0) .. 4 { if x[4 * j + m] > 0.7 { return } z[i] += 1.0 } } else { if x[j] >"
       " 0.0 { continue } y[i] += 1.0 } y[i] += 10.0 } }",
  /* a flag of a loop within a loop is lowered again in each trip */
  HEAD "var t = 0.0 for j in u32(0) .. 4 { for m in u32(0) .. 4 { if k[4 * j + m] > 2 { if x[m] > 0.0 { break } } t += x[m] } t += 1.0"
       " } y[i] = t }",
  HEAD "var t = 0.0 for j in u32(0) .. 16 { if k[j] > 2 { if x[j] > 0.0 { continue } t -= 1.0 } t += x[j] } y[i] = t }",
  /* no trip at all */
  HEAD "var t = 1.0 for j in u32(3) .. 3 { if x[j] > 0.0 { break } t += 1.0 } for j in u32(3) .. 3 { if k[j] > 0 { return } t = 0.0 }"
       " y[i] = t }",
  /* while: the condition is not evaluated after a break, and it is after a continue */
  HEAD "var t = x[i] while t < 3.0 limit 100 { t += 0.7 if t > 2.0 { if i > 3 { break } t += 0.1 } t += 0.2 } y[i] = t }",
  HEAD "var j = u32(0) var t = 0.0 while { let old = atomic_add(c[0], 1) when j < 16 } { j += 1 if k[j - 1] > 4 { if x[j] > 0.0 { break } }"
       " if k[j - 1] > 2 { if x[j] > 0.0 { continue } t += 1.0 } t += x[j - 1] } y[i] = t }",
  HEAD "var t = 0.0 var j = i while true { if j >= 12 { break } t += x[j] j += 1 if t > 2.0 { if i > 5 { return } } } y[i] = t }",
  HEAD "var t = 0.0 while t < 5.0 limit 50 { t += 1.0 var m = u32(0) while m < 5 { m += 1 if k[m] == i { if x[m] > 0.0 { return } break"
       " } t += 0.1 } if t > 3.0 { continue } t += 0.5 } y[i] = t }",
  /* what is behind an exit: atomics, asserts, stores of integers, values of conditions that are used after the loop */
  HEAD "for j in u32(0) .. 8 { if i > 2 { if x[j] > 0.5 { continue } if k[j] > 4 { return } } atomic_add(c[1], 1) y[i] += 1.0 }"
       " atomic_add(c[2], 1) }",
  HEAD "for j in u32(0) .. 8 { if j < 6 { if x[j] > 0.0 { continue } y[i] += x[j] } else { if x[j] > 0.0 { return } } assert x[j] <="
       " 0.0 \"left\" } atomic_add(c[2], i) }",
  HEAD "var at = u32(99) var t = 0.0 for j in u32(0) .. 16 { if k[j] > 1 { let v = x[j] if v > 0.3 { at = j t = v break } } t -= 0.25 }"
       " y[i] = t + x[at % 16] atomic_max(c[i % 4], at) }",
  /* barriers: all are there, and all leave together */
  HEAD "for j in u32(0) .. 8 { s[l] = x[j + l] barrier if k[workgroup_id.x] > 2 { if k[j] > 3 { break } z[i] += 1.0 } y[i] += s[(l + 1)"
       " % 4] barrier } z[i] += y[i] }",
  HEAD "for j in u32(0) .. 8 { s[l] = x[j + l] barrier let t = s[0] barrier if k[j] > 1 { if t > 0.5 { continue } } s[l] = y[i] barrier"
       " y[i] += s[3 - l] barrier }"
       " s[l] = 2.0 barrier z[i] = s[0] }",
  HEAD "if k[workgroup_id.x] > 2 { if k[3] > 1 { return } y[i] = 1.0 } s[l] = x[i] barrier z[i] = s[3 - l] }",
  HEAD "for j in u32(0) .. 3 { for m in u32(0) .. 3 { s[l] = x[i] + f32(m) barrier if k[j + m] > 3 { if n == 8 { return } } y[i] += s[3"
       " - l] barrier } barrier } s[l] = x[i]"
       " barrier z[i] = s[3 - l] }",
  /* lanes: who is active decides */
  HEAD "for j in u32(0) .. 8 { if k[i] > 1 { if x[i + j] > 0.5 { continue } } y[i] += subgroup_add(x[j]) if k[j] == l { if x[i] > 0.0 {"
       " break } y[i] += subgroup_add(1.0) }"
       " z[i] += f32(subgroup_ballot(true, u32(0))) } y[i] += subgroup_add(1.0) }",
  HEAD "if k[i] > 1 { if x[i] > 0.0 { return } y[i] = subgroup_add(1.0) } z[i] = subgroup_add(1.0) + f32(subgroup_broadcast_first(i)) }",
  HEAD "var j = u32(0) while { let most = subgroup_max(j) when most < 6 + l } { j += 1 + k[i] % 2 if j > 4 { if x[i] > 0.0 { break }"
       " y[i] += subgroup_add(1.0) }"
       " if subgroup_any(x[j] > 1.0) { if l == 1 { continue } z[i] += subgroup_add(2.0) } y[i] += f32(subgroup_ballot(true, u32(0))) }"
       " z[i] += subgroup_add(1.0) }",
  HEAD "for j in u32(0) .. 4 { for m in u32(0) .. 4 { if k[4 * j + m] == l { if x[m] > 0.0 { return } y[i] += subgroup_add(1.0) } z[i]"
       " += subgroup_add(1.0) } y[i] += subgroup_add(10.0) }"
       " z[i] += subgroup_add(100.0) }",
  /* names that are there already */
  HEAD "var stop = x[i] var returned = 1.0 var skip = 2.0 for j in u32(0) .. 8 { if k[j] > 2 { if x[j] > 0.0 { break } if x[j] > -1.0 {"
       " continue } if j == 6 { return } }"
       " stop += x[j] } y[i] = stop + returned + skip }",
  /* regions */
  HEAD "region a { if i < 6 { region b { if x[i] > 0.0 { return } y[i] = 2.0 * x[i] } } } region d { let t = x[i] z[i] = y[i] + t } }",
};

static kg_status lower(kg_module *m, kgi_program *p, kgi_diags *diags) {
  kgi_arena scratch;
  kgi_arena_init(&scratch, NULL);
  kg_status status = kgi_ad_lower(m, p, diags, &scratch);
  kgi_arena_free(&scratch);
  return status;
}

static kg_status lower_alone(kg_module *m, kgi_program *p) {
  kg_status status = lower(m, p, NULL);
  if (status == KG_OK) ck_assert(is_structured(p, false));
  return status;
}

static kg_status lower_and_clean(kg_module *m, kgi_program *p) {
  kg_status status = lower(m, p, NULL);
  if (status == KG_OK) status = kgi_clean(m, p);
  if (status == KG_OK) ck_assert(is_structured(p, true));
  return status;
}

static kg_module *parsed(const char *text) {
  kg_module *m = NULL;
  char message[400] = "";
  ck_assert_msg(kg_module_parse(NULL, "t.kg", text, strlen(text), &(kg_sink){adt_first, message}, &m) == KG_OK, "%s in %s", message, text);
  return m;
}

static void same_outputs(const adt_data *a, const adt_data *b, const char *text) {
  for (uint32_t i = 0; i < kg_module_buffer_count(a->module); i++) {
    kg_buffer_info info = kg_module_buffer(a->module, i);
    ck_assert_msg(!memcmp(a->array[i], b->array[i], (size_t)a->length[i] * kg_type_size(info.type)), "%s is another: %s", info.name, text);
  }
}

static void compare(const kg_module *m, const kg_module *lowered, uint64_t seed, const char *text) {
  adt_data before = {0}, after = {0};
  adt_allocate(&before, m, NULL, NULL);
  adt_allocate(&after, lowered, NULL, NULL);
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++) adt_fill(&before, i, &seed);
  adt_copy(&after, &before);
  adt_run(&before);
  adt_run(&after);
  same_outputs(&before, &after, text);
  adt_free_data(&before);
  adt_free_data(&after);
}

enum { SEEDS = 40 };

static void computes_the_same(const char *text, kgi_change *change) {
  kg_module *m = parsed(text), *lowered = parsed(text);
  char message[400] = "";
  ck_assert_int_eq(change(lowered, lowered->program[1]), KG_OK);
  kgi_diags diags = {&(kg_sink){adt_first, message}, "t.kg", 0};
  ck_assert_msg(kgi_validate(lowered, &diags) == KG_OK, "%s: %s", message, text);
  for (uint64_t seed = 1; seed <= SEEDS; seed++) compare(m, lowered, seed, text);
  kg_module_free(m);
  kg_module_free(lowered);
}

START_TEST(lowered) { computes_the_same(kernels[_i], lower_alone); } END_TEST
START_TEST(lowered_and_cleaned) { computes_the_same(kernels[_i], lower_and_clean); } END_TEST

/* A loop that is left in its first trip may yet have begun a trip too many. */
START_TEST(a_limit_stays) {
  kg_module *m = parsed(HEAD "while i < 4 limit 0 { y[i] = 1.0 break } }");
  adt_data d = {0};
  kg_reference_report report;
  ck_assert_int_eq(lower_alone(m, m->program[1]), KG_OK);
  adt_allocate(&d, m, NULL, NULL);
  kg_reference_run(&(kg_reference_params){.module = m, .buffers = d.array, .lengths = d.length, .param_bits = d.param}, &report);
  ck_assert_int_eq(report.fault, KG_FAULT_LOOP_LIMIT);
  adt_free_data(&d);
  kg_module_free(m);
}
END_TEST

/* ---- gradients ---- */

static const char *const gradients[] = {
  HEAD "if i < 6 { if x[i] > 0.0 { return } y[i] = 2.0 * x[i] } z[i] = y[i] * x[i] }",
  HEAD "if x[i] > 0.0 { if x[i] > 0.5 { if x[i] > 1.0 { y[i] = x[i] * x[i] return } y[i] = sin(x[i]) } z[i] = 2.0 * y[i] } let t = x[i]"
       " * x[i]"
       " if i == 2 { if t > 0.0 { return } } y[i] += t z[i] = t * y[i] }",
  HEAD "var t = x[i] * x[i] if i > 2 { if x[i] > 0.0 { y[i] = t return } else { t *= x[i] } if x[i] < -1.0 { z[i] = t * t return } t ="
       " sin(t) } y[i] = t * t z[i] = t }",
  /* out of a search, whose result is an index; what was done before stays */
  HEAD "y[i] = x[i] * x[i] for j in u32(0) .. 16 { if k[j] > 4 { if x[j] > 0.5 + 0.1 * f32(i) { return } } } z[i] = y[i] * x[i] }",
  HEAD "var at = u32(0) for j in u32(0) .. 16 { if k[j] > 2 { if k[j + 1] > 2 { at = j break } } } y[i] = x[at] * x[i] z[i] = f32(at) *"
       " x[at] }",
  HEAD "var at = u32(0) while true { if k[at] > 3 { if x[i] > 1.0 { return } break } if at > 10 { break } at += 1 } y[i] = x[at] * x[i] }",
  /* continue, two ifs deep */
  HEAD "var t = 0.0 for j in u32(0) .. 16 { if k[j] > 2 { if x[j] > 0.0 { continue } t -= x[j] * x[j] } t += x[j] * x[i] } y[i] = t * t }",
  HEAD "var t = x[i] for j in u32(0) .. 4 { if k[j] > 2 { if x[j] > 0.0 { t = sin(t) continue } t *= x[j] } else { if x[j] < -1.0 {"
       " continue } } t = t * t * 0.5 + x[j] } y[i] = t }",
  HEAD "for j in u32(0) .. 3 { for m in u32(0) .. 4 { if k[4 * j + m] > 2 { if x[m] > 0.0 { continue } y[i] = y[i] * 0.5 } y[i] += x[m]"
       " * x[m] } if k[j] == i { if i > 2 { continue } } z[i] += x[j] * x[i] } }",
  /* barriers behind a return of the whole workgroup */
  HEAD "if k[workgroup_id.x] > 2 { if k[3] > 1 { return } y[i] = x[i] * x[i] } s[l] = x[i] * x[i] barrier z[i] = s[3 - l] * s[l] }",
};

static void agrees_with_duals(const char *text) {
  for (uint64_t seed = 1; seed <= 6; seed++) {
    adt_case c = {.seed = seed, .label = text};
    adt_prepare(&c, text, NULL);
    adt_verify(&c);
    adt_free(&c);
  }
}

START_TEST(agree_with_duals) { agrees_with_duals(gradients[_i]); } END_TEST

/* All those patterns, too. */
START_TEST(patterns_agree_with_duals) { agrees_with_duals(kernels[_i]); } END_TEST

/* ---- too deep ---- */

static kg_status lower_many(unsigned count, char message[400]) {
  size_t size = 200 * (size_t)count + 1000, used = (size_t)snprintf(NULL, 0, HEAD);
  char *text = malloc(size);
  snprintf(text, size, HEAD "\n");
  for (used++; count; count--) used += (size_t)snprintf(text + used, size - used, "if i < 6 { if x[i] > %u.0 { return } y[i] += x[i]"
       " }\n", count);
  snprintf(text + used, size - used, "}");
  kg_module *m = parsed(text);
  kgi_diags diags = {&(kg_sink){adt_first, message}, "t.kg", 0};
  kg_status status = lower(m, m->program[1], &diags);
  kg_module_free(m);
  free(text);
  return status;
}

/* Each return puts what is behind it one deeper. Statement n, in line 4 + n, has its second if n deep, and that gets an else. */
START_TEST(depth_is_limited) {
  char message[400] = "";
  ck_assert_msg(lower_many(KGI_MAX_DEPTH - 1, message) == KG_OK, "%s", message);
  ck_assert_int_eq(lower_many(KGI_MAX_DEPTH + 3, message), KG_INVALID);
  ck_assert_msg(!strncmp(message, "76:12 the nesting of blocks exceeds", 35), "%s", message);
}
END_TEST

/* ---- random programs ---- */

enum { GROUPS = 8, EACH = 60 };

static void hold(uint64_t first, uint64_t count, kgi_change *change, const char *which) {
  uint8_t bytes[KGI_FUZZ_BYTES];
  for (uint64_t seed = first; seed < first + count; seed++) {
    kgi_fuzz_bytes(seed, bytes, sizeof bytes);
    kgi_ask f = {.bytes = bytes, .size = sizeof bytes, .features = KGI_FUZZ_ALL, .data = seed};
    kgi_answer verdict = kgi_ask_changed(&f, change, which);
    char *text = verdict == KGI_HOLDS ? NULL : kgi_ask_text(&f);
    ck_assert_msg(verdict == KGI_HOLDS, "seed %u: %s\n%s", (unsigned)seed, f.what, text ? text : "");
    free(text);
  }
}

/* More with KGT_RANDOM=first:count in the environment. */
START_TEST(random_programs) {
  unsigned first = 1 + (unsigned)_i * EACH, count = EACH;
  const char *more = getenv("KGT_RANDOM");
  if (more && sscanf(more, "%u:%u", &first, &count) == 2) first += (unsigned)_i * count;
  hold(first, count, lower_alone, "the lowered program");
  hold(first, count, lower_and_clean, "the lowered and cleaned program");
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT_TEXTS(lowered, kernels), KGT_TEXTS(lowered_and_cleaned, kernels), KGT_TEXTS(agree_with_duals, gradients),
    KGT_TEXTS(patterns_agree_with_duals, kernels), KGT(a_limit_stays), KGT(depth_is_limited), KGT_TIMES(random_programs, GROUPS),
  };
  return kgt_run("autodiff/exits", tests, KGT_COUNT(tests));
}
