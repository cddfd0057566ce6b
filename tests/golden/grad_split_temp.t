;;; TOOL: kgrad grad {in} --mode split --json --primal primal.kg -o adjoint.kg
// The second run's adjoint reads what the first one wrote: t is no temporary any more.
module m {
  param  n : u32 = 9
  buffer x : f32[n] read
  buffer y : f32[n] write
  buffer t : f32[n] temp
  program wave {
    workgroup 4
    grid      invocations n
    param     n : u32
    buffer    a : f32[n] read
    buffer    b : f32[n] write
    if global_id.x < n { b[global_id.x] = sin(a[global_id.x]) }
  }
  run wave(a = x, b = t)
  run wave(a = t, b = y)
}
;;; STDOUT:
{"command":"grad","status":0,"diagnostics":[],"result":{"primal":{},"map":[{"name":"x","shadow":"grad_x","param":false,"of":false,"wrt":true,"tangent":false,"kept":false,"added_up":"each element is stored once"},{"name":"y","shadow":"grad_y","param":false,"of":true,"wrt":false,"tangent":false,"kept":false,"added_up":"it is only read"},{"name":"t","shadow":"t","param":false,"of":false,"wrt":false,"tangent":false,"kept":true,"added_up":"it is only read"}],"runs":[{"program":"wave","line":15,"role":"separate","active":"a, b","values":[{"name":"a","object":"a","line":13,"how":"recomputed","at":13,"type":"f32","why":"nothing overwrites it before"}],"shares":[{"object":"a","how":"stored","why":"the load in line 13 reaches every element once"}],"checkpoints":[],"tapes":[]},{"program":"wave","line":16,"role":"separate","active":"a, b","values":[{"name":"a","object":"a","line":13,"how":"recomputed","at":13,"type":"f32","why":"nothing overwrites it before"}],"shares":[{"object":"a","how":"stored","why":"the load in line 13 reaches every element once"}],"checkpoints":[],"tapes":[]}],"segments":[]}}
;;; OUTPUT: primal.kg
module m_forward {
  param  n : u32 = 9
  buffer x : f32[n] read
  buffer y : f32[n] write
  buffer t : f32[n] write

  program wave {
    workgroup 4
    grid      invocations n
    param     n : u32
    buffer    a : f32[n] read
    buffer    b : f32[n] write

    if global_id.x < n {
      b[global_id.x] = sin(a[global_id.x])
    }
  }

  run wave(a = x, b = t)
  run wave(a = t, b = y)
}
;;; OUTPUT: adjoint.kg
module m_grad {
  param  n : u32 = 9
  buffer x : f32[n] read
  buffer t : f32[n] read
  buffer grad_x : f32[n] write
  buffer grad_y : f32[n] read
  buffer grad_t : f32[n] temp

  program wave_grad {
    workgroup 4
    grid      invocations n
    param     n : u32
    buffer    a : f32[n] read
    buffer    grad_a : f32[n] write
    buffer    grad_b : f32[n] read

    if global_id.x < n {
      let a1 = a[global_id.x]
      grad_a[global_id.x] = mulz(grad_b[global_id.x], cos(a1))
    }
  }

  run wave_grad(a = t, grad_a = grad_t, grad_b = grad_y)
  run wave_grad(a = x, grad_a = grad_x, grad_b = grad_t)
}
