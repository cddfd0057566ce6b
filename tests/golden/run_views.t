;;; TOOL: kgrad run {in} --device reference --in x=x.npy
// Every second number of a block, and all of them.
program p {
  workgroup 4
  grid      1
  buffer    x : u32[4] read_write view(set 0, binding 0, offset 0, stride 8)
  buffer    all : u32[8] write view(set 0, binding 0, offset 0, stride 4)

  x[local_id.x] = local_id.x + 10
  if local_id.x > 1 { all[2 * local_id.x + 1] = 99 }
}
;;; HEX: x.npy
93 4e 55 4d 50 59 01 00 76 00 7b 27 64 65 73 63
72 27 3a 20 27 3c 75 34 27 2c 20 27 66 6f 72 74
72 61 6e 5f 6f 72 64 65 72 27 3a 20 46 61 6c 73
65 2c 20 27 73 68 61 70 65 27 3a 20 28 34 2c 29
2c 20 7d 20 20 20 20 20 20 20 20 20 20 20 20 20
20 20 20 20 20 20 20 20 20 20 20 20 20 20 20 20
20 20 20 20 20 20 20 20 20 20 20 20 20 20 20 20
20 20 20 20 20 20 20 20 20 20 20 20 20 20 20 0a
01 00 00 00 02 00 00 00 03 00 00 00 04 00 00 00
;;; STDOUT:
x : u32[4] = 10 11 12 13
all : u32[8] = 10 0 11 0 12 99 13 99
