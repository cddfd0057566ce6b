#include "tests/driver/cpu_case.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char text_of_arguments[] =
  "#include <stdint.h>\n"
  "#include <stddef.h>\n"
  "struct kg_status { uint32_t count, first, program, fault; };\n"
  "struct kg_args { void *const *buffer; const uint32_t *length; const uint64_t *param; uint32_t groups[3];\n"
  "                 struct kg_status *status; void *const *own; uint64_t budget; };\n";

const char *adding(int by) {
  static char text[2000];
  snprintf(text, sizeof text,
           "%svoid kg_kernel_1(const struct kg_args *a, uint32_t first, uint32_t end) {\n"
           "  float *x = a->buffer[0];\n"
           "  for (uint32_t i = first; i < end; i++) x[i] += %d;\n}\n", text_of_arguments, by);
  return text;
}

void put_file(const char *path, const char *text, mode_t mode) {
  FILE *f = fopen(path, "w");
  ck_assert_ptr_nonnull(f);
  fputs(text, f);
  fclose(f);
  ck_assert_int_eq(chmod(path, mode), 0);
}

void empty(const char *path) {
  char command[400];
  snprintf(command, sizeof command, "chmod -R u+rwx '%s' && rm -rf '%s'", path, path);
  ck_assert_int_eq(system(command), 0);
}

place make_place(void) {
  place p;
  snprintf(p.root, sizeof p.root, "%s/XXXXXX", kgt_temp_dir());
  ck_assert_ptr_nonnull(mkdtemp(p.root));
  snprintf(p.cache, sizeof p.cache, "%s/cache", p.root);
  snprintf(p.tools, sizeof p.tools, "%s/tools", p.root);
  ck_assert_int_eq(mkdir(p.tools, 0700), 0);
  setenv("KGRAD_CACHE", p.cache, 1);
  setenv("TMPDIR", p.root, 1);
  setenv("CC", "gcc", 1);
  return p;
}

kgi_diags diags = {.sink = &kgt_sink};

float run_object(const kgi_cpu_object *o) {
  float x[1] = {1};
  void *buffers[] = {x};
  kgi_c_status status = {0};
  const kgi_c_args args = {.buffer = buffers, .length = (uint32_t[]){1}, .groups = {1, 1, 1}, .status = &status};
  kgi_c_kernel *kernel = kgi_cpu_kernel(o, 1);
  ck_assert_ptr_nonnull(kernel);
  ck_assert_ptr_null(kgi_cpu_kernel(o, 2));
  kernel(&args, 0, 1);
  return x[0];
}

uint32_t compile_and_run(int by) {
  kgi_cpu cpu;
  kgi_cpu_object *o = NULL;
  kgi_cpu_init(&cpu, NULL, 1);
  const char *text = adding(by);
  ck_assert_msg(kgi_cpu_load(&cpu, text, strlen(text), &diags, &o) == KG_OK, "%s: %s", kgt_last.id, kgt_last.message);
  ck_assert_float_eq(run_object(o), 1 + (float)by);
  uint32_t started = cpu.cc.started;
  kgi_cpu_unload(&cpu, o);
  kgi_cpu_drop(&cpu);
  return started;
}

kg_status load_in(const char *text, const kgi_patience *patience, uint32_t *started) {
  kgi_cpu cpu;
  kgi_cpu_object *o = NULL;
  kgi_cpu_init(&cpu, NULL, 1);
  if (patience) cpu.cc.patience = *patience;
  kgt_last.id[0] = 0;
  kg_status status = kgi_cpu_load(&cpu, text, strlen(text), &diags, &o);
  if (started) *started = cpu.cc.started;
  kgi_cpu_drop(&cpu);
  return status;
}

kg_status load_status(const char *text) { return load_in(text, NULL, NULL); }

int count_files(const char *folder, const char *ending, char *path, size_t room) {
  int count = 0;
  DIR *d = opendir(folder);
  for (struct dirent *e; d && (e = readdir(d));) {
    size_t length = strlen(e->d_name), end = strlen(ending);
    if (length < end || strcmp(e->d_name + length - end, ending) || e->d_name[0] == '.') continue;
    if (path) snprintf(path, room, "%s/%s", folder, e->d_name);
    count++;
  }
  if (d) closedir(d);
  return count;
}

void nothing_left(const place *p) {
  /* the tools, and the cache where there is one: no folder of a build */
  ck_assert_int_le(count_files(p->root, "", NULL, 0), 2);
  int kernels = count_files(p->cache, ".so", NULL, 0);
  int tools = count_files(p->cache, ".cc", NULL, 0);
  ck_assert_int_eq(count_files(p->cache, "", NULL, 0), kernels + tools);
}

void stand_in(const place *p, const char *name, const char *script) {
  char path[300], text[600];
  snprintf(path, sizeof path, "%s/%s", p->tools, name);
  snprintf(text, sizeof text, "#!/bin/sh\nif test \"$1\" = --version; then echo stand-in 1; exit 0; fi\n%s\n", script);
  put_file(path, text, 0700);
  setenv("CC", path, 1);
}
