#define _GNU_SOURCE
#include "driver/cpu/cpu.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* As many as the widest registers hold floats. */
static uint32_t lanes_of_this_machine(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") ? 16 : __builtin_cpu_supports("avx2") ? 8 : 4;
#else
  return 4;
#endif
}

/* What Linux says of the first core; "" elsewhere. */
static size_t read_core(char *text, size_t room) {
  size_t size = 0;
  int file = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    for (ssize_t got; size + 1 < room && (got = read(file, text + size, room - 1 - size)) > 0;) size += (size_t)got;
    close(file);
  }
  text[size] = 0;
  char *end = strstr(text, "\n\n");
  if (end) end[1] = 0;
  return strlen(text);
}

/* What decides which instructions there are; other lines change from one moment to the next. */
static bool is_lasting(const char *line) {
  static const char *const keys[] = {"vendor_id", "cpu family", "model", "stepping", "flags", /* of x86 */
                                     "Features", "CPU ", "cpu\t", "isa", "uarch"};            /* of others */
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (!strncmp(line, keys[i], strlen(keys[i]))) return true;
  return false;
}

static void take_name(kgi_cpu_host *host, const char *line, size_t length) {
  const char *value = memchr(line, ':', length);
  if (!value || strncmp(line, "model name", 10)) return;
  value++;
  while (*value == ' ') value++;
  snprintf(host->name, sizeof host->name, "%.*s, %u lanes", (int)(line + length - value > 60 ? 60 : line + length - value), value,
           host->lanes);
}

void kgi_cpu_describe(kgi_cpu_host *host) {
  static const size_t room = 16384;
  char text[16384], kept[16384];
  struct utsname machine;
  size_t size = 0;
  *host = (kgi_cpu_host){.lanes = lanes_of_this_machine()};
  if (uname(&machine) != 0) memset(&machine, 0, sizeof machine);
  snprintf(host->name, sizeof host->name, "%.40s processor, %u lanes", machine.machine, host->lanes);
  read_core(text, room);
  for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
    size_t length = (size_t)(end - line) + 1;
    if (!is_lasting(line)) continue;
    take_name(host, line, length - 1);
    memcpy(kept + size, line, length), size += length;
  }
  /* without that text, only this one machine is known to be like this one */
  kgi_digest parts[] = {kgi_digest_of(kept, size), kgi_digest_of(machine.machine, strlen(machine.machine)),
                        kgi_digest_of(machine.nodename, size ? 0 : strlen(machine.nodename))};
  host->kind = kgi_digest_join(parts, 3);
}
