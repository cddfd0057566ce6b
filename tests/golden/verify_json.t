;;; TOOL: kgrad verify {in} --json --differences --entries 3 --directions 2
program difference {
  workgroup 4
  param     n : u32 = 4
  grid      invocations n
  buffer    x : f32[n] read
  buffer    z : f32[n] read
  buffer    y : f32[n] write
  let i = global_id.x
  if i < n { y[i] = x[i] - z[i] }
}
;;; STDOUT:
{"command":"verify","status":0,"diagnostics":[],"result":{"passed":true,"verdict":"passed","declared_wrongly":null,"ran_on":["reference"],"not_found":[],"c":2,"unit":5.9604644775390625e-08,"stored_unit":5.9604644775390625e-08,"depth":5.898979485566356,"bounded":true,"undecided":0,"kernel":{"watched":true,"run_failed":false,"races":0,"uninitialised_reads":0,"values_out_of_range":0},"gradient_kernel":{"watched":true,"run_failed":false,"races":0,"uninitialised_reads":0,"values_out_of_range":0},"devices":[{"device":"reference","ran":true,"passed":true,"output_that_differs":null,"output_by_order":null,"differs_in_a_second_run":null,"gradients":[{"name":"x","shadow":"grad_x","passed":true,"zero":false,"entries":4,"verdict":"passed","checked":3,"failed":0,"inconclusive":0,"worst":{"index":0,"gradient":0.3930927813053131,"dual":0.3930927813053131,"magnitude":0.3930927813053131,"on_entry":0,"unrounded":0.3930927813053131,"low":0.3930927813053131,"high":0.3930927813053131,"allowed":2.7642801437905597e-07,"ratio":0}},{"name":"z","shadow":"grad_z","passed":true,"zero":false,"entries":4,"verdict":"passed","checked":3,"failed":0,"inconclusive":0,"worst":{"index":0,"gradient":-0.3930927813053131,"dual":-0.3930927813053131,"magnitude":0.3930927813053131,"on_entry":0,"unrounded":-0.3930927813053131,"low":-0.3930927813053131,"high":-0.3930927813053131,"allowed":2.7642801437905597e-07,"ratio":0}}],"along_random_directions":{"verdict":"passed","checked":2,"failed":0,"inconclusive":0,"worst":{"index":0,"gradient":1.0827936621718173,"dual":1.082793662171817,"magnitude":1.802571414418903,"on_entry":0,"unrounded":1.0827936621718173,"low":1.0827936621718173,"high":1.0827936621718173,"allowed":1.267591928830795e-06,"ratio":1.7517041555308846e-10}}}],"finite_differences":[{"shadow":"grad_x","agree":3,"cannot_tell":0,"disagree":0},{"shadow":"grad_z","agree":3,"cannot_tell":0,"disagree":0}]}}
