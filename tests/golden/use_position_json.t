;;; TOOL: kgrad check {in} --json
;;; EXIT: 2
use "lib/waves.kg"
program p { workgroup 1 grid 1 }
;;; FILE: lib/waves.kg

fn wave(x : f32) -> f32 = sin(x)) 
;;; STDOUT:
{"command":"check","status":2,"diagnostics":[{"id":"use-no-functions","severity":"error","file":"lib/waves.kg","line":2,"column":33,"message":"a file that is used holds `use` and `fn` alone","fix":"move its functions into a file of their own, and use that"}],"result":{"files":[{"file":"use_position_json.kg","valid":false,"verdict":"invalid"}]}}
