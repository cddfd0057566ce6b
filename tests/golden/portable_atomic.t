;;; TOOL: kgrad show {in} --target portable -o a.spv
;;; EXIT: 1
;;; ABSENT: a.spv
program p {
  workgroup 64
  grid 1
  buffer x : u64[64] read_write view(set 0, binding 0, offset 0, stride 16)
  buffer y : u64[64] write view(set 0, binding 0, offset 8, stride 16)
  let i = local_id.x
  atomic_add(x[i], u64(1))
  y[i] = u64(2)
}
;;; STDERR:
portable_atomic.kg:7:3: error: x is a view with atomics of 64 bits, and portable modules have views as words of 32 [portable-atomic]
     7 |   atomic_add(x[i], u64(1))
       |   ^
  fix: leave out --target portable, or give the buffer a binding of its own
