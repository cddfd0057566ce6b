/* What the suites of the CPU device's parts share: an environment of their own, kernels by hand, and compilers that are none. */
#ifndef TESTS_DRIVER_CPU_CASE_H
#define TESTS_DRIVER_CPU_CASE_H
#include "driver/cpu/cpu.h"
#include "tests/support/devices.h"

#include <sys/types.h>

/* A new folder with one for tools; KGRAD_CACHE, TMPDIR and CC point into it, and to gcc. */
typedef struct place { char root[200], cache[256], tools[256]; } place;
place make_place(void);
/* Removes a folder and all in it. */
void empty(const char *path);
void put_file(const char *path, const char *text, mode_t mode);
/* The names in a folder that end so; the path of the last. */
int count_files(const char *folder, const char *ending, char *path, size_t room);
/* But for the tools and the cache. */
void nothing_left(const place *p);

/* What text of kernels by hand begins with. */
extern const char text_of_arguments[];
/* A kernel that adds `by` to the elements of its groups. */
const char *adding(int by);
float run_object(const kgi_cpu_object *o);
/* In a context of its own: what it computes, and how many processes that took. */
uint32_t compile_and_run(int by);

/* Where diagnostics go to kgt_last. */
extern kgi_diags diags;
/* `patience`, `started`: NULL, or how long a process may take, and how many there were. */
kg_status load_in(const char *text, const kgi_patience *patience, uint32_t *started);
kg_status load_status(const char *text);

/* Makes CC a script that answers --version and does as it is told with what follows. */
void stand_in(const place *p, const char *name, const char *script);
#endif
