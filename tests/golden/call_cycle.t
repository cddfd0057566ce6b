;;; TOOL: kgrad check {in}
;;; EXIT: 2
module net {
  buffer x : f32[4] read
  use "b.kg" as b
  run b
}
;;; FILE: b.kg
module b {
  buffer x : f32[4] read
  use "b.kg" as c
  run c
}
;;; STDERR:
b.kg:3:7: error: b.kg is being read already: it comes to use itself [use-cycle]
     3 |   use "b.kg" as c
       |       ^
  fix: move what both files need into a third one
