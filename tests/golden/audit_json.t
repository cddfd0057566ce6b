;;; TOOL: kgrad audit {in} b.kg --map dy=grad_y --map dx=grad_x --json
;;; EXIT: 1
program p {
  workgroup 4
  grid      1
  buffer    x : f32[4] read in 1.0 .. 2.0
  buffer    y : f32[4] write

  let i = global_id.x
  y[i] = x[i] * x[i]
}
;;; FILE: b.kg
program b {
  workgroup 4
  grid      1
  buffer    x : f32[4] read
  buffer    dy : f32[4] read
  buffer    dx : f32[4] write

  let i = global_id.x
  if i != 2 { dx[i] = x[i] * dy[i] }
}
;;; STDOUT:
{"command":"audit","status":1,"diagnostics":[],"result":{"verdict":"FAILED","passed":false,"reason":"grad_x[2] is -0.475719362 on reference, and must be 2.77276563; 4 of 4 entries are wrong","declared_wrongly":null,"bounded":true,"undecided":0,"forward":{"run_failed":false,"races":0,"uninitialised_reads":0,"values_out_of_range":0},"backward":{"run_failed":false,"races":0,"uninitialised_reads":0,"values_out_of_range":0},"devices":[{"device":"reference","ran":true,"verdict":"FAILED","output_that_differs":null,"output_by_order":null,"along_random_directions":"FAILED","gradients":[{"name":"x","shadow":"grad_x","verdict":"FAILED","passed":false,"added":false,"entries":4,"checked":4,"failed":4,"inconclusive":0,"never_written":1,"pattern":null,"wrong":[{"index":2,"written":false,"is":-0.4757193624973297,"must_be":2.772765630278954,"on_entry":0,"input":1.6879812479019165,"allowed":1.6526971043818915e-06,"ratio":1965565.852425945},{"index":1,"written":true,"is":-0.537797749042511,"must_be":-1.0755955377647837,"on_entry":0,"input":1.9770156145095825,"allowed":6.411048995046518e-07,"ratio":838860.8309463878},{"index":3,"written":true,"is":-1.41586172580719,"must_be":-2.831723498846543,"on_entry":0,"input":1.722560167312622,"allowed":1.6878387325087446e-06,"ratio":838860.8139919064},{"index":0,"written":true,"is":0.5526355504989624,"must_be":1.105271104693415,"on_entry":0,"input":1.4058654308319092,"allowed":6.587929157575458e-07,"ratio":838860.8028047434}]}]}]}}
