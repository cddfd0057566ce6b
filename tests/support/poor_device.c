#include "tests/support/poor_device.h"

#include "reference/interval.h"
#include "tests/support/kgtest.h"

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include <stdlib.h>
#include <string.h>

static float as_float(uint32_t word) {
  float x;
  memcpy(&x, &word, sizeof x);
  return x;
}

static uint32_t as_word(float x) {
  uint32_t word;
  memcpy(&word, &x, sizeof word);
  return word;
}

bool kgt_poor_load(kgt_poor *d, const uint32_t *words, size_t count) {
  *d = (kgt_poor){.words = words, .count = count, .random = 1};
  d->value = calloc(words[3], sizeof *d->value);
  d->at = calloc(words[3], sizeof *d->at);
  uint32_t entry = 0, current = 0;
  for (size_t i = 5; d->value && d->at && i < count; i += words[i] >> 16) {
    const uint32_t *w = &words[i];
    switch ((int)(w[0] & 0xFFFF)) {
    case SpvOpConstant: d->value[w[2]][0] = w[3]; break;
    case SpvOpConstantTrue: d->value[w[2]][0] = 1; break;
    case SpvOpEntryPoint: entry = w[2]; break;
    case SpvOpFunction: d->at[current = w[2]] = (uint32_t)i; break;
    case SpvOpLabel: d->at[w[1]] = (uint32_t)i; break;
    case SpvOpFunctionCall: d->called = current == entry ? w[3] : d->called; break;
    default: break;
    }
  }
  return d->value && d->at && d->called;
}

void kgt_poor_free(kgt_poor *d) {
  free(d->value);
  free(d->at);
}

/* ---- floats ---- */

static float kept(const kgt_poor *d, float x) { return d->flush && fpclassify(x) == FP_SUBNORMAL ? 0 * x : x; }

/* One of the results that are allowed; where all are, the nearest. */
static float one_of(kgt_poor *d, kgi_op op, float a, float b, float nearest) {
  const kgi_interval x[2] = {kgi_point((double)a), kgi_point((double)b)};
  kgi_interval y = kgi_interval_op(&(kgi_rules){0}, op, KG_F32, KG_F32, x);
  if (kgi_is_anything(y) || isinf(y.low) || isinf(y.high) || d->mode == KGT_POOR_NEAREST) return nearest;
  double part = d->mode == KGT_POOR_LOW ? 0 : d->mode == KGT_POOR_HIGH ? 1 : kgi_random_between(&d->random, 0, 1);
  return (float)(y.low + (y.high - y.low) * part);
}

static float arithmetic(kgt_poor *d, SpvOp op, float a, float b) {
  a = kept(d, a), b = kept(d, b);
  switch ((int)op) {
  case SpvOpFAdd: return kept(d, a + b);
  case SpvOpFSub: return kept(d, a - b);
  case SpvOpFMul: return kept(d, a * b);
  case SpvOpFDiv: return kept(d, one_of(d, KGI_OP_div, a, b, a / b));
  default: return kept(d, -a);
  }
}

static uint32_t comparison(const kgt_poor *d, SpvOp op, float a, float b) {
  a = kept(d, a), b = kept(d, b);
  switch ((int)op) {
  case SpvOpFOrdEqual: return a == b;
  case SpvOpFUnordNotEqual: return a != b;
  case SpvOpFOrdLessThan: return a < b;
  case SpvOpFOrdGreaterThan: return a > b;
  default: return a >= b;
  }
}

static uint32_t top_bit(uint32_t x) {
  uint32_t n = 31;
  while (n && !(x >> n)) n--;
  return x ? n : UINT32_MAX;
}

static uint32_t extended(kgt_poor *d, uint32_t function, uint32_t word, uint32_t second) {
  float x = kept(d, as_float(word));
  switch ((int)function) {
  case GLSLstd450RoundEven: return as_word(rintf(x));
  case GLSLstd450Trunc: return as_word(truncf(x));
  case GLSLstd450Floor: return as_word(floorf(x));
  case GLSLstd450FAbs: return as_word(fabsf(x));
  case GLSLstd450Sqrt: return as_word(one_of(d, KGI_OP_sqrt, x, 0, sqrtf(x)));
  case GLSLstd450FindUMsb: return top_bit(word);
  case GLSLstd450UMin: return word < second ? word : second;
  default: ck_abort_msg("GLSL.std.450 %u", function);
  }
  return 0;
}

/* An integer in floats is rounded either way. */
static float converted(const kgt_poor *d, double x) {
  if (d->mode == KGT_POOR_LOW) return (float)kgi_round_down(KG_F32, x);
  return d->mode == KGT_POOR_HIGH ? (float)kgi_round_up(KG_F32, x) : (float)x;
}

/* ---- instructions with a result ---- */

static uint32_t integer(SpvOp op, uint32_t a, uint32_t b) {
  switch ((int)op) {
  case SpvOpIAdd: return a + b;
  case SpvOpISub: return a - b;
  case SpvOpIMul: return a * b;
  case SpvOpUMod: return a % b;
  case SpvOpShiftLeftLogical: return a << b;
  case SpvOpShiftRightLogical: return a >> b;
  case SpvOpShiftRightArithmetic: return (uint32_t)((int32_t)a >> b);
  case SpvOpBitwiseAnd: case SpvOpLogicalAnd: return a & b;
  case SpvOpBitwiseOr: case SpvOpLogicalOr: return a | b;
  case SpvOpBitwiseXor: case SpvOpLogicalNotEqual: case SpvOpINotEqual:
    return op == SpvOpINotEqual ? a != b : a ^ b;
  case SpvOpIEqual: return a == b;
  case SpvOpULessThan: return a < b;
  case SpvOpSLessThan: return (int32_t)a < (int32_t)b;
  case SpvOpNot: return ~a;
  case SpvOpLogicalNot: return !a;
  default: ck_abort_msg("instruction %d", (int)op);
  }
  return 0;
}

static uint32_t call(kgt_poor *d, uint32_t function, const uint32_t *arguments);

static uint32_t evaluate(kgt_poor *d, const uint32_t *w) {
  SpvOp op = (SpvOp)(w[0] & 0xFFFF);
  uint32_t count = w[0] >> 16, a = count > 3 ? d->value[w[3]][0] : 0, b = count > 4 && w[4] < d->words[3] ? d->value[w[4]][0] : 0;
  uint32_t arguments[2] = {b, count > 5 && w[5] < d->words[3] ? d->value[w[5]][0] : 0};
  uint32_t second = count > 6 && w[6] < d->words[3] ? d->value[w[6]][0] : 0; /* of an extended instruction */
  switch ((int)op) {
  case SpvOpFAdd: case SpvOpFSub: case SpvOpFMul: case SpvOpFDiv: case SpvOpFNegate:
    return as_word(arithmetic(d, op, as_float(a), as_float(b)));
  case SpvOpFOrdEqual: case SpvOpFUnordNotEqual: case SpvOpFOrdLessThan: case SpvOpFOrdGreaterThan: case SpvOpFOrdGreaterThanEqual:
    return comparison(d, op, as_float(a), as_float(b));
  case SpvOpSelect: return a ? b : arguments[1];
  case SpvOpBitcast: return a;
  case SpvOpConvertFToS: return (uint32_t)(int32_t)kept(d, as_float(a));
  case SpvOpConvertSToF: return as_word(converted(d, (int32_t)a));
  case SpvOpConvertUToF: return as_word(converted(d, a));
  case SpvOpExtInst: return extended(d, w[4], arguments[1], second);
  case SpvOpUMulExtended: d->value[w[2]][1] = (uint32_t)((uint64_t)a * b >> 32); return a * b;
  case SpvOpCompositeExtract: return d->value[w[3]][w[4]];
  case SpvOpFunctionCall: return call(d, w[3], arguments);
  default: return integer(op, a, b);
  }
}

/* ---- control ---- */

static uint32_t phi(const kgt_poor *d, const uint32_t *w, uint32_t from) {
  for (uint32_t k = 3; k + 1 < w[0] >> 16; k += 2)
    if (w[k + 1] == from) return d->value[w[k]][0];
  return 0;
}

static uint32_t call(kgt_poor *d, uint32_t function, const uint32_t *arguments) {
  uint32_t at = d->at[function], label = 0, from = 0, parameter = 0;
  for (const uint32_t *w; (w = &d->words[at])[0];) {
    at += w[0] >> 16;
    switch ((int)(w[0] & 0xFFFF)) {
    case SpvOpFunction: case SpvOpSelectionMerge: break;
    case SpvOpFunctionParameter: d->value[w[2]][0] = arguments[parameter++]; break;
    case SpvOpLabel: from = label, label = w[1]; break;
    case SpvOpBranch: at = d->at[w[1]]; break;
    case SpvOpBranchConditional: at = d->at[d->value[w[1]][0] ? w[2] : w[3]]; break;
    case SpvOpReturnValue: return d->value[w[1]][0];
    case SpvOpPhi: d->value[w[2]][0] = phi(d, w, from); break;
    default: d->value[w[2]][0] = evaluate(d, w); break;
    }
  }
  return 0;
}

float kgt_poor_run(kgt_poor *d, const float *operands) {
  const uint32_t arguments[2] = {as_word(operands[0]), as_word(operands[1])};
  return as_float(call(d, d->called, arguments));
}
