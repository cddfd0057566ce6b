/* fuzz/ask: what must hold of any program, asked of one at a time: a table of properties over the generator and the library. */
/* A property is a row of fuzz/ask/properties.def and a function kgi_ask_<id>. It takes a kgi_ask, which says what program, data and device
 * it is asked about, and gets what was found. The program is made of bytes (fuzz/generate.h), or given with its data (fuzz/ask/case.h). */
#ifndef KGI_FUZZ_ASK_H
#define KGI_FUZZ_ASK_H
#include "fuzz/ask/case.h"
#include "fuzz/generate.h"
#include <kgrad/kgrad.h>

/* Vacuous: there was nothing to compare, as where a gradient is zero. */
typedef enum kgi_answer { KGI_HOLDS, KGI_FAILS, KGI_REFUSED, KGI_VACUOUS } kgi_answer;

/* Where modules run besides the reference: a device of this process, or of one that may fall (fuzz/hunt). */
typedef struct kgi_target {
  const char *id;         /* "vulkan:0", "cpu" */
  uint32_t subgroup_size;
  /* As kg_run and kg_device_compile do. */
  kg_status (*run)(void *user, const kg_module *m, kg_host *host, void *const *data, kg_math math, const kg_sink *sink);
  kg_status (*compile)(void *user, const kg_module *const *modules, size_t count, const kg_sink *sink);
  void *user;
} kgi_target;
kgi_target kgi_target_of(kg_device *device); /* which must outlive it */

/* What is asked about one program, and what was found. */
typedef struct kgi_ask {
  const uint8_t *bytes; /* of which it is made, or ... */
  size_t size;
  uint32_t features, statements;
  const kgi_case *given; /* ... this one; what it does not state goes by `data` */
  uint64_t data;        /* the seed of the data */
  const kgi_target *target; /* for those that need one ... */
  kg_math math;         /* ... and the mode in which it computes */
  kg_module **wanted;   /* not NULL: the module that would run on the device goes there, for the caller to free, and nothing runs */
  kgi_case *kept;       /* not NULL: the program and its data go there as well, before anything runs;
    after a failure it is asked again so */
  kgi_fuzz_coverage *coverage; /* NULL: not counted */
  kgi_fuzz_shapes shapes; /* of shapes.def that the program has */
  uint64_t steps;       /* that kgi_ask_harm took, of lanes */
  uint64_t outputs;     /* a hash of what the target left, where it ran and nothing failed */
  char id[128];         /* of the diagnostic of a refusal */
  const char *how;      /* of a failure: its sentence before names and numbers are filled in, the same for all of a kind */
  char what[1024];      /* of a failure */
} kgi_ask;

typedef kgi_answer kgi_property(kgi_ask *f);

/* A row of properties.def; `group` is the number of its group in kgi_groups. The last has no name. */
typedef struct kgi_property_row { const char *name; unsigned group; kgi_property *holds; uint32_t features; bool device; } kgi_property_row;
typedef struct kgi_group_row { const char *name, *text; } kgi_group_row;
extern const kgi_property_row kgi_properties[];
extern const kgi_group_row kgi_groups[];
const kgi_property_row *kgi_property_named(const char *name); /* NULL: there is none */

#define PROPERTY(id, name, group, features, on_device) kgi_property kgi_ask_##id;
#include "fuzz/ask/properties.def"

/* A change of each program keeps every bit; `which` is what comes out of it, for reports. */
typedef kg_status kgi_change(kg_module *m, kgi_program *p);
kgi_answer kgi_ask_changed(kgi_ask *f, kgi_change *change, const char *which);
/* The device computes what the reference does, by any module; the CPU device its bits, but for functions and sums. */
kgi_answer kgi_ask_module_on_device(kgi_ask *f, const kg_module *m);

/* Whether a module races: 0, it does not; 1 within a workgroup, 2 across them, 3 both; -1 where it repeats runs. Changes the module, of
 * which only races can be asked afterwards. */
int kgi_races_of(kgi_ask *f, kg_module *m);

/* The program that f is about, for the caller to free; NULL: no memory. */
kg_module *kgi_ask_program(kgi_ask *f);
/* Whether it runs on the reference, in no more than 50 million steps, without a race, a read of what nothing wrote, or an end that does not come; and without an access out
 * of bounds. */
typedef enum kgi_harm { KGI_HARMFUL, KGI_OUT_OF_BOUNDS, KGI_HARMLESS } kgi_harm;
kgi_harm kgi_ask_harm(kgi_ask *f);
/* The program of these bytes as text, for a report; free with free(). */
char *kgi_ask_text(const kgi_ask *f);
#endif
