;;; TOOL: kgrad verify {in}
;;; EXIT: 2
// The largest param decides no length, and n = 100 would not do either.
program seeded {
  workgroup 64
  grid      1
  param     n : u32 = 900
  param     seed : u32 = 123456
  param     below : i32 = -1
  buffer    x : f32[n * 1000000] read
  buffer    y : f32[64] write
  y[global_id.x] = x[seed] * f32(below)
}
;;; STDERR:
kgrad: error: buffer x has 900000000 elements here, and all buffers together may have 100000000 [too-many-elements]
  fix: give a smaller size, as in --param n=10
