;;; TOOL: kgrad run {in} --seed 3
program p {
  workgroup 1
  grid      1
  buffer    a : f32[4] read_write
  buffer    b : u32[4] read_write in 3 .. 5
  buffer    c : f32[4] read_write in 10.0 .. 10.5
  a[0] = a[0]
}
;;; STDOUT:
a : f32[4] = -0.9111205 0.8782437 -0.36350724 -0.21686967
b : u32[4] = 4 4 4 3
c : f32[4] = 10.288448 10.000406 10.224246 10.061148
;;; STDERR:
kgrad: note: random values of seed 3 are in a, b, c [random-data]
  fix: give --in NAME=FILE, NAME=1,2,3, NAME=ones or NAME=zeros; NAME=random says that they are meant
