;;; TOOL: kgrad grad {in} --explain -o /dev/null
program chain {
  workgroup 8
  param     T : u32 = 40
  grid      invocations 8
  buffer    x : f32[8] read
  buffer    y : f32[8] write
  buffer    count : u32[1] read_write
  var h = x[global_id.x]
  for t in 0 .. T {
    region checkpoint inner {
      let n = atomic_add(count[0], 1)
      for k in 0 .. 64 { h = sin(h) + f32(n % 2) }
    }
  }
  y[global_id.x] = h
}
;;; STDERR:
grad_x: gradient of x; each element is stored once
grad_y: cotangent of y; it is only read
run of chain, line 1: forward and reverse in one program; active: x, y, var h
  line 10: h: kept in tape_chain_1, f32[T * 8], 1280 bytes: the checkpoint in line 10 starts from it, and is run again
  line 11: n (of count): kept in tape_chain, u32[T * 8], 1280 bytes: it comes out of an atomic, which is not run again
  line 12: h: kept while line 10 is run again in an array, f32[64], 256 bytes: the store in line 12 overwrites it
  line 8: h: refilled in the reverse of line 10: its stores are run again, from line 10 on
  line 10: checkpoint inner: each invocation keeps 320 bytes of what it reads, and 256 while it is run again; without it 1184 bytes; of its 11 statements 9 are run again
  shadow of x: stored once: the load in line 8 reaches every element once
tape_chain: a tape, u32[T * 8], 1280 bytes
tape_chain_1: a tape, f32[T * 8], 1280 bytes
tapes: 2560 bytes
