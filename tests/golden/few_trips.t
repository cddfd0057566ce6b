;;; TOOL: kgrad grad {in} --explain -o /dev/null
// A sift up a heap, and a search: halves of 32 bits.
program sift {
  workgroup 4
  grid      invocations n
  param     n : u32 = 3
  buffer    x : f32[n] read
  buffer    at : u32[n] read
  buffer    y : f32[n] write

  let i = global_id.x
  if i < n {
    var v = x[i]
    var k = at[i]
    while k > 0 {
      v = sin(v)
      k = (k - 1) / 2
    }
    var lo : u32 = 0
    var hi = at[i]
    while lo < hi {
      let mid = (lo + hi) / 2
      v = sin(v)
      if v < 0.5 { lo = mid + 1 } else { hi = mid }
    }
    y[i] = v
  }
}
;;; STDERR:
grad_x: gradient of x; each element is stored once
grad_y: cotangent of y; it is only read
run of sift, line 2: forward and reverse in one program; active: x, y, var v
  line 15: v: kept in an array, f32[33], 132 bytes: the store in line 15 overwrites it
  line 22: v: kept in an array, f32[33], 132 bytes: the store in line 22 overwrites it
  shadow of x: stored once: the load in line 12 reaches every element once
