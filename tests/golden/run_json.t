;;; TOOL: kgrad run {in} --json --param n=3 --device reference
program many {
  workgroup 1
  grid      1
  param     n : u32
  param     rate : f32 = 0.25
  buffer    a : f32[n] write
  buffer    b : i64[1] read_write in -5 .. -4
  buffer    c : u8[2] write
  a[0] = 1.0 / 0.0
  a[1] = 0.1
  a[2] = sqrt(-1.0)
  b[0] = b[0] * i64(3)
  c[1] = 300
  c[2] = 1
}
;;; STDOUT:
{"command":"run","status":0,"diagnostics":[{"id":"random-data","severity":"note","file":null,"message":"random values of seed 1 are in b","fix":"give --in NAME=FILE, NAME=1,2,3, NAME=ones or NAME=zeros; NAME=random says that they are meant"}],"result":{"device":"reference","params":{"n":3,"rate":0.25},"buffers":[{"name":"a","type":"f32","length":3,"shape":[3],"first_values":["inf",0.1,"nan"]},{"name":"b","type":"i64","length":1,"shape":[1],"first_values":[-15]},{"name":"c","type":"u8","length":2,"shape":[2],"first_values":[0,44]}],"out_of_bounds_loads":0,"out_of_bounds_stores":1,"out_of_bounds_line":14,"out_of_bounds_column":3}}
