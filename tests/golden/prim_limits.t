;;; TOOL: kgrad prim kfac_inverse_large -o k.kg
;;; TOOL: kgrad run k.kg --device reference --param n=4097
;;; EXIT: 2
;;; STDERR:
k.kg:3:10: error: the value of param n lies outside its declared range [param-range]
     3 |   param  n : u32 = 40 in 0 .. 4097
       |          ^
  fix: give n a value in the range that its declaration states
