/* A program that has a kernel and its adjoint built in, and nothing of kgrad: gradient descent to an x whose softmax is given.
 *
 *     kgrad grad softmax.kg --mode split --primal forward.c -o adjoint.c
 *     cc -std=c11 -O2 -march=native -fopenmp adjoint_c.c forward.c adjoint.c -o fit */
#include "adjoint.h"
#include "forward.h"

#include <stdio.h>

enum { ROWS = 2, COLUMNS = 3, STEPS = 500 };

int main(void) {
  const float wanted[ROWS * COLUMNS] = {0.5f, 0.25f, 0.25f, 0.125f, 0.75f, 0.125f};
  float x[ROWS * COLUMNS] = {0}, y[ROWS * COLUMNS], grad_y[ROWS * COLUMNS], grad_x[ROWS * COLUMNS];
  for (int step = 0; step < STEPS; step++) {
    int failed = run_softmax(ROWS, COLUMNS, x, y);
    for (int i = 0; i < ROWS * COLUMNS; i++) grad_y[i] = y[i] - wanted[i];
    if (!failed) failed = run_softmax_grad(ROWS, COLUMNS, x, grad_x, grad_y);
    if (failed) return fprintf(stderr, "it ended with %d\n", failed), 1;
    for (int i = 0; i < ROWS * COLUMNS; i++) x[i] -= 4 * grad_x[i];
  }
  for (int i = 0; i < ROWS * COLUMNS; i++) printf("%g%c", (double)y[i], i % COLUMNS == COLUMNS - 1 ? '\n' : ' ');
  return 0;
}
