;;; TOOL: kgrad prim --help matmul
;;; STDOUT:
matmul: product of matrices, batched, with bias and activation, through tiles in shared memory
  c[s, i, j] = activation(sum over l of a[s, i, l] * b[s, l, j] + bias[j]) for each s of the
  batch; a: batch by m by k (batch by k by m with transpose_a), b: batch by k by n (batch by n
  by k with transpose_b), bias: n, c: batch by m by n, all row-major. 2 m n k operations a
  product; the gradient is two products more, without atomics, in which a zero of the cotangent
  does not cancel an infinity of a factor
  Golub and Van Loan 2013, Matrix computations, section 1.3; its tiles as in Volkov and Demmel
  2008, Benchmarking GPUs to tune dense linear algebra
    m=70             0 to 16777216   the rows of c
    n=68             0 to 16777216   the columns of c
    k=30             0 to 16777216   the length of the sums
    batch=1          0 to 16777216   the number of products
    workgroup=16     2 to 16         the side of the workgroup, of which each invocation makes 4 by 4 elements of c
    transpose_a=0    0 to 1          1: a is stored k by m
    transpose_b=0    0 to 1          1: b is stored n by k
    bias=0           0 to 1          1: bias[j] is added to column j
    activation=0     0 to 4          0: none, 1: relu, 2: gelu, 3: silu, 4: tanh; one is a run of its own, and so is its gradient
  In a module, a run of it passes buffers a, b, c; params batch, m, n, k
