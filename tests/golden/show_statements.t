;;; TOOL: kgrad show {in}
// Every statement, in every form.
program statements {
  const     T = 64
  const     gain : f32 = 1.5
  const     flag = true
  const     wide : i64 = -9223372036854775808
  workgroup T
  grid      invocations n
  param     n : u32 = 100 in 1 .. 1000
  param     rate : f32 = -0.5 in -1.0 .. 1.0
  param     on : bool = true
  buffer    x : f32[n] read in -1.5 .. 1.5
  buffer    idx : u32[n * 2 - 1] read in 0 .. n
  buffer    y : f32[max(n, T) + min(n % 7, n / 3)] read_write
  buffer    z : f32[] write
  buffer    loss : f32 read_write
  buffer    count : u32[len(x)] read_write
  shared    part : f32[T]
  shared    total : f32

  let i = global_id.x
  var best = -inf
  var k : i8 = 3
  var scratch : f32[4]
  var undefined : u32
  undefined = 1
  if i < n && on || flag {
    let t = x[i]
    y[i] = t * gain
    z[i] = t + rate
  } else if i == n {
    y[0] = 0.0
  } else {
    y[1] += 1
  }
  for j in 0 .. n { best = max(best, x[j]) }
  for j in 0 .. 10 step 3 { k += j }
  for j in i .. n step T reversed { count[j] -= 1 }
  for j in 0 .. 4 { scratch[j] = f32(j) }
  while undefined < 10 limit n { undefined = undefined * 2 }
  while { let a = x[undefined]; when a * a < 4.0 } { undefined += 1; if undefined > 20 { break } continue }
  region inner {
    let kept = scratch[k]
    total = kept
  }
  part[local_index] = kept
  barrier
  memory_barrier
  atomic_add(loss, best)
  let old = atomic_max(count[0], 7)
  atomic_store(count[1], old)
  y[2] = f32(atomic_compare_exchange(count[2], 0, 1) + atomic_load(count[3]))
  assert best < 1e30 "too large: \"best\"\n\\ \x01"
  loss += subgroup_add(best)
  if i > 5 { return }
  barrier
}
;;; STDOUT:
program statements {
  const     T = 64
  const     gain = 1.5
  const     flag = true
  const     wide : i64 = -9223372036854775808
  workgroup T
  grid      invocations n
  param     n : u32 = 100 in 1 .. 1000
  param     rate : f32 = -0.5 in -1.0 .. 1.0
  param     on : bool = true
  buffer    x : f32[n] read in -1.5 .. 1.5
  buffer    idx : u32[n * 2 - 1] read in 0 .. n
  buffer    y : f32[max(n, T) + min(n % 7, n / 3)] read_write
  buffer    z : f32[] write
  buffer    loss : f32 read_write
  buffer    count : u32[len(x)] read_write
  shared    part : f32[T]
  shared    total : f32

  var best = -inf
  var k : i8 = 3
  var scratch : f32[4]
  var undefined : u32 = 1
  if global_id.x < n && on || flag {
    let t = x[global_id.x]
    y[global_id.x] = t * gain
    z[global_id.x] = t + rate
  } else if global_id.x == n {
    y[0] = 0.0
  } else {
    y[1] += 1.0
  }
  for j in 0 .. n {
    best = max(best, x[j])
  }
  for j in 0 .. 10 step 3 {
    k += j
  }
  for j in global_id.x .. n step T reversed {
    count[j] -= 1
  }
  for j in 0 .. 4 {
    scratch[j] = f32(j)
  }
  while undefined < 10 limit n {
    undefined *= 2
  }
  while {
    let a = x[undefined]
    when a * a < 4.0
  } {
    undefined += 1
    if undefined > 20 {
      break
    }
    continue
  }
  region inner {
    let kept = scratch[k]
    total = kept
  }
  part[local_index] = kept
  barrier
  memory_barrier
  atomic_add(loss, best)
  let old = atomic_max(count[0], 7)
  atomic_store(count[1], old)
  y[2] = f32(atomic_compare_exchange(count[2], 0, 1) + atomic_load(count[3]))
  assert best < 1e30 "too large: \"best\"\n\\ \x01"
  loss += subgroup_add(best)
  if global_id.x > 5 {
    return
  }
  barrier
}
