;;; TOOL: kgrad show {in} --as tree
program half {
  workgroup 64
  grid invocations n
  param n : u32 = 100
  buffer x : f32[n] read_write
  let i = global_id.x
  if (i < n) { let twice = x[i] + x[i]; x[i] = twice * 0.25 }   // goes
}
;;; STDOUT:
program half
  workgroup 64
  invocations n
  param n : u32 = 0x64
  @1 buffer x : f32[n] read_write
  %1 id global_id.0 : u32  6:11
  %2 param n : u32  7:11
  %8 literal 0x3e800000 : f32  7:56
  block 1
    %3 operation lt %1 %2 : bool  7:9
    %4 if %3  7:3
      block 2
        %5 load @1 %1 : f32  7:28
        %6 load @1 %1 : f32  7:35
        %7 operation add %5 %6 : f32  'twice'  7:33
        %9 operation mul %7 %8 : f32  7:54
        %10 store @1 %1 %9  7:41
