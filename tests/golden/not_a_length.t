;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  param n : u32
  buffer x : f32[n << 1] read
}
;;; STDERR:
not_a_length.kg:5:20: error: this cannot stand in a length or grid [not-a-length]
     5 |   buffer x : f32[n << 1] read
       |                    ^
  fix: use integers, params, constants, len(buffer), + - * / %, min and max
