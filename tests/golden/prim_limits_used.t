;;; TOOL: kgrad run {in} --device reference --param side=4097
;;; EXIT: 2
// What the primitive promises of its sizes is asked for through two modules.
module m {
  param  side : u32 = 8
  buffer a : f32[1, side, side] read
  buffer damping : f32[1] read
  buffer x : f32[1, side, side] write
  buffer status : u32[1] write
  use primitive kfac_inverse_large as invert
  run invert(inverse = x, n_blocks = 1, n = side)
}
;;; STDERR:
kgrad: note: random values of seed 1 are in a, damping [random-data]
  fix: give --in NAME=FILE, NAME=1,2,3, NAME=ones or NAME=zeros; NAME=random says that they are meant
prim_limits_used.kg:8:7: error: param n is 4097, and its declared range is 0 .. 4097 [param-range]
     8 |   use primitive kfac_inverse_large as invert
       |       ^
  fix: give n a value from 0 on that is less than 4097
