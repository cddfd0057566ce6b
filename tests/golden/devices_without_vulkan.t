;;; TOOL: sh -c 'CC=none VK_DRIVER_FILES=none.json VK_ICD_FILENAMES=none.json "$KGRAD" devices'
;;; STDOUT:
reference: the reference interpreter (the usual one)
  features    int64 float64 float16 storage8 storage16 atomic-add-f32-buffer atomic-add-f32-shared atomic-i64 signed-zero-inf-nan subgroup-basic subgroup-vote subgroup-arithmetic subgroup-ballot subgroup-shuffle subgroup-relative
