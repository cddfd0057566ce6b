;;; TOOL: kgrad grad {in} --of y --wrt x --explain -o a.kg --tape-limit 400
program cut_spares_words {
  workgroup 4
  grid      invocations rows
  param     rows : u32 = 8
  param     cols : u32 = 40
  param     steps : u32 = 3
  buffer    x : f32[rows, cols] read
  buffer    y : f32[rows, steps] write
  shared    h : f32[4]

  let i = global_id.x
  h[local_id.x] = 0.25
  barrier
  for t in 0 .. steps {
    var sum = h[(local_id.x + 1) % 4]
    if i < rows {
      for k in 0 .. cols { sum += sin(sum * x[i, k]) }
      y[i, t] = sum * sum
    }
    barrier
    h[local_id.x] = tanh(sum)
    barrier
  }
}
;;; STDERR:
grad_x: gradient of x; each element belongs to one invocation, which adds to it
grad_y: cotangent of y; each element belongs to one invocation, which adds to it
run of cut_spares_words, line 1: forward and reverse in one program; active: x, y, shared h, var sum
  line 15: h: kept in tape_cut_spares_words_1, f32[steps * ((rows + 3) / 4 * 4)], 96 bytes: the store in line 21 overwrites it
  line 17: sum: kept in tape_cut_spares_words, f32[(cols + 15) / 16 * steps * ((rows + 3) / 4 * 4)], 288 bytes: at the start of every 16 trips, which are run again
  line 17: sum: kept while line 17 is run again in an array, f32[16], 64 bytes: the store in line 17 overwrites it
  line 17: x: recomputed in the reverse of line 17: nothing overwrites it before
  line 17: mul: recomputed in the reverse of line 17
  line 18: sum: recomputed in the reverse of line 16: it is filled again
  line 21: sum: recomputed in the reverse of line 14: it is filled again
  line 15: sum: refilled in the reverse of line 14: its stores are run again, from line 15 on
  line 15: sum: refilled in the reverse of line 14: its stores are run again, from line 17 on
  line 15: sum: refilled in the reverse of line 17: its stores are run again, from line 17 on
  shadow of x: added to by one invocation: no two invocations load one element: line 17
  shadow of h: added to by one invocation: no two invocations load one element between two barriers, or the one that does stores to it too
tape_cut_spares_words: a tape, f32[(cols + 15) / 16 * steps * ((rows + 3) / 4 * 4)], 288 bytes
tape_cut_spares_words_1: a tape, f32[steps * ((rows + 3) / 4 * 4)], 96 bytes
tapes: 384 bytes
