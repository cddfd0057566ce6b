;;; TOOL: kgrad prim --list
;;; STDOUT:
softmax: softmax of each row
  y[r, c] = exp(x[r, c] - max x[r, .]) / sum over j of exp(x[r, j] - max x[r, .]); x, y: rows by
  cols. The maximum keeps exp in range and carries no gradient
  Bridle 1990, Probabilistic interpretation of feedforward classification network outputs
    rows=3           1 to 65535   the number of rows; a workgroup takes one
    cols=100         1 to 65535   the length of a row
    workgroup=64     1 to 1024    invocations that share a row; a power of two, at most what the device takes

layer_norm: normalisation of each row to mean 0 and variance 1, scaled and shifted
  y[r, c] = (x[r, c] - mean x[r, .]) / sqrt(variance x[r, .] + epsilon) * scale[c] + shift[c];
  x, y: rows by cols, scale, shift: cols. The variance is that of the centred row, divided by
  cols
  Ba, Kiros and Hinton 2016, Layer normalization, arXiv:1607.06450
    rows=3           1 to 65535   the number of rows; a workgroup takes one
    cols=100         1 to 65535   the length of a row
    epsilon=1e-05    0 to 1       what is added to the variance
    workgroup=64     1 to 1024    invocations that share a row; a power of two, at most what the device takes

matmul: matrix product through tiles in shared memory
  c[i, j] = sum over l of a[i, l] * b[l, j]; a: m by k (k by m with transpose_a), b: k by n (n
  by k with transpose_b), c: m by n, all row-major
  Golub and Van Loan 2013, Matrix computations, section 1.3
    m=20             1 to 65535   the rows of c
    n=24             1 to 65535   the columns of c
    k=30             1 to 65535   the length of the sums
    tile=16          2 to 32      the side of a tile; its square is the workgroup, at most what the device takes
    transpose_a=0    0 to 1       1: a is stored k by m
    transpose_b=0    0 to 1       1: b is stored n by k

kfac_inverse: inverse of damped symmetric blocks, as K-FAC needs of its Kronecker factors
  inverse[b] = (a[b] + damping I)^-1 by Cholesky, L inverted, L^-T L^-1; a, inverse: blocks by n
  by n, and only the lower triangle of a is read; status[b]: 0, or 1 + the index of the first
  pivot that was not positive and finite, and then inverse[b] is all zeros
  Martens and Grosse 2015, Optimizing neural networks with Kronecker-factored approximate
  curvature, arXiv:1503.05671
    blocks=2         1 to 65535   the number of blocks; a workgroup takes one
    n=16             1 to 64      the side of a block; one must fit in 16 KiB of shared memory, so split larger ones
    damping=0        0 to 1e+30   what is added to the diagonal; 0 or more
    workgroup=64     16 to 256    invocations that share a block; fewer than 16 would take too many loop iterations each
