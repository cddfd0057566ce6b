;;; TOOL: kgrad show {in}
// Storage types convert on load and store; literals take their type from either side.
program types {
  workgroup 1
  grid      1
  param     h : f16 = 0.099975586
  param     d : f64 = 0.1
  param     m : i64 = -5
  param     u : u64 = 18446744073709551615
  buffer    a : i8[4] read_write
  buffer    b : u8[4] read_write
  buffer    c : i16[4] read_write
  buffer    e : u16[4] read_write
  buffer    g : bf16[4] read_write
  buffer    i : f16[4] read_write
  buffer    j : f64[4] read_write
  buffer    k : i64[4] read_write
  buffer    l : u64[4] read_write

  a[0] = a[1] + 1
  b[0] = b[1] << 3
  c[0] -= 5
  e[0] ^= 0xFFFF
  g[0] = g[1] * 0.1
  i[0] = i[1] * h + 65504 - 6e-8
  j[0] = j[1] * d + 0.1 + 1e300 + 4.9e-324
  k[0] = k[1] * m - 9223372036854775807
  l[0] = l[1] % u
  var s : bf16 = 2.5
  var t : u16 = 7
  var v : f64 = 1
  var w = f16(2.0)
  s = s + 1
  t = t + 1
  v = v + f64(s)
  w = w * 2
  let q : f64 = 1.5
  let r : u64 = 3 + 4
  j[1] = q
  l[1] = r
}
;;; STDOUT:
program types {
  workgroup 1
  grid      1
  param     h : f16 = 0.1
  param     d : f64 = 0.1
  param     m : i64 = -5
  param     u : u64 = 18446744073709551615
  buffer    a : i8[4] read_write
  buffer    b : u8[4] read_write
  buffer    c : i16[4] read_write
  buffer    e : u16[4] read_write
  buffer    g : bf16[4] read_write
  buffer    i : f16[4] read_write
  buffer    j : f64[4] read_write
  buffer    k : i64[4] read_write
  buffer    l : u64[4] read_write

  a[0] = a[1] + 1
  b[0] = b[1] << 3
  c[0] -= 5
  e[0] ^= 65535
  g[0] = g[1] * 0.1
  i[0] = i[1] * h + 65500.0 - 6e-8
  j[0] = j[1] * d + 0.1 + 1e300 + 5e-324
  k[0] = k[1] * m - 9223372036854775807
  l[0] = l[1] % u
  var s : bf16 = 2.5
  var t : u16 = 7
  var v : f64 = 1.0
  var w : f16 = 2.0
  s += 1.0
  t += 1
  v += f64(s)
  w *= 2.0
  let r : u64 = 3 + 4
  j[1] = 1.5
  l[1] = r
}
