;;; TOOL: kgrad show {in}
// Structs and vectors are strided views of a binding.
program views {
  workgroup 32
  grid      invocations n
  param     n : u32 = 40
  buffer    px : f32[n] read view(set 0, binding 1, offset 0, stride 16)
  buffer    py : f32[n] read in 0 .. 1 view(set 0, binding 1, offset 4, stride 16)
  buffer    id : u32[] read_write view(set 1, binding 0, offset 8, stride 12)

  if global_id.x < n { id[global_id.x] += u32(px[global_id.x] + py[global_id.x]) }
}
;;; STDOUT:
program views {
  workgroup 32
  grid      invocations n
  param     n : u32 = 40
  buffer    px : f32[n] read view(set 0, binding 1, offset 0, stride 16)
  buffer    py : f32[n] read in 0 .. 1 view(set 0, binding 1, offset 4, stride 16)
  buffer    id : u32[] read_write view(set 1, binding 0, offset 8, stride 12)

  if global_id.x < n {
    id[global_id.x] += u32(px[global_id.x] + py[global_id.x])
  }
}
