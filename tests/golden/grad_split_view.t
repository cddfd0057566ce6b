;;; TOOL: kgrad grad {src}/tests/gradients/two_views.kg --mode split
;;; EXIT: 1
;;; STDERR:
{src}/tests/gradients/two_views.kg:7:13: error: the adjoint reads a again, which lies over b, and one of them is written: between two modules each is an array of its own [grad-split-view]
     7 |   buffer    a : u32[n] read_write in 0 .. 9 view(set 0, binding 2, offset 0, stride 4)
       |             ^
  fix: differentiate into one module (without --mode split), or copy a to a buffer of its own first
