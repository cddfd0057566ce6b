/* A whole program: builds a kernel through the API, makes its gradient, has that judged, and runs it on a device.
 *
 *     cc embed.c $(pkg-config --cflags --libs kgrad) -o embed && ./embed [DEVICE] */
#include <kgrad/kgrad.h>

#include <stdio.h>

enum { N = 8 };

static void say(void *user, const kg_diag *d) {
  (void)user;
  fprintf(stderr, "%s: %s [%s]\n  fix: %s\n", d->file, d->message, d->id, d->fix);
}

static const kg_sink sink = {say, NULL};

/* y[i] = x[i] * exp(rate * x[i]). The builder keeps the first error, so only the end is looked at. */
static kg_status build(kg_module **out) {
  kg_builder *b = NULL;
  kg_builder_new(NULL, "embed.c", &sink, &b);
  kg_build_program(b, "grow");
  kg_param n = kg_build_param(b, "n", KG_U32), rate = kg_build_param(b, "rate", KG_F32);
  kg_build_param_default(b, n, N);
  kg_build_param_default(b, rate, kg_value_of_number(KG_F32, 0.5));
  kg_length count = kg_build_length_param(b, n);
  kg_object x = kg_build_buffer(b, "x", KG_F32, KG_READ, count);
  kg_object y = kg_build_buffer(b, "y", KG_F32, KG_WRITE, count);
  kg_build_workgroup(b, 0, kg_build_length(b, 64));
  kg_build_invocations(b, 0, count);
  kg_value i = kg_build_id(b, KG_ID_GLOBAL_ID, 0);
  kg_build_if(b, kg_build_op2(b, KG_OP_LT, i, kg_build_param_value(b, n)));
  kg_value v = kg_build_load(b, x, i);
  kg_value grown = kg_build_op1(b, KG_OP_EXP, kg_build_op2(b, KG_OP_MUL, kg_build_param_value(b, rate), v));
  kg_build_store(b, y, i, kg_build_op2(b, KG_OP_MUL, v, grown));
  kg_build_end(b);
  kg_build_program_end(b);
  return kg_builder_finish(b, out);
}

int main(int argc, char **argv) {
  kg_module *kernel = NULL, *gradient = NULL;
  kg_context *context = NULL;
  kg_device *device = NULL;
  kg_verdict *verdict = NULL;
  float x[N], y[N], grad_y[N], grad_x[N];
  for (int i = 0; i < N; i++) x[i] = 0.25f * (float)i, grad_y[i] = 1;
  kg_binding bindings[] = {{"x", x, N}, {"y", y, N}, {"grad_y", grad_y, N}, {"grad_x", grad_x, N}};
  kg_status status = build(&kernel);
  if (status == KG_OK) status = kg_grad(kernel, NULL, &sink, &gradient);
  if (status == KG_OK) status = kg_context_new(NULL, NULL, &sink, &context);
  if (status == KG_OK) status = kg_device_open(context, argc > 1 ? argv[1] : NULL, &sink, &device);
  kg_verify_params judged = {.devices = &device, .device_count = 1};
  if (status == KG_OK) status = kg_verify(kernel, &judged, &sink, &verdict);
  kg_outcome outcome = status == KG_OK ? kg_verdict_summary(verdict).outcome : KG_OUTCOME_NONE;
  if (status == KG_OK) status = kg_run_bound(device, gradient, bindings, 4, NULL, &sink, NULL);
  printf("kgrad %s: %s, gradient %s\n", kg_version_string(), kg_status_message(status), kg_outcome_name(outcome));
  for (int i = 0; status == KG_OK && i < N; i++) printf("x %.2f  y %.5f  dy/dx %.5f\n", x[i], y[i], grad_x[i]);
  kg_verdict_free(verdict);
  kg_device_free(device);
  kg_context_free(context);
  kg_module_free(gradient);
  kg_module_free(kernel);
  return status == KG_OK && outcome == KG_OUTCOME_PASSED ? 0 : 1;
}
