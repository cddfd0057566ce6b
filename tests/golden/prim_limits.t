;;; TOOL: kgrad prim kfac_inverse_large -o k.kg
;;; TOOL: kgrad run k.kg --device reference --param n=4097
;;; EXIT: 2
;;; STDERR:
k.kg:3:10: error: param n is 4097, and its declared range is 0 .. 4097 [param-range]
     3 |   param  n : u32 = 40 in 0 .. 4097
       |          ^
  fix: give n a value from 0 on that is less than 4097
