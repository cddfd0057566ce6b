/* examples/embed.c in C++: what is freed is freed by its owner, and the output is the same.
 *
 *     c++ embed.cpp $(pkg-config --cflags --libs kgrad) -o embed && ./embed [DEVICE] */
#include <kgrad/kgrad.h>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

void say(void *, const kg_diag *d) { std::fprintf(stderr, "%s: %s [%s]\n  fix: %s\n", d->file, d->message, d->id, d->fix); }

const kg_sink sink = {say, nullptr};

/* What an output argument is written to, and who frees it: kept<kg_module, kg_module_free> m; f(m.out()). */
template <typename T, void (*release)(T *)> struct kept {
  T *raw = nullptr;
  kept() = default;
  kept(const kept &) = delete;
  kept &operator=(const kept &) = delete;
  ~kept() { release(raw); }
  T **out() { return &raw; }
};

kg_status build(std::uint32_t size, kg_module **out) {
  kg_builder *b = nullptr;
  kg_builder_new(nullptr, "embed.cpp", &sink, &b);
  kg_build_program(b, "grow");
  const kg_param n = kg_build_param(b, "n", KG_U32), rate = kg_build_param(b, "rate", KG_F32);
  kg_build_param_default(b, n, size);
  kg_build_param_default(b, rate, kg_value_of_number(KG_F32, 0.5));
  const kg_length count = kg_build_length_param(b, n);
  const kg_object x = kg_build_buffer(b, "x", KG_F32, KG_READ, count);
  const kg_object y = kg_build_buffer(b, "y", KG_F32, KG_WRITE, count);
  kg_build_workgroup(b, 0, kg_build_length(b, 64));
  kg_build_invocations(b, 0, count);
  const kg_value i = kg_build_id(b, KG_ID_GLOBAL_ID, 0);
  kg_build_if(b, kg_build_op2(b, KG_OP_LT, i, kg_build_param_value(b, n)));
  const kg_value v = kg_build_load(b, x, i);
  const kg_value grown = kg_build_op1(b, KG_OP_EXP, kg_build_op2(b, KG_OP_MUL, kg_build_param_value(b, rate), v));
  kg_build_store(b, y, i, kg_build_op2(b, KG_OP_MUL, v, grown));
  kg_build_end(b);
  kg_build_program_end(b);
  return kg_builder_finish(b, out);
}

} // namespace

int main(int argc, char **argv) {
  kept<kg_module, kg_module_free> kernel, gradient;
  kept<kg_context, kg_context_free> context;
  kept<kg_device, kg_device_free> device; /* freed before its context */
  kept<kg_verdict, kg_verdict_free> verdict;
  std::vector<float> x(8), y(8), grad_y(8, 1.0f), grad_x(8);
  for (std::size_t i = 0; i < x.size(); i++) x[i] = 0.25f * static_cast<float>(i);
  kg_binding bindings[] = {
    {"x", x.data(), x.size()}, {"y", y.data(), y.size()}, {"grad_y", grad_y.data(), 8}, {"grad_x", grad_x.data(), 8}};
  kg_status status = build(8, kernel.out());
  if (status == KG_OK) status = kg_grad(kernel.raw, nullptr, &sink, gradient.out());
  if (status == KG_OK) status = kg_context_new(nullptr, nullptr, &sink, context.out());
  if (status == KG_OK) status = kg_device_open(context.raw, argc > 1 ? argv[1] : nullptr, &sink, device.out());
  kg_verify_params judged = {};
  judged.devices = device.out(), judged.device_count = 1;
  if (status == KG_OK) status = kg_verify(kernel.raw, &judged, &sink, verdict.out());
  const kg_outcome outcome = status == KG_OK ? kg_verdict_summary(verdict.raw).outcome : KG_OUTCOME_NONE;
  if (status == KG_OK) status = kg_run_bound(device.raw, gradient.raw, bindings, 4, nullptr, &sink, nullptr);
  std::printf("kgrad %s: %s, gradient %s\n", kg_version_string(), kg_status_message(status), kg_outcome_name(outcome));
  for (std::size_t i = 0; status == KG_OK && i < x.size(); i++) std::printf("x %.2f  y %.5f  dy/dx %.5f\n", x[i], y[i], grad_x[i]);
  return status == KG_OK && outcome == KG_OUTCOME_PASSED ? 0 : 1;
}
