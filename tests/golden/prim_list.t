;;; TOOL: kgrad prim --list
;;; STDOUT:
rows:
  softmax                  softmax of each row
  log_softmax              logarithm of the softmax of each row
  causal_softmax           softmax of each row of squares, up to the diagonal
  masked_softmax           softmax of what a mask leaves of each row
  layer_norm               normalisation of each row to mean 0 and variance 1, scaled and shifted
  rms_norm                 each row divided by the root of its mean square, scaled
  group_norm               normalisation of groups of channels to mean 0 and variance 1, scaled and shifted by channel
  batch_norm               normalisation of each channel over all samples, scaled and shifted, with running averages

activations:
  relu                     the larger of x and 0
  leaky_relu               x, with a small slope below 0
  elu                      exponential linear unit
  selu                     exponential linear unit that keeps mean 0 and variance 1
  sigmoid                  logistic function
  tanh                     hyperbolic tangent
  gelu                     Gaussian error linear unit, the exact form
  gelu_tanh                Gaussian error linear unit, the form by tanh
  silu                     x times its sigmoid, also called swish
  softplus                 smooth form of relu
  mish                     x times tanh of its softplus
  hard_swish               swish of straight lines and a parabola
  glu                      gated linear unit
  swiglu                   gated linear unit whose gate is swish
  geglu                    gated linear unit whose gate is gelu
  dropout                  random elements set to 0, and the others scaled

random:
  uniform                  random numbers between two bounds
  normal                   random numbers of a normal distribution

losses:
  cross_entropy            cross-entropy of classes from logits, with smoothing and rows that do not count
  mse                      mean square of the differences
  huber                    square of small differences, and a straight line for large ones
  binary_cross_entropy     cross-entropy of two classes from logits
  kl_divergence            divergence of distributions from the ones that logarithms give
  cosine_similarity        cosine of the angle between two rows

attention:
  attention                softmax attention of queries to keys, in flash form, with its stated adjoint
  rope                     rotary position embedding

recurrent:
  lstm_cell                gates and state of a long short-term memory cell, behind its products of matrices
  gru_cell                 gates and state of a gated recurrent unit, behind its products of matrices

linear:
  matmul                   product of matrices, batched, with bias and activation, through tiles in shared memory
  matmul_grouped           product of groups of rows, each with a matrix of its own
  matvec                   product of a matrix and a vector
  newton_schulz            approximate orthogonalisation, as Muon does it to a momentum
  sinkhorn                 entropic optimal transport between two masses

reductions:
  sum                      sum along an axis
  mean                     mean along an axis
  variance                 variance along an axis
  product                  product along an axis, with its gradient at zeros
  max                      maximum along an axis, and where it is
  min                      minimum along an axis, and where it is
  argmax                   where the maximum along an axis is
  argmin                   where the minimum along an axis is
  logsumexp                logarithm of a sum of exponentials along an axis
  norm                     norm along an axis: of absolute values, of squares, or the largest absolute value
  cumsum                   running sum along an axis, or along each segment of it
  cumprod                  running product along an axis, or along each segment of it, with its gradient at zeros
  cummax                   running maximum along an axis, or along each segment of it
  cummin                   running minimum along an axis, or along each segment of it
  segmented_sum            sums of segments of rows

movement:
  transpose                matrices transposed, through tiles in shared memory
  permute3                 the axes of an array of three, in another order
  concat                   two arrays, one behind the other along an axis
  slice                    a part of an axis
  pad                      an axis made longer at both ends: by a constant, its edge, or its reflection
  flip                     an axis from its end
  roll                     an axis turned round
  repeat_rows              each element of an axis several times
  gather                   rows by their numbers
  scatter_add              rows added to rows by their numbers
  embedding                rows of a table by their numbers, but for the gradient of one
  one_hot                  whole numbers as rows of 0 and a single 1
  sort                     each row in order, and where its elements were
  top_k                    the largest or smallest of each row in order, and where they were

solves:
  cholesky                 Cholesky factors of symmetric matrices
  triangular_solve         triangular systems with several right sides
  solve                    dense systems with several right sides, by elimination with partial pivoting
  solve_spd                symmetric positive definite systems with several right sides, by Cholesky
  conjugate_gradients      symmetric positive definite systems by conjugate gradients
  qr                       QR factors of matrices
  eigh                     eigenvalues and eigenvectors of symmetric matrices

transforms:
  fft                      discrete Fourier transform of a power of two of points
  fft_any                  discrete Fourier transform of any number of points, by Bluestein's convolution

kfac:
  kfac_inverse             inverse of damped symmetric blocks, as K-FAC needs of its Kronecker factors
  kfac_inverse_large       inverse of damped symmetric blocks of any side
  kfac_factors             the two Kronecker factors of a dense layer, as running averages
  kfac_factors_conv        the two Kronecker factors of a convolution, as running averages
  kfac_damping             a damping split between the two factors of each layer
  kfac_adapt               the damping of the next steps, by how well the last one was predicted
  kfac_precondition        gradients of dense layers times the inverse of the Fisher matrix, as Kronecker factors give it
  kfac_update              a step along preconditioned gradients, of limited length, with momentum
  kfac_step                a whole step of K-FAC for a dense layer
  kfac_autotune_step       preconditioned gradients of several square layers, from their factors, as a tuner's policy takes them
  ekfac_basis              the eigenbases of Kronecker factors, in which EKFAC scales gradients
  ekfac_step               a whole step of EKFAC for a dense layer, in bases that are given
  pivoted_inverse          inverse of any regular blocks, by elimination with pivots

convolutions:
  conv1d                   convolution of lines: stride, padding, dilation, groups, bias
  conv2d                   convolution of pictures: stride, padding, dilation, groups, bias
  conv3d                   convolution of volumes: stride, padding, dilation, groups, bias
  conv_transpose1d         transposed convolution of lines: the adjoint of conv1d, which enlarges
  conv_transpose2d         transposed convolution of pictures: the adjoint of conv2d, which enlarges
  conv_transpose3d         transposed convolution of volumes: the adjoint of conv3d, which enlarges
  max_pool1d               the largest element of each window of a line, and where it is
  max_pool2d               the largest element of each window of a picture, and where it is
  max_pool3d               the largest element of each window of a volume, and where it is
  avg_pool1d               the mean of each window of a line
  avg_pool2d               the mean of each window of a picture
  avg_pool3d               the mean of each window of a volume
  adaptive_avg_pool2d      the means of as many windows as asked for, which cover a picture
  global_avg_pool          the mean of each channel of a picture
  upsample                 a picture of another size: nearest or bilinear

quantised:
  matmul_int8              product with a matrix of bytes, a scale for each of its rows
  matmul_q4                product with a matrix of 4 bits, in blocks of 32 with a scale each
  fake_quantise            rounding to what few bits hold, straight through for gradients
  lsq                      rounding to multiples of a step that is learnt

graphics:
  splat_2d                 a picture of Gaussians, laid over each other from front to back
  splat_3d                 Gaussians in space, as a camera sees them

sequences:
  linear_attention         causal attention without softmax, in time linear in the length
  selective_scan           the state space of Mamba, whose steps go by the input
  gated_delta_net          a memory of keys and values that fades, and of which one key at a time is written anew

optimisers:
  sgd                      a step of gradient descent with momentum, plain or Nesterov's
  adam                     a step of Adam, weight decay as part of the gradient
  adamw                    a step of Adam, weight decay apart from the gradient
  lion                     a step of Lion, by the sign of a blend of momentum and gradient
  muon                     a step of Muon: momentum of a matrix, made orthogonal by Newton and Schulz
  shampoo                  a step of Shampoo: matrices preconditioned from both sides
  clip_by_norm             a gradient cut to a largest norm, over all tensors of a group
  learning_rate            a schedule: the factor of the learning rate at this step
