/* driver/cpu: this machine's own cores as a device. */
/* A module's C text (room c) is compiled by the system's compiler, loaded, and run by a pool of threads. */
#ifndef KGI_DRIVER_CPU_H
#define KGI_DRIVER_CPU_H
#include "c/c.h"
#include "driver/backend.h"
#include "driver/cpu/memory.h"
#include "driver/cpu/pool.h"

typedef struct kgi_digest { uint64_t high, low; } kgi_digest;

/* ---- host.c: what text is compiled for ---- */

typedef struct kgi_cpu_host {
  char name[80];   /* "AMD EPYC, 16 lanes" */
  uint32_t lanes;
  kgi_digest kind; /* machines that differ in it do not run each other's code */
} kgi_cpu_host;
void kgi_cpu_describe(kgi_cpu_host *host);

/* ---- files.c: paths, and files that prove to be whole ---- */

typedef struct kgi_path { char text[1024]; } kgi_path;
/* False: it is too long. */
__attribute__((format(printf, 2, 3))) bool kgi_path_set(kgi_path *path, const char *format, ...);

typedef struct kgi_bytes { unsigned char *at; size_t size; } kgi_bytes;
void kgi_bytes_drop(const kg_allocator *alloc, kgi_bytes *bytes);
/* A whole file with a 0 behind it. False: it is not there, is no plain file of this user's alone, or there is no memory. */
bool kgi_file_read(const kg_allocator *alloc, const char *path, kgi_bytes *out);
/* Writes to a descriptor, which may be -1, and closes it. */
bool kgi_file_fill(int file, const void *bytes, size_t size);
/* Removes a folder and the plain files in it. */
void kgi_folder_remove(const char *path);
/* Whether nobody but this user can have written it. */
bool kgi_folder_is_own(const char *path);

kgi_digest kgi_digest_of(const void *bytes, size_t size);
kgi_digest kgi_digest_join(const kgi_digest *parts, uint32_t count);
typedef struct kgi_hex { char text[33]; } kgi_hex;
kgi_hex kgi_digest_hex(kgi_digest digest);

/* ---- cache.c: a folder of files that are named after what they were made from ---- */

/* The environment says where. Each file ends with a seal: its key, a number that goes with it, and a checksum of all. */
typedef struct kgi_cpu_cache {
  const kg_allocator *alloc;
  kgi_path folder; /* "": none */
  uint64_t bound;  /* in bytes; past it the files go that were not used for the longest time */
} kgi_cpu_cache;
void kgi_cache_find(kgi_cpu_cache *cache, const kg_allocator *alloc);
void kgi_cache_make(const kgi_cpu_cache *cache); /* the folder, and those around it, where they are not there */
bool kgi_cache_path(const kgi_cpu_cache *cache, kgi_digest key, const char *ending, kgi_path *out);
/* False: there is none, or it is not what was stored. `out` and `note` may be NULL. The seal is part of `out`. */
enum { KGI_CACHE_SEAL = 48 };
bool kgi_cache_get(const kgi_cpu_cache *cache, kgi_digest key, const char *ending, uint64_t *note, kgi_bytes *out);
bool kgi_cache_put(const kgi_cpu_cache *cache, kgi_digest key, const char *ending, uint64_t note, const kgi_bytes *bytes);
void kgi_cache_count(const kgi_cpu_cache *cache, uint32_t *files, uint64_t *bytes);

/* ---- spawn.c: runs a program to its end ---- */

/* How long a process may go on, in seconds: of a processor's time, it and each that it starts, and of the clock. */
typedef struct kgi_patience { uint32_t computing, waiting; } kgi_patience;

typedef enum kgi_lateness { KGI_IN_TIME, KGI_COMPUTED_LONG, KGI_WAITED_LONG } kgi_lateness;
typedef struct kgi_ended { int error; /* errno, where it could not be started */ int exit; int signal; kgi_lateness late; } kgi_ended;
/* argv[0] is its path, and no shell is asked. What it prints goes to the file, beside which it puts its temporary ones. */
kgi_ended kgi_spawn(char *const *argv, const char *output, kgi_patience patience, const kg_allocator *alloc);

/* ---- compiler.c ---- */

enum { KGI_CC_WORDS = 16 };

typedef struct kgi_compiler {
  char command[1024];          /* what CC says, cut into words */
  kgi_path program;            /* its first word, found */
  char *word[KGI_CC_WORDS]; uint32_t words; /* [0] is the program; 0: there is none, and `missing` says why */
  char missing[160];
  char version[96];            /* the first line of what it says of itself; "": not known yet */
  kgi_digest kind;             /* of the program, its options and its version */
  uint32_t native;             /* how it is asked for this machine's instructions: a row of compiler.c */
  uint32_t started;            /* how many processes were */
  kgi_patience patience;       /* with a compilation */
} kgi_compiler;

/* Looks along PATH, and starts nothing. */
void kgi_compiler_find(kgi_compiler *cc);
/* Its version and kind. */
void kgi_compiler_recall(kgi_compiler *cc, const kgi_cpu_cache *cache); /* as far as the cache knows: no process is started */
/* By asking it; works in the folder. */
kg_status kgi_compiler_ask(kgi_compiler *cc, const kgi_cpu_cache *cache, const char *folder, kgi_diags *diags);
/* folder/kernels.c to folder/kernels.so. `longest`: the bytes of the longest module's text in it, which says how far it is optimised.
 * `stack`: the bytes that a call takes at most; UINT64_MAX: the compiler does not say. */
kg_status kgi_compile(kgi_compiler *cc, const kgi_cpu_host *host, const kg_allocator *alloc, const char *folder, size_t longest,
                      kgi_diags *diags, uint64_t *stack);
/* What goes into the key besides the text and the compiler. */
kgi_digest kgi_compile_options(void);

/* ---- object.c: text to code ---- */

typedef struct kgi_cpu_object {
  struct kgi_cpu_object *next;
  kgi_digest key;
  void *library;
  struct kgi_cpu_object *of; /* NULL, or the one whose library has these kernels among others, ... */
  uint32_t before;           /* ... behind so many */
  uint64_t stack; /* as kgi_compile says */
  uint32_t uses;
} kgi_cpu_object;

/* The text of a module, and how many kernels are before its own in a text of several modules. */
typedef struct kgi_cpu_text { char *text; size_t size; uint32_t before; } kgi_cpu_text;

/* What a context keeps. */
typedef struct kgi_cpu {
  const kg_allocator *given;
  kg_allocator alloc; /* that, noting what it refuses: a file that is not read or kept is no failure, but want of memory is */
  bool no_memory;
  kgi_cpu_host host;
  kgi_cpu_cache cache;
  kgi_compiler cc;
  kgi_cpu_object *objects; /* the last one used first */
  kgi_pool *pool;
  uint32_t threads;
  char driver[1400];
} kgi_cpu;

void kgi_cpu_init(kgi_cpu *cpu, const kg_allocator *alloc, uint32_t threads);
void kgi_cpu_drop(kgi_cpu *cpu);
/* The same text twice gives the same object. */
kg_status kgi_cpu_load(kgi_cpu *cpu, const char *text, size_t size, kgi_diags *diags, kgi_cpu_object **out);
void kgi_cpu_unload(kgi_cpu *cpu, kgi_cpu_object *object);
/* Whether loading this text would start no compiler. */
bool kgi_cpu_has(kgi_cpu *cpu, const kgi_cpu_text *text);
/* Loads `all`, and has its kernels for whoever loads one of `each` soon. */
kg_status kgi_cpu_load_together(kgi_cpu *cpu, const kgi_cpu_text *all, const kgi_cpu_text *each, uint32_t count, kgi_diags *diags);
/* NULL: there is none of that number. */
kgi_c_kernel *kgi_cpu_kernel(const kgi_cpu_object *object, uint32_t program);

/* ---- the back end ---- */

extern const kgi_backend kgi_backend_cpu;

typedef struct kgi_cpu_device { kg_device base; kgi_cpu *cpu; } kgi_cpu_device;
static inline kgi_cpu *kgi_cpu_of(const kg_executable *exe) { return ((kgi_cpu_device *)exe->device)->cpu; }

typedef struct kgi_cpu_buffer { kg_buffer base; kgi_cpu_memory memory; } kgi_cpu_buffer;

/* together.c */
kg_status kgi_cpu_compile(kg_device *device, const kg_module *const *module, size_t count, kgi_diags *diags);

/* run.c */
kg_status kgi_cpu_prepare(kg_executable *exe, kgi_diags *diags);
kg_status kgi_cpu_execute(kg_executable *exe, kgi_diags *diags);
void kgi_cpu_discard(kg_executable *exe);
#endif
