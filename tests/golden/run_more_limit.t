;;; TOOL: kgrad grad {in} -o orbit.kg
;;; TOOL: kgrad run orbit.kg --const W=9 --in x=zeros --in grad_x=zeros --device reference
;;; EXIT: 1
program orbit {
  const W = 4
  workgroup 4
  grid 1
  buffer x : f32[4] read_write
  let g = global_id.x
  var v = x[g]
  var k : u32 = 0
  while k < g * 3 limit W {
    v = v * 3.9 * (1.0 - v)
    k += 1
  }
  x[g] = v
}
;;; STDERR:
orbit.kg:24:7: error: assertion failed: the gradient keeps fewer trips of the loop in line 9: state `limit N` behind the condition of a while, end a for at min(end, begin + N) [assert-failed]
    24 |       assert trips1 < tape_trips "the gradient keeps fewer trips of the loop in line 9: state `limit
       |       ^
  fix: pass values for which it holds, or change the kernel
