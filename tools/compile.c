#include "tools/compile.h"

#include "tools/diag.h"
#include "tools/registers.h"

#include <errno.h>
#include <fcntl.h>
#include <kgrad/spirv.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* How a compiler is called. */
typedef struct compiler {
  const char *name;
  const char *flags[10];           /* what it always takes; names and lines are kept */
  const char *entry;               /* before the entry point's name; NULL: the language has `main` alone, or all are compiled */
  bool entry_attached, entry_main; /* one word; `main` where nothing is stated */
  const char *output;              /* before the output file's name */
  const char *relaxed[3];          /* what takes sources that it refuses without */
  const char *relaxed_for;         /* ... which it says so of */
  const char *apart[6];            /* what keeps registers t0, u0 and b0 apart, which are one binding otherwise */
  bool moves_stated;               /* ... but moves what [[vk::binding(...)]] places as well */
} compiler;

/* HLSL for Vulkan 1.1: for later ones glslang makes modules that are not valid. Resources that state no place
 * get one each. Up to shader model 5.0 Direct3D has registers b0 to b13, t0 to t127 and u0 to u63: no shift runs into the next. Later
 * models have more, of which bindings.c of the importer warns where two meet still. doc/import.md states the shifts. */
static const compiler compilers[] = {
    {"glslangValidator", {"-V", "--target-env", "vulkan1.2", "-S", "comp", "-g"}, .output = "-o", .relaxed = {"-R", "--amb", "--aml"},
     .relaxed_for = "'non-opaque uniforms outside a block'"},
    {"glslc", {"-fshader-stage=compute", "--target-env=vulkan1.2", "-g"}, .output = "-o"},
    {"dxc", {"-spirv", "-fspv-target-env=vulkan1.2", "-T", "cs_6_2", "-Zi"},
     .entry = "-E", .entry_main = true, .output = "-Fo",
     .apart = {"-fvk-t-shift", "128", "all", "-fvk-u-shift", "256", "all"},
     .relaxed = {"-enable-16bit-types"}, .relaxed_for = "16_t'"}, /* float16_t, int16_t, uint16_t */
    {"glslangValidator", {"-D", "-V", "--target-env", "vulkan1.1", "-S", "comp", "-g", "--amb"}, .entry = "-e", .entry_main = true,
     .output = "-o", .moves_stated = true,
     .apart = {"--hlsl-iomap", "--shift-texture-binding", "128", "--shift-uav-binding", "256"}},
    {"glslc", {"-x", "hlsl", "-fauto-bind-uniforms", "-fshader-stage=compute", "--target-env=vulkan1.1", "-g"},
     .entry = "-fentry-point=",
     .entry_attached = true, .entry_main = true, .output = "-o", .moves_stated = true,
     .apart = {"-fhlsl-iomap", "-ftexture-binding-base", "128", "-fuav-binding-base", "256"}},
    {"slangc", {"-target", "spirv", "-g1", "-fvk-use-entrypoint-name", "-stage", "compute"}, .entry = "-entry", .entry_main = true,
     .output = "-o"},
    {"clspv", {NULL}, .output = "-o"},
};

#define HLSL "HLSL", "dxc, glslangValidator or glslc (Debian: glslang-tools, glslc)", 2, 3

/* Those of `compilers` that take it, the first choice first. Where there are none, what to do instead of installing one. */
static const struct language {
  const char *ending, *name, *advice;
  unsigned first, count;
} languages[] = {
    {".comp", "GLSL", "glslangValidator or glslc (Debian: glslang-tools, glslc)", 0, 2},
    {".glsl", "GLSL", "glslangValidator or glslc (Debian: glslang-tools, glslc)", 0, 2},
    {".hlsl", HLSL},
    {".compute", HLSL}, /* Unity's */
    {".csh", HLSL},     /* Diligent's */
    {".slang", "Slang", "slangc (from shader-slang.org)", 5, 1},
    {".cl", "OpenCL C", "clspv (from github.com/google/clspv)", 6, 1},
    {".wgsl", "WGSL", "give the SPIR-V that naga or tint makes of it", 0, 0},
    {".metal", "Metal", "give the GLSL, HLSL or SPIR-V that it was made of", 0, 0},
    {".cu", "CUDA C++", "write the kernel in GLSL, HLSL, Slang or kgrad's language (doc/language.md)", 0, 0},
};

static const struct language *language_of(const char *path) {
  size_t size = strlen(path);
  for (size_t i = 0; i < sizeof languages / sizeof *languages; i++) {
    size_t n = strlen(languages[i].ending);
    if (size > n && strcmp(path + size - n, languages[i].ending) == 0) return &languages[i];
  }
  return NULL;
}

bool tool_is_source(const char *path) { return language_of(path) != NULL; }

/* ---- the arguments ---- */

typedef struct command_line {
  char *word[64 + 2];
  size_t count;
  bool failed;
} command_line;

static void add(command_line *l, const char *a, const char *b) {
  char *word = l->count < 64 ? malloc(strlen(a) + strlen(b) + 1) : NULL;
  if (!word) return (void)(l->failed = true);
  l->word[l->count++] = strcat(strcpy(word, a), b);
}

/* A shader goes in as it is, or once more: the flags say so, and may be both. */
enum { PLAIN = 0, RELAXED = 1, APART = 2 };

static void fill(command_line *l, const compiler *c, unsigned manner, const char *path, const tool_import *import, const char *output) {
  const char *entry = import->entry ? import->entry : c->entry_main ? "main" : NULL;
  const size_t relaxed = manner & RELAXED ? sizeof c->relaxed / sizeof *c->relaxed : 0;
  const size_t apart = manner & APART ? sizeof c->apart / sizeof *c->apart : 0;
  add(l, c->name, "");
  for (size_t i = 0; c->flags[i]; i++) add(l, c->flags[i], "");
  for (size_t i = 0; i < relaxed && c->relaxed[i]; i++) add(l, c->relaxed[i], "");
  for (size_t i = 0; i < apart && c->apart[i]; i++) add(l, c->apart[i], "");
  for (size_t i = 0; i < import->flags.count; i++) add(l, import->flags.items[i], "");
  if (c->entry && entry && !c->entry_attached) add(l, c->entry, ""), add(l, entry, "");
  else if (c->entry && entry) add(l, c->entry, entry);
  for (size_t i = 0; i < import->define.count; i++) add(l, "-D", import->define.items[i]);
  for (size_t i = 0; i < import->include.count; i++) add(l, "-I", import->include.items[i]);
  add(l, c->output, ""), add(l, output, "");
  add(l, *path == '-' ? "./" : "", path); /* no option, whatever it is called */
}

static void clear(command_line *l) {
  for (size_t i = 0; i < l->count; i++) free(l->word[i]);
  *l = (command_line){.count = 0};
}

/* ---- the process ---- */

enum { MOST_SECONDS = 60, MOST_SAID = 1 << 20 };

/* What it says goes to `said`: a compiler may talk on standard output, which is kgrad's. Signals that kgrad holds reach it. */
static int start(const command_line *l, int said, const sigset_t *mask, pid_t *child) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  int error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (!error) error = posix_spawn_file_actions_adddup2(&actions, said, 1);
  if (!error) error = posix_spawn_file_actions_adddup2(&actions, said, 2);
  if (!error) error = posix_spawnattr_setsigmask(&attributes, mask);
  if (!error) error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  if (!error) error = posix_spawnp(child, l->word[0], &actions, &attributes, l->word, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

static bool is_interrupted(const sigset_t *held) {
  sigset_t pending;
  sigpending(&pending);
  for (int s = 1; s < 32; s++)
    if (sigismember(held, s) == 1 && sigismember(&pending, s) == 1) return true;
  return false;
}

/* NULL: it may go on. */
static const char *excess(const char *output, int said, time_t since, size_t limit) {
  struct stat written, spoken;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (now.tv_sec - since > MOST_SECONDS) return "it took longer than a minute";
  if (stat(output, &written) == 0 && (uint64_t)written.st_size > limit) return "what it wrote is too large";
  return fstat(said, &spoken) == 0 && spoken.st_size > MOST_SAID ? "it said too much" : NULL;
}

/* Its exit status as waitpid has it. What it writes last is seen too. *why: it was stopped. */
static int watch(pid_t child, const char *output, int said, size_t limit, const sigset_t *held, const char **why) {
  struct timespec begin, pause = {.tv_nsec = 2000000};
  int status = 0;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (bool ended = false; !ended && !*why;) {
    pid_t got = waitpid(child, &status, WNOHANG);
    ended = got != 0 && !(got < 0 && errno == EINTR);
    *why = is_interrupted(held) ? "a signal came" : excess(output, said, begin.tv_sec, limit);
    if (*why && !ended) kill(child, SIGKILL), waitpid(child, &status, 0);
    if (!ended && !*why) nanosleep(&pause, NULL);
  }
  return status;
}

static void repeat(int said) {
  char text[4096];
  size_t left = 1 << 16;
  lseek(said, 0, SEEK_SET);
  for (ssize_t n; left && (n = read(said, text, sizeof text)) > 0; left -= (size_t)n < left ? (size_t)n : left)
    fwrite(text, 1, (size_t)n, stderr);
}

/* ---- the whole ---- */

typedef struct place { char path[512]; int fd; } place;

static bool make_place(place *p) {
  const char *folder = getenv("TMPDIR");
  int n = snprintf(p->path, sizeof p->path, "%s/kgrad.XXXXXX", folder && *folder ? folder : "/tmp");
  p->fd = -1;
  if (n < 0 || (size_t)n >= sizeof p->path) return errno = ENAMETOOLONG, false;
  return (p->fd = mkstemp(p->path)) >= 0;
}

static void drop_place(const place *p) {
  if (p->fd >= 0) close(p->fd), unlink(p->path);
}

/* What a compilation is given, and where it writes and speaks. */
typedef struct job {
  const char *path;
  const tool_import *import;
  size_t limit;
  place output, said;
  sigset_t held, mask;
  const kg_sink *sink;
} job;

/* STOPPED: that was said. */
typedef enum outcome { STOPPED, FAILED, COMPILED } outcome;

static outcome finish(const job *j, const char *name, pid_t child) {
  const char *why = NULL;
  int status = watch(child, j->output.path, j->said.fd, j->limit, &j->held, &why);
  if (why) return TOOL_EMIT(j->sink, compiler_stopped, j->path, name, why), STOPPED;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? COMPILED : FAILED;
}

/* By the first of the compilers that is there: *used. */
static outcome try(const job *j, const struct language *language, unsigned manner, const compiler **used) {
  command_line line = {.count = 0};
  int error = ENOENT;
  pid_t child = 0;
  if (ftruncate(j->said.fd, 0) < 0 || lseek(j->said.fd, 0, SEEK_SET) < 0)
    return TOOL_EMIT(j->sink, cannot_write, "the compiler's output", strerror(errno)), STOPPED;
  for (unsigned i = 0; i < language->count && error == ENOENT; i++) {
    clear(&line);
    *used = &compilers[language->first + i];
    fill(&line, *used, manner, j->path, j->import, j->output.path);
    error = line.failed ? E2BIG : start(&line, j->said.fd, &j->mask, &child);
  }
  clear(&line);
  if (error == ENOENT) return TOOL_EMIT(j->sink, no_compiler, j->path, language->name, language->advice), STOPPED;
  if (error) return TOOL_EMIT(j->sink, compiler_stopped, j->path, (*used)->name, strerror(error)), STOPPED;
  return finish(j, (*used)->name, child);
}

/* Shaders of OpenGL have uniforms outside of blocks. Under relaxed rules these are members of a block that the compiler makes. Of HLSL
 * the types of 16 bits have to be enabled, which changes what `half` is: so it is done for those alone that have one. */
static bool asks_for_more(const job *j, const compiler *c) {
  char text[MOST_SAID / 16];
  ssize_t n = c->relaxed[0] ? pread(j->said.fd, text, sizeof text - 1, 0) : 0;
  if (n > 0) text[n] = 0;
  return n > 0 && strstr(text, c->relaxed_for);
}

static bool compile(const job *j, const struct language *language, unsigned manner, const compiler **used) {
  outcome out = try(j, language, manner, used);
  if (out == FAILED && asks_for_more(j, *used)) out = try(j, language, manner | RELAXED, used);
  if (out == FAILED) repeat(j->said.fd), TOOL_EMIT(j->sink, compiler_failed, j->path, (*used)->name);
  return out == COMPILED;
}

/* Shaders whose registers meet are compiled anew, and no others: they alone have places that no Vulkan host can have wanted. */
static bool compile_apart(const job *j, const struct language *language, tool_bytes *out) {
  const compiler *used = NULL;
  if (!language->count) return TOOL_EMIT(j->sink, foreign_language, j->path, language->name, language->advice), false;
  if (!compile(j, language, PLAIN, &used) || !tool_read_file(j->output.path, j->limit, out, j->sink)) return false;
  if (!used->apart[0] || !kg_spirv_bindings_meet(NULL, out->data, out->size)) return true;
  if (used->moves_stated && tool_states_bindings(out)) return true;
  free(out->data);
  return compile(j, language, APART, &used) && tool_read_file(j->output.path, j->limit, out, j->sink);
}

/* Signals wait while the files are there, so that none stays behind. They end the compiler at once. */
bool tool_compile(const char *path, const tool_import *import, size_t limit, const kg_sink *sink, tool_bytes *out) {
  job j = {.path = path, .import = import, .limit = limit, .output.fd = -1, .said.fd = -1, .sink = sink};
  tool_bytes source;
  if (!tool_read_file(path, limit, &source, sink)) return false;
  free(source.data);
  sigemptyset(&j.held);
  sigaddset(&j.held, SIGINT), sigaddset(&j.held, SIGTERM), sigaddset(&j.held, SIGHUP);
  sigprocmask(SIG_BLOCK, &j.held, &j.mask);
  bool fine = make_place(&j.output) && make_place(&j.said);
  if (!fine) TOOL_EMIT(sink, cannot_write, "the compiler's output", strerror(errno));
  fine = fine && compile_apart(&j, language_of(path), out);
  drop_place(&j.output), drop_place(&j.said);
  sigprocmask(SIG_SETMASK, &j.mask, NULL);
  return fine;
}
