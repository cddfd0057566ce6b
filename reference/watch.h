/* What devices hide: accesses that nothing orders, and reads of what was never written. */
#ifndef KGI_WATCH_H
#define KGI_WATCH_H
#include "reference/machine.h"

/* One who touched an element, and the instructions of the last write, read and atomic change; 0: none. An atomic read counts as a
 * read with KGI_ATOMICALLY, unless there is a plain one. */
typedef struct kgi_toucher { uint32_t who, write, read, change; } kgi_toucher;
#define KGI_ATOMICALLY UINT32_C(0x80000000)

/* Who touched an element in the interval `when`, which counts from 1. Two are enough for whoever comes next to find one that is
 * not itself, as long as a third takes the place of one whose accesses conflict with less. */
typedef struct kgi_cell {
  uint32_t when;
  uint16_t count;
  bool read_only; /* by two, plainly */
  kgi_toucher by[2];
} kgi_cell;

/* Of one object. Within a workgroup an interval lies between barriers, and `who` is a lane; across workgroups it is a dispatch, and
 * `who` a workgroup. NULL where it is not watched. */
typedef struct kgi_watch {
  kgi_cell *lanes, *groups;
  uint8_t *written; /* of each element; NULL where contents are defined from the start */
  uint32_t cells;   /* how many of these an element has: 1, but for views */
} kgi_watch;

enum { KGI_MAX_REPORTS = 16 };

/* Accesses out of bounds that one instruction made: the first, and how many. */
typedef struct kgi_outside {
  uint32_t program, inst, lane, group;
  int64_t index;
  uint64_t length, count;
} kgi_outside;

/* Of one run of a module. */
typedef struct kgi_watcher {
  uint32_t checks;   /* kg_check */
  uint32_t interval; /* of the workgroup; counts up at each barrier and each workgroup */
  uint32_t dispatch, group;
  uint32_t pair[KGI_MAX_REPORTS][3]; /* what was reported: program and two instructions */
  uint32_t pairs;
  kgi_outside outside[KGI_MAX_REPORTS];
  uint32_t outsides;
} kgi_watcher;

/* The watch for an object of `total` elements, NULL where there is nothing to watch, as in a buffer that is only read. `undefined`:
 * contents are not defined at first. */
kgi_watch *kgi_watch_make(const kgi_watcher *w, const kgi_object *object, bool undefined, size_t total, kgi_arena *arena);

/* Holds what a buffer contains against the range that its declaration states. */
void kgi_watch_range(const kgi_layout *layout, uint32_t object, const kgi_memory *memory, kg_reference_report *report);

/* An access of `inst` to the elements in m->where. */
void kgi_watch_access(kgi_machine *m, uint32_t inst, const kgi_mask *mask);
/* `count` accesses of `inst` out of bounds, that of `lane` the first of them; said when the run has ended. */
void kgi_watch_outside(kgi_machine *m, uint32_t inst, uint32_t lane, int64_t index, uint64_t count);
void kgi_watch_say_outside(const kgi_watcher *watcher, const kg_module *module, kgi_diags *diags);
/* A load or store of a scalar var: only whether it was written can be wrong. */
void kgi_watch_own(kgi_machine *m, uint32_t inst, const kgi_mask *mask);
#endif
