/* The kernels of several modules, compiled in one go: the compiler starts once, and makes once what they share. */
#include "driver/cpu/cpu.h"

enum { MOST = 32, LONG = 1 << 20 }; /* modules in one text, and bytes of what they would be by themselves: some seconds of compiling */

typedef struct batch {
  kg_device *device;
  kgi_cpu *cpu;
  kgi_diags *diags;
  const kg_module *module[MOST];
  kgi_cpu_text each[MOST];
  uint32_t count, kernels;
  size_t bytes;
} batch;

static void drop_text(batch *b, kgi_cpu_text *t) {
  if (t->text) kgi_free(&b->device->context->alloc, t->text, t->size + 1);
  *t = (kgi_cpu_text){0};
}

/* A module that is refused is none of it: whoever makes its executable is told. */
static kg_status add(batch *b, const kg_module *m) {
  const kg_c_params params = {.kernels_only = true};
  kgi_cpu_text *t = &b->each[b->count];
  kg_status status = kg_c_emit(&b->device->context->alloc, m, &params, NULL, &t->text, &t->size);
  if (status != KG_OK) return status == KG_NO_MEMORY ? status : KG_OK;
  if (kgi_cpu_has(b->cpu, t)) return drop_text(b, t), KG_OK;
  t->before = b->kernels;
  b->kernels += m->program_count - 1;
  b->bytes += t->size;
  b->module[b->count++] = m;
  return KG_OK;
}

/* One alone has nothing to share. */
static kg_status flush(batch *b) {
  kgi_cpu_text all = {0};
  kg_status status = KG_OK;
  if (b->count > 1) {
    status = kgi_c_emit_together(&b->device->context->alloc, b->module, b->count, b->diags->sink, &all.text, &all.size);
    if (status == KG_OK) status = kgi_cpu_load_together(b->cpu, &all, b->each, b->count, b->diags);
  }
  drop_text(b, &all);
  while (b->count) drop_text(b, &b->each[--b->count]);
  b->kernels = 0, b->bytes = 0;
  return status;
}

kg_status kgi_cpu_compile(kg_device *device, const kg_module *const *module, size_t count, kgi_diags *diags) {
  batch b = {.device = device, .cpu = ((kgi_cpu_device *)device)->cpu, .diags = diags};
  kg_status status = KG_OK;
  for (size_t i = 0; status == KG_OK && i < count; i++) {
    status = add(&b, module[i]);
    if (status == KG_OK && (b.count == MOST || b.bytes >= LONG || i + 1 == count)) status = flush(&b);
  }
  while (b.count) drop_text(&b, &b.each[--b.count]);
  return status;
}
