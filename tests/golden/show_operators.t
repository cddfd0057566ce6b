;;; TOOL: kgrad show {in}
// Precedence, associativity, unary operators, calls.
program operators {
  workgroup 8
  grid      1
  buffer    a : i32[8] read
  buffer    x : f32[8] read
  buffer    o : i32[64] write
  buffer    p : f32[64] write
  buffer    q : u32[8] write

  let i = local_index
  let u = a[0]
  let v = a[1]
  let w = a[2]
  let s = x[0]
  let t = x[1]
  o[0] = u + v * w
  o[1] = (u + v) * w
  o[2] = u - (v - w)
  o[3] = u - v - w
  o[4] = u / (v / w) % 3
  o[5] = u << v + 1 >> w
  o[6] = (u << v) + 1
  o[7] = u & v ^ w | u
  o[8] = u & (v ^ (w | u))
  o[9] = -u * -v
  o[10] = -(u * v)
  o[11] = ~u & ~-v
  o[12] = - -u
  o[13] = select((u & 1) == 0 && v != w || !(u < v), u, -1)
  o[14] = select(u == v, 1, 0) + (select(u < v, 2, 3) << 1)
  o[15] = i32(s) + i32(i)
  o[16] = bitcast_i32(s)
  o[17] = min(u, max(v, 3))
  o[18] = -2147483648
  o[19] = 0x7fffffff
  o[20] = clz(u) + popcount(~v)
  o[21] = bit_extract(u, 3, 5) + bit_insert(u, v, 1, 2)
  o[22] = rotl(u, 3) + mod(u, 5) + u % 5
  o[23] = mul_high(u, v) + saturating_add(u, 1)
  o[24] = abs_diff(u, v) * sign(w)
  p[0] = s - -t
  p[1] = -s * t + 0.1
  p[2] = fma(s, t, 1)
  p[3] = pow(s, 2) + sqrt(2.0) + exp(1)
  p[4] = 1e-7 + 1e30 + 123456.789 + 16777216 + 0.5
  p[5] = -0.0
  p[6] = nan
  p[7] = -inf
  p[8] = ldexp(s, 3)
  p[9] = select(is_nan(s) || is_inf(t), 0, 1.0)
  p[10] = f32(f64(s) * 0.1)
  p[11] = f32(i64(3) + i64(u))
  p[12] = f32(u32(1)) + f32(f16(0.5))
  p[13] = clamp(s, 0, 1) + stop_gradient(t)
  p[14] = mulz(s, t) + (1 + 2) * s
  p[15] = neg(1.0) + f32(1 + 2)
  q[0] = pack_half_2x16(s, t)
  q[1] = u32(1) + 4294967295
  q[2] = select(u32(1) < 2, 1, 2)
  p[16] = unpack_unorm_4x8(7, 2)
  p[17] = f32(u64(18446744073709551615)) + f32(f64(1.0) < 2.0)
  p[18] = (s + t) * (s - t) / (s * t) / s
  q[3] = select(f16(0.1) < f16(s), 1, 0)
}
;;; STDOUT:
program operators {
  workgroup 8
  grid      1
  buffer    a : i32[8] read
  buffer    x : f32[8] read
  buffer    o : i32[64] write
  buffer    p : f32[64] write
  buffer    q : u32[8] write

  let u = a[0]
  let v = a[1]
  let w = a[2]
  let s = x[0]
  let t = x[1]
  o[0] = u + v * w
  o[1] = (u + v) * w
  o[2] = u - (v - w)
  o[3] = u - v - w
  o[4] = u / (v / w) % 3
  o[5] = u << v + 1 >> w
  o[6] = (u << v) + 1
  o[7] = u & v ^ w | u
  o[8] = u & (v ^ (w | u))
  o[9] = -u * -v
  o[10] = -(u * v)
  o[11] = ~u & ~(-v)
  o[12] = -(-u)
  o[13] = select(u & 1 == 0 && v != w || !(u < v), u, -1)
  o[14] = select(u == v, 1, 0) + (select(u < v, 2, 3) << 1)
  o[15] = i32(s) + i32(local_index)
  o[16] = bitcast_i32(s)
  o[17] = min(u, max(v, 3))
  o[18] = -2147483648
  o[19] = 2147483647
  o[20] = clz(u) + popcount(~v)
  o[21] = bit_extract(u, 3, 5) + bit_insert(u, v, 1, 2)
  o[22] = rotl(u, 3) + mod(u, 5) + u % 5
  o[23] = mul_high(u, v) + saturating_add(u, 1)
  o[24] = abs_diff(u, v) * sign(w)
  p[0] = s - -t
  p[1] = -s * t + 0.1
  p[2] = fma(s, t, 1.0)
  p[3] = pow(s, 2.0) + sqrt(2.0) + exp(1.0)
  p[4] = 1e-7 + 1e30 + 123456.79 + 16777216.0 + 0.5
  p[5] = -0.0
  p[6] = nan
  p[7] = -inf
  p[8] = ldexp(s, 3)
  p[9] = select(is_nan(s) || is_inf(t), 0.0, 1.0)
  p[10] = f32(f64(s) * 0.1)
  p[11] = f32(3 + i64(u))
  p[12] = f32(u32(1)) + f32(f16(0.5))
  p[13] = clamp(s, 0.0, 1.0) + stop_gradient(t)
  p[14] = mulz(s, t) + (1.0 + 2.0) * s
  p[15] = neg(1.0) + f32(1 + 2)
  q[0] = pack_half_2x16(s, t)
  q[1] = 1 + 4294967295
  q[2] = select(u32(1) < 2, 1, 2)
  p[16] = unpack_unorm_4x8(7, 2)
  p[17] = f32(u64(18446744073709551615)) + f32(f64(1.0) < 2.0)
  p[18] = (s + t) * (s - t) / (s * t) / s
  q[3] = select(0.1 < f16(s), 1, 0)
}
