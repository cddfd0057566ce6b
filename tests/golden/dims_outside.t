;;; TOOL: kgrad run {in} --device reference --in z=zeros --in x=1,2,3,4,5,6
// Each index is held against its own extent, whatever its type: nothing wraps around, and the next row is not reached.
// 13 of the 17 loads of x are outside, and 4 of the 15 writes to z.
program p {
  workgroup 1
  grid 1
  param cols : u32 = 3
  param minus : i32 = -1
  param huge : u64 = 4294967297
  param low : i64 = -4294967295
  buffer x : f32[2, cols] read
  buffer u : f32[8] write
  buffer y : f32[8] write
  buffer z : f32[2, 2, 2] read_write
    u[0] = x[0, cols]
  u[1] = x[1, cols]
  u[2] = x[1, minus]
  u[3] = x[minus, 1]
  u[4] = x[0, huge]
  u[5] = x[huge, 0]
  u[6] = x[0, low]
  u[7] = x[low, 0]
  y[0] = x[2, 0]
  y[1] = x[0, u32(4294967295)]
  y[2] = x[1, 2]
  y[3] = x[i64(0), u64(1)]
  y[4] = x[u32(minus), 0]
  y[5] = x[0, 2147483647]
  y[6] = x[i64(minus), 0]
  y[7] = x[1, 0] + x[5] * 10.0
  for k in 0 .. 8 { z[k] = 1.0 }
  z[0, 0, 2] = 9.0
  z[0, 2, 0] = 9.0
  z[minus, 1, 1] = 9.0
  z[0, huge, 0] = 9.0
  z[1, 0, 1] = 2.0
  z[minus + 1, 1, i64(0)] += 2.0
  atomic_add(z[1, 1, 1], 4.0)
}
;;; STDOUT:
u : f32[8] = 0 0 0 0 0 0 0 0
y : f32[8] = 0 0 6 2 0 0 0 64
z : f32[2, 2, 2] = 1 1 3 1 1 2 1 5
;;; STDERR:
kgrad: note: out of bounds: 13 loads, which gave 0, and 4 stores, which were dropped; the first at 14:12
