;;; TOOL: kgrad show {in}
// Ids, subgroup operations, atomics.
program lanes {
  workgroup 4, 4, 2
  grid      2, 3, 4
  buffer    f : f32[64] read_write
  buffer    n : u32[64] read_write
  buffer    s : i32[64] read_write
  shared    b : u32[8]

  let x = f[global_id.x]
  f[0] = subgroup_mul(x) + subgroup_min(x) + subgroup_max(x)
  f[1] = subgroup_inclusive_add(x) - subgroup_exclusive_mul(x)
  f[2] = subgroup_broadcast(x, 3) + subgroup_broadcast_first(x)
  f[3] = subgroup_shuffle(x, subgroup_lane ^ 1) + subgroup_shuffle_xor(x, 2)
  f[4] = subgroup_shuffle_up(x, 1) + subgroup_shuffle_down(x, 1)
  n[0] = subgroup_ballot(x > 0, 0) + subgroup_and(n[1]) + subgroup_or(n[2]) + subgroup_xor(n[3])
  if subgroup_any(x < 1) && subgroup_all(x > 0) || subgroup_elect() { n[4] = subgroup_size }
  n[5] = global_id.y + local_id.z + workgroup_id.x + num_workgroups.y + workgroup_size.z + local_index
  n[9] = subgroup_id * num_subgroups
  n[6] = len(f) + len(b) + subgroup_add(1)
  atomic_add(n[0], 1)
  atomic_min(s[1], -3)
  atomic_max(s[2], 3)
  atomic_and(b[0], 0xff)
  atomic_or(b[1], 1)
  atomic_xor(b[2], 1)
  let before = atomic_exchange(n[7], 9)
  let again = atomic_load(b[before])
  atomic_store(b[again], 2)
  atomic_compare_exchange(n[8], before, again)
  let sum = atomic_add(f[2], 0.5)
}
;;; STDOUT:
program lanes {
  workgroup 4, 4, 2
  grid      2, 3, 4
  buffer    f : f32[64] read_write
  buffer    n : u32[64] read_write
  buffer    s : i32[64] read_write
  shared    b : u32[8]

  let x = f[global_id.x]
  f[0] = subgroup_mul(x) + subgroup_min(x) + subgroup_max(x)
  f[1] = subgroup_inclusive_add(x) - subgroup_exclusive_mul(x)
  f[2] = subgroup_broadcast(x, 3) + subgroup_broadcast_first(x)
  f[3] = subgroup_shuffle(x, subgroup_lane ^ 1) + subgroup_shuffle_xor(x, 2)
  f[4] = subgroup_shuffle_up(x, 1) + subgroup_shuffle_down(x, 1)
  n[0] = subgroup_ballot(x > 0.0, 0) + subgroup_and(n[1]) + subgroup_or(n[2]) + subgroup_xor(n[3])
  if subgroup_any(x < 1.0) && subgroup_all(x > 0.0) || subgroup_elect() {
    n[4] = subgroup_size
  }
  n[5] = global_id.y + local_id.z + workgroup_id.x + num_workgroups.y + workgroup_size.z + local_index
  n[9] = subgroup_id * num_subgroups
  n[6] = len(f) + len(b) + subgroup_add(1)
  atomic_add(n[0], 1)
  atomic_min(s[1], -3)
  atomic_max(s[2], 3)
  atomic_and(b[0], 255)
  atomic_or(b[1], 1)
  atomic_xor(b[2], 1)
  let before = atomic_exchange(n[7], 9)
  let again = atomic_load(b[before])
  atomic_store(b[again], 2)
  atomic_compare_exchange(n[8], before, again)
  let sum = atomic_add(f[2], 0.5)
}
