;;; TOOL: kgrad grad {in} --explain -o adjoint.kg
// Rows of a sparse matrix: a tape for each of their trips would have room for all elements in every row.
program csr3 {
  workgroup 64
  grid invocations n
  param n : u32 = 20000
  param nnz : u32 = 400000
  buffer start : u32[n + 1] read in 0 .. nnz + 1 drawn ascending
  buffer src : u32[nnz] read in 0 .. 256
  buffer h : f32[n, 64] read
  buffer w : f32[64, 256] read
  buffer y : f32[n] write
  let i = global_id.x
  if i >= n { return }
  var s = h[i, 0]
  for layer in 0 .. 3 {
    let sv = s
    var acc = 0.0
    var q : f32[256]
    for f in u32(0) .. 256 { var t = 0.0  for j in u32(0) .. 64 { t += w[j, f] * h[i, j] * sv }  q[f] = t }
    for e in start[i] .. start[i + 1] {
      acc += 0.01 * sin(q[src[e]])
    }
    s = tanh(acc + s)
  }
  y[i] = s
}
;;; STDERR:
grad_h: gradient of h; each element belongs to one invocation, which adds to it
grad_w: gradient of w; invocations add to it atomically
grad_y: cotangent of y; it is only read
run of csr3, line 2: forward and reverse in one program; active: h, w, y, var s, var acc, var q, var t
  line 16: sv (of s): kept in an array, f32[3], 12 bytes: the store in line 23 overwrites it
  line 19: w: recomputed in the reverse of line 19: nothing overwrites it before
  line 19: h: recomputed in the reverse of line 19: nothing overwrites it before
  line 19: mul: recomputed in the reverse of line 19
  line 21: src: recomputed in the reverse of line 20: nothing overwrites it before
  line 21: q: recomputed in the reverse of line 20: it is filled again
  line 23: add: recomputed in the reverse of line 15
  line 17: acc: refilled in the reverse of line 15: its stores are run again, from line 17 on
  line 18: q: refilled in the reverse of line 15: its stores are run again, from line 19 on
  line 19: t: refilled in the reverse of line 15: its stores are run again, from line 19 on
  shadow of h: added to by one invocation: no two invocations load one element: line 14
  shadow of w: added to atomically: another invocation may load the same element in line 19
what would help in the run of csr3, with --param or --grid:
  shadow of w: no value of params that was tried makes it plain
