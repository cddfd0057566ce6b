/* What cannot be differentiated is refused: the row of diagnostics, and the line. Each has its counterpart that goes through. */
#include "foundation/base/limits.h"
#include "tests/autodiff/autodiff_case.h"

typedef struct refusal { const char *id; unsigned line; const char *of, *wrt, *text; } refusal;

#define HEAD "program p { workgroup 4 grid invocations n param n : u32 = 6 param a : f32 = 2.0 param k : u32 = 3\n" \
             "buffer x : f32[n] read buffer y : f32[n] write buffer s : f32[n] read_write buffer idx : u32[n] read in 0 .. n\n" \
             "let i = global_id.x\n"

#define TILE(length, rows) "program p { workgroup 4, " rows " grid 1 param n : u32 = 6 buffer x : f32[n] read buffer y : f32[n] write\n" \
                           "shared s : f32[" length "] let l = local_id.x var t = 0.0 for k in 0 .. n {\n"

#define LAST "program p { workgroup 4 grid 4 buffer x : f32[16] read buffer part : f32[4] read_write buffer y : f32[4] write\n" \
             "buffer done : u32[4] read_write shared count : u32[1] shared t : f32[4] let l = local_id.x t[l] = x[global_id.x] barrier\n" \
             "if l == 0 { var all = 0.0 for k in 0 .. 4 { all += t[k] * t[k] }\npart[workgroup_id.x] = all "

#define GROUP "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[4] read_write shared t : f32[1]\n" \
              "let l = local_id.x if l == 0 { t[0] = 0.0 } barrier\n"

#define VIEWS(a, b) \
  "program p { workgroup 8 grid invocations n param n : u32 = 8 buffer x : f32[n] read buffer y : f32[n] read_write buffer " a \
  " view(set 0, binding 7, offset 0, stride 4) buffer " b " view(set 0, binding 7, offset 0, stride 4)\nlet i = global_id.x "

#define SINES "module m { param n : u32 = 8 buffer x : f32[n] read_write\n" \
              "program s { workgroup 4 grid invocations n param n : u32 param k : u32 buffer x : f32[n] read_write\n"

static const refusal refusals[] = {
  {"grad-no-such", 1, "out", NULL, HEAD "y[i] = x[i] }"},
  {"grad-no-such", 1, NULL, "in", HEAD "y[i] = x[i] }"},
  {"grad-not-float", 2, NULL, "idx", HEAD "y[i] = x[i] }"},
  {"grad-not-float", 1, NULL, "k", HEAD "y[i] = x[i] }"},
  {"grad-no-output", 2, "x", NULL, HEAD "y[i] = x[i] }"},
  {"grad-no-input", 2, NULL, "y", HEAD "y[i] = x[i] }"},
  {"grad-which-run", 1, NULL, "x after s", SINES "let i = global_id.x if i < n { x[i] = sin(x[i]) } } run s(n = n, k = 0, x = x) run s(n = n, k = 1, x = x) }"},
  {"grad-no-such", 1, NULL, "x after s:3", SINES "let i = global_id.x if i < n { x[i] = sin(x[i]) } } run s(n = n, k = 0, x = x) run s(n = n, k = 1, x = x) }"},
  {"grad-no-such", 1, NULL, "x after s:0", SINES "let i = global_id.x if i < n { x[i] = sin(x[i]) } } run s(n = n, k = 0, x = x) }"},
  {"grad-no-such", 1, NULL, "x after p", HEAD "y[i] = x[i] }"},
  {"grad-never-written", 1, NULL, "x after p", "module m { buffer x : f32[4] read buffer y : f32[4] write\n"
   "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[4] write y[global_id.x] = x[global_id.x] }\nrun p(x = x, y = y) }"},
  {"grad-atomic", 3, NULL, NULL, "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[4] write shared t : f32[1]\n"
   "let i = global_id.x if i == 0 { t[0] = 0.5 } barrier\nlet s = atomic_load(t[0])\natomic_add(t[0], x[i]) y[i] = s }"},
  {"grad-atomic-result", 2, NULL, "x", "program p { workgroup 4 grid 2 buffer x : f32[8] read buffer r : f32[1] read_write buffer y : f32[8] write\n"
   "let s = atomic_exchange(r[0], 0.0)\nbarrier atomic_add(r[0], x[global_id.x]) y[global_id.x] = s }"},
  /* the inner loop is not reached by all, though all that come to the barrier do so together */
  {"grad-barrier", 3, "y", "x", "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[4] write\n"
   "let l = local_id.x var s = x[l] for t in u32(0) .. 1 + l {\nfor k in t .. 1 + l % 2 { if t == 0 && k == 0 { barrier } s = sin(s) } } y[l] = s }"},
  /* nobody comes to the barrier, and half of the workgroup would come to its mirror */
  {"grad-barrier", 3, "y", "x", "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[4] write\n"
   "let l = local_id.x var v = x[l] if l % 2 == 0 {\nif x[0] > 50.0 { barrier } v = v * v } y[l] = v }"},
  {"grad-barrier", 2, "y", "x", "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[4] write let l = local_id.x var v = x[l]\n"
   "if l % 2 == 0 { v = v * v } else { if x[1] > 50.0 { barrier } } y[l] = v * v }"},
  /* whoever comes last adds up what all have left */
  {"grad-workgroups", 6, "y", "x", LAST "memory_barrier count[0] = atomic_add(done[0], 1) } barrier\n"
   "if count[0] == num_workgroups.x - 1 && l == 0 { memory_barrier var sum = 0.0 for g in 0 .. 4 {\nsum += part[g] } y[0] = sum } }"},
  {"grad-workgroups", 6, "y", "x", LAST "} barrier memory_barrier var last = false if atomic_add(done[l], 1) == 3 { last = true }\n"
   "if !last { return }\ny[l] = part[3 - l] }"},
  /* the number decides behind the load, or by an index; or it is the counter that is loaded, or waited for */
  {"grad-workgroups", 6, "y", "x", LAST "memory_barrier\nlet c = atomic_add(done[0], 1) var sum = 0.0 for g in 0 .. 4 {\n"
   "sum += part[g] } if c == 3 { y[0] = sum } } }"},
  {"grad-workgroups", 6, "y", "x", LAST "memory_barrier\nlet c = u32(atomic_add(done[0], 1) != 3) * 9\n"
   "let sum = part[c] + part[c + 1] if c == 0 { y[0] = sum } } }"},
  {"grad-workgroups", 6, "y", "x", LAST "memory_barrier atomic_add(done[0], 1) memory_barrier\nif done[0] == 4 { var sum = 0.0\n"
   "for g in 0 .. 4 { sum += part[g] } y[0] = sum } } }"},
  {"grad-workgroups", 5, "y", "x", LAST "memory_barrier atomic_add(done[0], 1) while atomic_load(done[0]) < 4 { }\n"
   "y[workgroup_id.x] = part[3 - workgroup_id.x] } }"},
  /* each adds to what the one before has left, and stores it behind that in the text */
  {"grad-workgroups", 3, "y", "x", "program p { workgroup 1 grid 4 buffer x : f32[4] read "
   "buffer part : f32[4] read_write buffer y : f32[4] write\n"
   "buffer done : u32[4] read_write let w = workgroup_id.x var a = x[w] if w > 0 { while atomic_load(done[w - 1]) == 0 { }\n"
   "a += part[w - 1] } part[w] = a memory_barrier atomic_store(done[w], 1) y[w] = a * a }"},
  /* a counter in shared memory decides who comes last in its workgroup */
  {"grad-workgroups", 3, "y", "x", "program p { workgroup 4 grid 2 buffer x : f32[8] read buffer y : f32[2] write shared part : f32[4] shared done : u32\n"
   "let l = local_id.x if l == 0 { done = 0 } barrier part[l] = x[global_id.x] memory_barrier if atomic_add(done, 1) == 3 { memory_barrier\n"
   "var sum = 0.0 for k in 0 .. 4 { sum += part[k] } y[workgroup_id.x] = sum } }"},
  /* a sum by atomics, and what the last one makes of it */
  {"grad-workgroups", 3, "y", "x", "program p { workgroup 4 grid 4 buffer x : f32[16] read "
   "buffer part : f32[1] read_write buffer y : f32[1] write\n"
   "buffer done : u32[1] read_write atomic_add(part[0], x[global_id.x]) memory_barrier if atomic_add(done[0], 1) == 15 {\n"
   "y[0] = sqrt(part[0]) } }"},
  /* both sides of a condition that trips choose, and invocations one after the other */
  {"grad-workgroups", 4, "y", "x", "program p { workgroup 4 grid 4 buffer x : f32[16] read "
   "buffer part : f32[1] read_write buffer y : f32[1] write\n"
   "buffer done : u32[1] read_write for k in 0 .. 2 { if k == 0 { atomic_add(part[0], x[global_id.x]) memory_barrier\n"
   "} else { if atomic_add(done[0], 1) == 15 {\ny[0] = sqrt(part[0]) } } } }"},
  /* the number is stored, and found there by others */
  {"grad-workgroups", 4, "y", "x", "program p { workgroup 4 grid 4 buffer x : f32[16] read "
   "buffer part : f32[1] read_write buffer y : f32[1] write\n"
   "buffer done : u32[1] read_write buffer came : u32[16] read_write atomic_add(part[0], x[global_id.x]) memory_barrier\n"
   "came[global_id.x] = atomic_add(done[0], 1) * 2 if came[global_id.x] == 30 {\ny[0] = sqrt(part[0]) } }"},
  {"grad-atomic-end", 3, NULL, NULL, "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[4] write shared t : f32[1]\n"
   "let i = global_id.x if i == 0 { t[0] = 0.5 } barrier\natomic_max(t[0], 0.25)\natomic_add(t[0], x[i]) barrier y[i] = t[0] }"},
  {"grad-last-round", 1, NULL, "x after s", SINES "let i = global_id.x if i < n { x[i] = sin(x[i]) } }\n"
   "repeat k in 0 .. 3 { repeat j in k + 1 .. 3 { run s(n = n, k = j, x = x) } } }"},
  {"grad-nothing", 1, NULL, NULL, "program p { workgroup 1 grid 1 buffer x : u32[1] read_write x[0] = x[0] + 1 }"},
  {"grad-nothing", 1, NULL, NULL, "program p { workgroup 1 grid 1 buffer x : f32[1] write x[0] = 1.0 }"},
  {"grad-bits", 5, NULL, NULL, HEAD "let t = x[i]\nlet b = bitcast_u32(t) >> 1\ny[i] = bitcast_f32(b) }"},
  {"grad-bits", 4, NULL, NULL, HEAD "y[i] = unpack_half_2x16(pack_half_2x16(x[i], x[i]), u32(1)) }"},
  /* the bits go through memory */
  {"grad-bits", 5, NULL, NULL, HEAD "var b : u32\nb = bitcast_u32(x[i])\ny[i] = bitcast_f32(b | 1) }"},
  /* an exponent taken from the bits, and a bit of the mantissa with it */
  {"grad-bits", 4, NULL, NULL, HEAD "y[i] = f32(i32(bitcast_u32(x[i]) >> 22) - 127) }"},
  /* masks in the mantissa; the least bit is of use twice */
  {"grad-bits", 4, NULL, NULL, HEAD "let b = bitcast_u32(x[i])\ny[i] = bitcast_f32(b & 0xffffe000) }"},
  /* bits that a float counts: the greater of two, one of two, and beside another's bits; and a number that drops digits of the bits */
  {"grad-bits", 5, NULL, NULL, HEAD "let b = u32(x[i] * 1.0e8)\ny[i] = bitcast_f32(max(b, 0x3f000000)) }"},
  {"grad-bits", 5, NULL, NULL, HEAD "let b = u32(x[i] * 1.0e8)\nvar c = b if i > 2 { c += 1 }\ny[i] = bitcast_f32(c) }"},
  {"grad-bits", 5, NULL, NULL, HEAD "let b = u32(x[i] * 1.0e8)\ny[i] = bitcast_f32(b + bitcast_u32(x[i])) }"},
  {"grad-bits", 4, NULL, NULL, HEAD "let b = bitcast_u32(x[i])\ny[i] = f32(b & 0x7ffff0) * 1.1920929e-7 }"},
  /* bits that count whole numbers; a number that was rounded before, that is shifted, of doubles, and of another lane */
  {"grad-bits", 5, NULL, NULL, HEAD "let t = x[i] * 1.4427 + 12582912.0\ny[i] = x[i] - f32(bitcast_i32(t) - 1262485504) }"},
  {"grad-bits", 4, NULL, NULL, HEAD "let b = i32(round(x[i] * 1.0e7)) + 1064866805\ny[i] = bitcast_f32(b) }"},
  {"grad-bits", 5, NULL, NULL, HEAD "let b = u32(x[i] * 1.0e6)\ny[i] = bitcast_f32(b << 7) }"},
  {"grad-bits", 5, NULL, NULL, HEAD "let b = u64(x[i] * 1.0e6)\ny[i] = f32(bitcast_f64(b << 40)) }"},
  {"grad-bits", 5, NULL, NULL, HEAD "let b = u32(x[i] * 1.0e8)\ny[i] = bitcast_f32(subgroup_shuffle_xor(b, 1)) }"},
  /* of a number that is scaled, cut or moved on the way */
  {"grad-bits", 5, NULL, NULL, HEAD "let b = i32(x[i] * 6.0e6)\ny[i] = bitcast_f32(b * 2 + 1064866805) }"},
  {"grad-bits", 5, NULL, NULL, HEAD "let b = i32(x[i] * 2.0e3)\ny[i] = bitcast_f32(i32(n) * b + 1064866805) }"},
  {"grad-bits", 5, NULL, NULL, HEAD "let b = u32(x[i] * 2.4e7)\ny[i] = bitcast_f32((b >> 1) + 1064866805) }"},
  {"grad-bits", 5, NULL, NULL, HEAD "let b = u32(x[i] * 1.0e4)\ny[i] = bitcast_f32((b << n) + 1064866805) }"},
  {"grad-bits", 5, NULL, NULL, HEAD "let b = i32(x[i] * 2.4e7)\ny[i] = bitcast_f32(b / 2 + 1064866805) }"},
  {"grad-bits", 5, NULL, NULL, HEAD "let b = i32(x[i] * 1.2e7)\ny[i] = bitcast_f32(b % 2000000000 + 1064866805) }"},
  {"grad-bits", 5, NULL, NULL, HEAD "let b = i32(x[i] * 1.2e7)\ny[i] = bitcast_f32(abs(b) + 1064866805) }"},
  {"grad-bits", 5, NULL, NULL, HEAD "let b = i32(x[i] * 1.2e7)\ny[i] = bitcast_f32(bit_extract(b + 1064866805, 0, 31)) }"},
  {"grad-bits", 5, NULL, NULL, HEAD "let b = i32(x[i] * 1.2e7)\ny[i] = bitcast_f32(bit_insert(0, b + 1064866805, 0, 31)) }"},
  {"grad-bits", 5, NULL, NULL, HEAD "let b = i64(x[i] * 1.2e7)\ny[i] = bitcast_f32(i32(b) + 1064866805) }"},
  {"grad-bits", 5, NULL, NULL, HEAD "let b = u64(x[i] * 1.2e7)\ny[i] = bitcast_f32(u32((b << 8) >> 8) + 1064866805) }"},
  {"grad-bits", 5, NULL, NULL, HEAD "let b = u32(x[i] * 1.2e7)\ny[i] = bitcast_f32(rotr(rotl(b, 3), 3) + 1064866805) }"},
  {"grad-bits", 5, NULL, NULL, HEAD "let b = u32(x[i] * 1477.3)\ny[i] = unpack_half_2x16(b + 15360, 0) }"},
  {"grad-atomic", 5, NULL, NULL, "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[4] write shared t : u32[4]\n"
   "let l = local_id.x\n"
   "t[l] = 1064866805\n"
   "barrier\n"
   "atomic_add(t[l], u32(x[l] * 1.2e7))\n"
   "barrier\n"
   "y[l] = bitcast_f32(t[l]) }"},
  /* a number that another program takes for bits, by way of a third */
  {"grad-bits", 5, NULL, NULL, "module m { buffer x : f32[8] read buffer t : u32[8] temp buffer s : u32[8] temp buffer y : f32[8] write\n"
   "program a { workgroup 8 grid 1 buffer x : f32[8] read buffer t : u32[8] write\n"
   "t[local_id.x] = u32((x[local_id.x] * 1.442695 + 126.93490512) * 8388608.0) }\n"
   "program b { workgroup 8 grid 1 buffer t : u32[8] read buffer s : u32[8] write\n"
   "s[local_id.x] = t[local_id.x] + 5 }\n"
   "program c { workgroup 8 grid 1 buffer s : u32[8] read buffer y : f32[8] write\n"
   "let i = local_id.x\n"
   "y[i] = bitcast_f32(s[i]) }\n"
   "run a run b run c }"},
  {"grad-bits", 4, NULL, NULL, HEAD "let b = bitcast_u32(x[i])\ny[i] = bitcast_f32(b + (b >> 1)) }"},
  /* a mask that another float's bits are */
  {"grad-bits", 4, NULL, NULL, HEAD "let b = bitcast_u32(x[i])\ny[i] = bitcast_f32(b ^ bitcast_u32(x[i] * 2.0)) }"},
  {"grad-bits", 4, NULL, NULL, HEAD "let b = bitcast_u32(x[i])\ny[i] = bitcast_f32(bitcast_u32(1.5) + (b & 0x7ffff)) }"},
  /* a var that counts as well, or has another float's pattern that is no number; a mask that shifts the mantissa */
  {"grad-bits", 5, NULL, NULL, HEAD "var b : u32 = 0 for q in 0 .. 3 {\nb += bitcast_u32(x[i]) }\ny[i] = bitcast_f32(b) }"},
  {"grad-bits", 4, NULL, NULL, HEAD "var b : u32 = 0xffffffff if i > 1 { b = bitcast_u32(x[i]) }\nif b != 0xffffffff { y[i] = bitcast_f32(b) } }"},
  {"grad-bits", 4, NULL, NULL, HEAD "var b : u32 = 5 if i > 1 { b = bitcast_u32(x[i])\n}\ny[i] = bitcast_f32(b) }"},
  /* exchanges that are tried: what is added goes by what was seen; failing is the end, or one try is; what was seen is of use; no sum */
  {"grad-bits", 3, NULL, NULL, "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[4] write shared t : u32[1]\n"
   "let l = local_id.x if l == 0 { t[0] = 0 } barrier var old = u32(0)\n"
   "while true { let seen = atomic_compare_exchange(t[0], old, bitcast_u32(bitcast_f32(old) + x[l] * bitcast_f32(old))) if seen == old { break } old = seen } barrier y[l] = bitcast_f32(t[0]) }"},
  {"grad-bits", 3, NULL, NULL, "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[4] write shared t : u32[1]\n"
   "let l = local_id.x if l == 0 { t[0] = 0 } barrier var old = u32(0)\n"
   "while true { let seen = atomic_compare_exchange(t[0], old, bitcast_u32(bitcast_f32(old) + x[l])) if seen != old { break } old = seen } barrier y[l] = bitcast_f32(t[0]) }"},
  {"grad-bits", 3, NULL, NULL, "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[4] write shared t : u32[1]\n"
   "let l = local_id.x if l == 0 { t[0] = 0 } barrier var old = u32(0)\n"
   "while old == 0 { let seen = atomic_compare_exchange(t[0], old, bitcast_u32(bitcast_f32(old) + x[l])) old = seen + 1 } barrier y[l] = bitcast_f32(t[0]) }"},
  {"grad-bits", 3, NULL, NULL, "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[4] write shared t : u32[1]\n"
   "let l = local_id.x if l == 0 { t[0] = 0 } barrier var old = u32(0)\n"
   "while true { let seen = atomic_compare_exchange(t[0], old, bitcast_u32(bitcast_f32(old) + x[l])) if seen == old { break } old = seen } y[l] = bitcast_f32(old) barrier y[l] = bitcast_f32(t[0]) }"},
  {"grad-bits", 3, NULL, NULL, "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[4] write shared t : u32[1]\n"
   "let l = local_id.x if l == 0 { t[0] = 0 } barrier var old = u32(0)\n"
   "while true { let seen = atomic_compare_exchange(t[0], old, bitcast_u32(bitcast_f32(old) * x[l])) if seen == old { break } old = seen } barrier y[l] = bitcast_f32(t[0]) }"},
  {"grad-bits", 3, NULL, NULL, "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[4] write shared t : u32[1]\n"
   "let l = local_id.x if l == 0 { t[0] = 0 } barrier var old = u32(0)\n"
   "var done = true while not(done) { let seen = atomic_compare_exchange(t[0], old, bitcast_u32(bitcast_f32(old) + x[l])) done = seen == old old = seen } barrier y[l] = bitcast_f32(t[0]) }"},
  {"grad-bits", 3, NULL, NULL, "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[4] write shared t : u32[1]\n"
   "let l = local_id.x if l == 0 { t[0] = 0 } barrier var old = u32(0)\n"
   "var w = u32(0) while true { let seen = atomic_compare_exchange(t[0], old, bitcast_u32(bitcast_f32(w) + x[l])) if seen == old { break } w = old old = seen } barrier y[l] = bitcast_f32(t[0]) }"},
  {"grad-atomic", 4, NULL, NULL, HEAD "atomic_exchange(s[0], x[i]) }"},
  {"grad-atomic", 4, NULL, NULL, HEAD "y[i] = atomic_load(s[0])\natomic_add(s[0], x[i]) }"},
  /* another invocation may have added before */
  {"grad-atomic", 4, NULL, NULL, HEAD "atomic_store(s[0], 1.0) atomic_add(s[0], x[i]) }"},
  {"grad-atomic", 4, "s", "x", HEAD "if i == 0 { atomic_store(s[0], 1.0) } atomic_add(s[0], x[i]) }"},
  /* another view of it is loaded */
  {"grad-atomic", 4, NULL, NULL, VIEWS("a : f32[8] read_write", "b : f32[8] read") "\ny[i] = b[i] barrier\natomic_max(a[i / 2], x[i]) }"},
  /* something changes it again; it comes by order */
  {"grad-atomic-end", 3, NULL, NULL, GROUP "atomic_max(t[0], x[l]) barrier y[l] = t[0] for j in 0 .. 2 { atomic_max(t[j], 2.0 * x[l]) } barrier y[l] += t[0] }"},
  {"grad-atomic-end", 3, NULL, NULL, GROUP "atomic_max(t[0], x[l]) atomic_add(t[0], x[l]) barrier y[l] = t[0] }"},
  {"grad-atomic-end", 3, NULL, NULL, GROUP "atomic_add(t[0], x[l]) memory_barrier atomic_max(t[0], x[l]) barrier y[l] = t[0] }"},
  {"grad-atomic-end", 4, NULL, NULL, GROUP "for j in 0 .. 3 { barrier if l == 0 { t[0] = 0.0 }\natomic_max(t[0], x[l]) barrier y[l] += t[0] } }"},
  /* what an own element holds meanwhile is loaded, in a loop whose condition changes it */
  {"grad-atomic-end", 4, NULL, NULL, GROUP "var v = x[l] var w = 0\nwhile { let c = w < 1 let old = atomic_min(t[l], v * 0.25) when c } { w += 1 v = t[l] } y[l] = v }"},
  {"grad-atomic-result", 4, NULL, NULL, HEAD "let old = atomic_add(s[0], x[i])\ny[i] = old }"},
  {"grad-bits", 4, NULL, NULL, HEAD "y[i] = bitcast_f32(subgroup_shuffle(bitcast_u32(x[i]) << 1, 0)) }"},
  {"grad-bits", 4, NULL, NULL, HEAD "y[i] = bitcast_f32(subgroup_max(bitcast_u32(x[i]))) }"},
  /* of other sizes, and given on top of what the gradient is asked of */
  {"grad-view", 2, "y", "x", "program p { workgroup 1 grid 1\nbuffer x : f32[4] read view(set 0, binding 0, offset 0, stride 8) buffer y : f32[4] write "
                             "buffer z : u8[4] read_write view(set 0, binding 0, offset 3, stride 2)\ny[0] = x[0] }"},
  /* what is stored through one view is loaded through another as bits; or overwritten through another, or through halves */
  {"grad-view", 4, "y", "x", VIEWS("a : f32[8] write", "b : u32[8] read") "\na[i] = x[i]\ny[i] = bitcast_f32(b[i]) }"},
  {"grad-view", 4, "a", "x", VIEWS("a : f32[8] write", "b : u32[8] write") "\na[i] = x[i]\nb[i] = 0 }"},
  {"grad-view", 4, "y", "x", VIEWS("a : f32[8] read_write", "b : f16[8] write") "\na[i] = x[i]\nb[i] = f16(x[i]) y[i] = a[i] }"},
  {"grad-view", 1, NULL, NULL, VIEWS("a : f32[8] read", "b : f16[8] read") "y[i] = a[i] }"},
  /* told by the module alone */
  {"grad-view", 2, "y", "x", "module m { buffer y : f32[4] write\nbuffer x : f32[4] read view(set 0, binding 0, offset 0, stride 4)\n"
   "buffer z : f64[2] read view(set 0, binding 0, offset 8, stride 8)\n"
   "program p { workgroup 4 grid 1 buffer x : f32[4] read view(set 0, binding 0, offset 0, stride 4) buffer y : f32[4] write\n"
   "y[local_id.x] = x[local_id.x] } run p() }"},
  /* how many trips a round has, or how many rounds there are, goes by the round of a repeat, and nothing bounds it */
  {"grad-needs-rounds", 4, "x", "x", SINES "let i = global_id.x var t = x[i] for j in 0 .. k { t = sin(t) } x[i] = t }\n"
                                     "repeat k in 0 .. 4 { run s(k = 12 / (k + 1)) } }"},
  {"grad-needs-rounds", 4, "x", "x", SINES "x[global_id.x] = sin(x[global_id.x]) * f32(k) }\n"
                                     "repeat k in 0 .. 4 { repeat j in 0 .. 12 / (k + 1) { run s(k = 2) } } }"},
};

START_TEST(refused) {
  const refusal *r = &refusals[_i];
  adt_refused(r->text, r->of, r->wrt, r->id, r->line);
}
END_TEST

/* The same constructs where they do no harm. */
static const char *const allowed[] = {
  /* the loop with the break has nothing on the path, and is before one that has */
  HEAD "var t = 0.0 for j in 0 .. 3 { if idx[j] > 1 { break } memory_barrier } for j in 0 .. 3 { t = t + x[j] } y[i] = t * t }",
  HEAD "let t = x[i] let b = bitcast_u32(stop_gradient(t)) >> 1 y[i] = t * bitcast_f32(b) }",
  HEAD "let b = u32(x[i] * 2.0 + 4.0) & 1 y[i] = x[i] * f32(b) }",
  HEAD "var c = stop_gradient(x[i]) while c < 0.0 { c = c + 0.5 } y[i] = x[i] * x[i] + c * x[i] }",
  HEAD "var t = 0.0 for j in 0 .. n { if x[j] > 1.0 { continue } t = t + x[j] * x[j] } y[i] = t }",
  HEAD "var t = x[i] for j in 0 .. 5 { t = t * x[i] + 0.1 } y[i] = t }",
  HEAD "var t = x[i] for j in 0 .. 3 { for l in 2 .. 9 step 3 { t = sin(t) * 1.5 } } y[i] = t }",
  HEAD "var t = 0.0 var at = i for j in 0 .. 4 { t = t + x[at] * x[at] at = idx[at] } y[i] = t }",
  /* what a trip needs is kept: loops that only the run can count, exits, factors, indices and conditions that are overwritten */
  HEAD "var t = x[i] + 2.0 while t < 9.0 { t = t + t * x[i] * x[i] + 1.0 } y[i] = t }",
  HEAD "var t = 0.0 for j in 0 .. n { if x[j] > 1.0 { break } t = t + x[j] * x[j] } y[i] = t }",
  HEAD "for j in 0 .. n { if x[j] > 1.0 { return } s[i] += x[j] * x[j] } }",
  HEAD "var t = 0.0 for j in 0 .. 3 { if x[j] > 1.0 { break } t = t + x[j] for l in 0 .. 2 { memory_barrier } } y[i] = t * t }",
  HEAD "for j in 0 .. 3 { if x[j] > 1.4 { return } if x[j] > 1.0 { break } } y[i] = x[i] * x[i] }",
  HEAD "var t = x[i] for j in 0 .. n { t = t * x[j] } y[i] = t }",
  HEAD "var t = x[i] for j in 0 .. n { t = sin(t) } y[i] = t }",
  HEAD "var t = 0.0 var at = i for j in 0 .. n { t = t + x[at] at = idx[at] } y[i] = t * t }",
  HEAD "var t = 0.0 var c = 0.0 for j in 0 .. n { if c < 1.0 { t = t + x[j] * x[j] } c = c * 0.5 + t } y[i] = t }",
  HEAD "for j in 0 .. n { s[i] = s[i] * x[j] } }",
  HEAD "var t = 0.0 for j in 0 .. n { var c = 1.0 while c < x[j] { c = c * 1.25 } t = t + x[j] * stop_gradient(c) } y[i] = t }",
  /* tiles that do not quite fill their memory: something of an earlier trip might show through */
  TILE("5", "1") "if k == 0 && l == 0 { s[4] = 0.5 } s[l] = x[k] * x[l] barrier for j in 0 .. 5 { t += s[j] * s[j] } barrier } y[l] = t }",
  TILE("4", "1") "if k == 0 { s[l] = 0.5 } if k > 1 { s[l] = x[k] } barrier for j in 0 .. 4 { t += s[j] * s[j] } barrier } y[l] = t }",
  TILE("4", "1") "if k == 0 { s[l] = 0.5 } barrier if l % 2 == 0 { s[l / 2] = x[k] } barrier\n"
                 "for j in 0 .. 4 { t += s[j] * s[j] } barrier } y[l] = t }",
  TILE("8", "2") "let r = local_id.y if r == k % 2 { s[l + 4 * r] = x[k] } else { if k < 2 { s[l + 4 * r] = 0.5 } } barrier\n"
                 "for j in 0 .. 8 { t += s[j] * s[j] } barrier } if local_id.y == 0 { y[l] = t } }",
  TILE("4", "1") "if k == 0 { s[l] = 0.5 } t += s[l] * s[l] barrier s[l] = x[k] barrier } y[l] = t }",
};

/* Of y by x: the views are read and written, but no path goes through them. */
static const char *const views_allowed[] = {
  VIEWS("a : u32[8] read", "b : i32[8] read") " y[i] = x[i] * x[i] * f32(b[i] & 3) + f32(a[i] & 1) }",
  VIEWS("a : u32[8] write", "b : u32[8] read in 0 .. 8") " let k = b[i] & 7 a[i] = k + 1 y[i] = x[i] * x[i] * f32(k) }",
  /* an index that a store through another view changes */
  "program p { workgroup 1 grid 1 param n : u32 = 8 buffer x : f32[n] read buffer y : f32[n] read_write\n"
  "buffer a : u32[8] write view(set 0, binding 7, offset 0, stride 4)\n"
  "buffer b : u32[8] read in 0 .. n view(set 0, binding 7, offset 0, stride 4)\n"
  "for j in 0 .. n { let t = x[b[j]] y[j] += t * t a[(j + 1) & 7] = (b[j] + j) & 7 } }",
};

/* By `verify`: views of several types have no intervals, and it knows to do without. */
START_TEST(views_beside_the_path) {
  const char *y = "y", *x = "x";
  kg_module *m = NULL;
  kg_verdict *verdict = NULL;
  char heard[400] = "";
  kg_verify_params params = {.of = &y, .of_count = 1, .wrt = &x, .wrt_count = 1, .differences = true};
  ck_assert_int_eq(kg_module_parse(NULL, "t", views_allowed[_i], strlen(views_allowed[_i]), NULL, &m), KG_OK);
  kg_status status = kg_verify(m, &params, &(kg_sink){adt_first, heard}, &verdict);
  ck_assert_msg(status == KG_OK, "status %d: %s", (int)status, heard);
  ck_assert_int_eq(kg_verdict_summary(verdict).outcome, KG_OUTCOME_PASSED);
  kg_verdict_free(verdict);
  kg_module_free(m);
}
END_TEST

/* Floats of which a view of integers lies over the bytes: neither duals nor intervals can follow, yet no path goes through. */
START_TEST(integers_over_floats) {
  const char *text = VIEWS("a : f32[8] read", "b : u32[8] read") " y[i] = x[i] * a[i] * f32(b[i] & 3) }", *y = "y", *x = "x";
  kg_module *m = NULL, *g = NULL;
  kg_grad_params params = {.of = &y, .of_count = 1, .wrt = &x, .wrt_count = 1};
  ck_assert_int_eq(kg_module_parse(NULL, "t", text, strlen(text), NULL, &m), KG_OK);
  ck_assert_int_eq(kg_grad(m, &params, NULL, &g), KG_OK);
  kg_module_free(m);
  kg_module_free(g);
}
END_TEST

START_TEST(goes_through) { adt_holds(allowed[_i]); }
END_TEST

static void count(void *user, const kg_diag *diag) {
  if (!strcmp(diag->id, "grad-independent") && diag->severity == KG_WARNING) ++*(int *)user;
}

START_TEST(independent_is_warned_of) {
  const char *text = HEAD "y[i] = stop_gradient(x[i]) }", *of = "y", *wrt = "x";
  int warnings = 0;
  kg_sink sink = {count, &warnings};
  kg_module *m = NULL, *g = NULL;
  ck_assert_int_eq(kg_module_parse(NULL, "t", text, strlen(text), NULL, &m), KG_OK);
  kg_grad_params params = {.of = &of, .of_count = 1, .wrt = &wrt, .wrt_count = 1};
  ck_assert_int_eq(kg_grad(m, &params, &sink, &g), KG_OK);
  ck_assert_int_eq(warnings, 1);
  kg_module_free(m);
  kg_module_free(g);
}
END_TEST

static kg_status grad_with(const char *text, kg_grad_params params, char id[64]) {
  adt_case c = {.params = params};
  kg_status status = adt_differentiate(&c, text);
  snprintf(id, 64, "%s", c.diag);
  adt_free(&c);
  return status;
}

START_TEST(deterministic) {
  char id[64];
  kg_grad_params params = {.deterministic = true};
  ck_assert_int_eq(grad_with(HEAD "y[i] = x[i] * x[i] }", params, id), KG_OK);
  ck_assert_int_eq(grad_with(HEAD "y[i] = x[idx[i]] }", params, id), KG_OK);
  ck_assert_int_eq(grad_with(HEAD "s[i] = s[idx[i]] }", params, id), KG_REFUSED);
  ck_assert_str_eq(id, "grad-not-deterministic");
}
END_TEST

/* 8 lanes keep 6 trips' values of 4 bytes: 192 bytes. */
#define TAPED "program p { workgroup 4 grid invocations n param n : u32 = 6 buffer x : f32[n] read buffer y : f32[n] write\n" \
              "let i = global_id.x var t = x[i] for j in 0 .. n {\nt = sin(t) } y[i] = t }"

START_TEST(tape_limit) {
  char id[64];
  const char *of = "x", *no_default = "program p { workgroup 4 grid invocations n param n : u32 buffer x : f32[n] read_write\n"
                                      "let i = global_id.x for j in 0 .. n { x[i] = sin(x[i]) } }";
  /* six trips are one strip, and as many invocations 8 lanes */
  ck_assert_int_eq(grad_with(TAPED, (kg_grad_params){.tape_limit = 32}, id), KG_OK);
  ck_assert_int_eq(grad_with(TAPED, (kg_grad_params){.tape_limit = 31}, id), KG_REFUSED);
  ck_assert_str_eq(id, "grad-tape-limit");
  kg_grad_params unknown = {.tape_limit = UINT64_MAX, .of = &of, .of_count = 1, .wrt = &of, .wrt_count = 1};
  ck_assert_int_eq(grad_with(no_default, unknown, id), KG_REFUSED);
  ck_assert_str_eq(id, "grad-tape-limit");
}
END_TEST

START_TEST(accumulation) {
  char id[64];
  const char *wrt = "s", *of = "y";
  kg_grad_params params = {.accumulate = true, .of = &of, .of_count = 1, .wrt = &wrt, .wrt_count = 1};
  ck_assert_int_eq(grad_with(HEAD "y[i] = s[i] s[i] = 0.0 }", params, id), KG_OK);
  adt_case c = {.params = {.accumulate = true}, .seed = 2};
  adt_prepare(&c, "program p { workgroup 4 grid invocations n param n : u32 = 6 buffer x : f32[n] read buffer y : f32[n] write\n"
                  "let i = global_id.x if i < n { y[i] = 3.0 * x[i] } }", NULL);
  adt_copy(&c.result, &c.before);
  for (uint64_t i = 0; i < 6; i++) adt_set(&c.result, "grad_x", i, 100), adt_set(&c.result, "grad_y", i, (double)i);
  adt_run(&c.result);
  for (uint64_t i = 0; i < 6; i++) ck_assert(adt_get(&c.result, "grad_x", i) == 100 + 3 * (double)i);
  adt_free(&c);
}
END_TEST

#ifdef KG_DEVELOPMENT
/* Where nothing bounds a loop some trips are assumed, usually. */
static const refusal unbounded[] = {
  {"grad-needs-replay", 5, NULL, NULL, HEAD "var t = x[i] while t < 9.0 {\nt = t * t + 1.0 } y[i] = t }"},
};

START_TEST(nothing_assumed) {
  uint32_t before = kgi_limits[KGI_LIMIT_assumed_trips];
  kgi_limits[KGI_LIMIT_assumed_trips] = 1;
  adt_refused(unbounded[_i].text, unbounded[_i].of, unbounded[_i].wrt, unbounded[_i].id, unbounded[_i].line);
  kgi_limits[KGI_LIMIT_assumed_trips] = before;
}
END_TEST
#endif

/* A run has two names for one buffer. */
START_TEST(aliased) {
  const char *text = "module m { buffer x : f32[4] read buffer y : f32[4] write\n"
                     "program p { workgroup 4 grid 1 buffer a : f32[4] read buffer b : f32[3] read buffer c : f32[4] write\n"
                     "let i = global_id.x c[i] = a[i] * b[i] }\n"
                     "run p(a = x, b = x, c = y) }";
  adt_refused(text, "y", "x", "grad-aliased", 4);
}
END_TEST

/* A name that is counted and not there. */
START_TEST(names_may_be_missing) {
  const char *text = HEAD "y[i] = x[i] }", *of[] = {"y", NULL}, *wrt[] = {"x", NULL};
  kg_module *m = NULL, *g = NULL;
  kg_verdict *verdict = NULL;
  ck_assert_int_eq(kg_module_parse(NULL, "t", text, strlen(text), NULL, &m), KG_OK);
  for (size_t k = 1; k <= 2; k++) {
    char heard[400] = "";
    const kg_sink sink = {adt_first, heard};
    kg_grad_params params = {.of = of, .of_count = k, .wrt = wrt, .wrt_count = 3 - k};
    kg_verify_params judged = {.of = of, .of_count = k, .wrt = wrt, .wrt_count = 3 - k};
    ck_assert_int_eq(kg_grad(m, &params, &sink, &g), KG_INVALID);
    ck_assert_msg(strstr(heard, "is given no name"), "%s", heard);
    ck_assert_int_eq(kg_verify(m, &judged, NULL, &verdict), KG_INVALID);
  }
  kg_module_free(m);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT_TABLE(refused, refusals, text), KGT_TEXTS(views_beside_the_path, views_allowed), KGT(integers_over_floats),
    KGT_TEXTS(goes_through, allowed), KGT(independent_is_warned_of),
    KGT(deterministic), KGT(tape_limit), KGT(accumulation), KGT(aliased), KGT(names_may_be_missing),
#ifdef KG_DEVELOPMENT
    KGT_TABLE(nothing_assumed, unbounded, text),
#endif
  };
  return kgt_run("autodiff/refusals", tests, KGT_COUNT(tests));
}
