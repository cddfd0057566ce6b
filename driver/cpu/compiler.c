#define _GNU_SOURCE
#include "driver/cpu/cpu.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Seconds. A compiler that computes longer is tried with less to do. */
enum { COMPUTING = 30, WAITING = 600 };

/* ---- which ---- */

static bool is_program(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

/* As a shell finds it, but for folders that depend on where the program happens to run. */
static bool find_program(const char *name, kgi_path *out) {
  if (strchr(name, '/')) return kgi_path_set(out, "%s", name) && is_program(out->text);
  const char *at = getenv("PATH");
  for (size_t length; at && *at; at += length + (at[length] == ':')) {
    length = strcspn(at, ":");
    if (*at == '/' && kgi_path_set(out, "%.*s/%s", (int)length, at, name) && is_program(out->text)) return true;
  }
  out->text[0] = 0;
  return false;
}

/* CC in words, as make cuts it; no shell reads it. */
static void cut(kgi_compiler *cc) {
  char *rest = cc->command, *word;
  while (cc->words < KGI_CC_WORDS && (word = strtok_r(rest, " \t\n", &rest))) cc->word[cc->words++] = word;
}

static void take_stated(kgi_compiler *cc, const char *stated) {
  int length = snprintf(cc->command, sizeof cc->command, "%s", stated);
  cut(cc);
  bool fits = (size_t)length < sizeof cc->command && cc->words < KGI_CC_WORDS;
  if (!fits) snprintf(cc->missing, sizeof cc->missing, "CC is longer than %d words", KGI_CC_WORDS - 1);
  else if (!find_program(cc->word[0], &cc->program))
    snprintf(cc->missing, sizeof cc->missing, "CC names %.80s, which is no program on PATH", cc->word[0]);
  if (cc->missing[0]) cc->words = 0;
}

void kgi_compiler_find(kgi_compiler *cc) {
  static const char *const usual[] = {"cc", "clang", "gcc"};
  const char *stated = getenv("CC");
  *cc = (kgi_compiler){.patience = {COMPUTING, WAITING}};
  if (stated && stated[strspn(stated, " \t\n")]) take_stated(cc, stated);
  else {
    for (size_t i = 0; i < sizeof usual / sizeof *usual && !cc->words; i++)
      if (find_program(usual[i], &cc->program)) cc->words = 1;
    if (!cc->words) snprintf(cc->missing, sizeof cc->missing, "none of cc, clang and gcc is on PATH");
  }
  if (cc->words) cc->word[0] = cc->program.text;
}

/* ---- what it is ---- */

/* An upgrade changes the program's size or time. In "ccache gcc" that of gcc counts, too. */
static kgi_digest word_digest(const char *word) {
  kgi_path path;
  char real[PATH_MAX];
  struct stat s;
  uint64_t about[4] = {0};
  if (find_program(word, &path) && realpath(path.text, real) && stat(real, &s) == 0) {
    about[0] = (uint64_t)s.st_size, about[1] = s.st_ino;
    about[2] = (uint64_t)s.st_mtim.tv_sec, about[3] = (uint64_t)s.st_mtim.tv_nsec;
    kgi_digest parts[] = {kgi_digest_of(word, strlen(word)), kgi_digest_of(real, strlen(real)), kgi_digest_of(about, sizeof about)};
    return kgi_digest_join(parts, 3);
  }
  return kgi_digest_of(word, strlen(word));
}

static kgi_digest command_digest(const kgi_compiler *cc) {
  kgi_digest words[KGI_CC_WORDS];
  for (uint32_t i = 0; i < cc->words; i++) words[i] = word_digest(cc->word[i]);
  return kgi_digest_join(words, cc->words);
}

static void take_version(kgi_compiler *cc, kgi_digest command, const kgi_bytes *text) {
  const char *line = (const char *)text->at;
  kgi_digest parts[] = {command, kgi_digest_of(text->at, text->size)};
  cc->kind = kgi_digest_join(parts, 2);
  snprintf(cc->version, sizeof cc->version, "%.*s", (int)strcspn(line, "\n"), line);
  if (!cc->version[0]) snprintf(cc->version, sizeof cc->version, "%.90s", cc->word[0]);
}

static bool recall(kgi_compiler *cc, const kgi_cpu_cache *cache, kgi_digest command) {
  kgi_bytes text;
  if (!kgi_cache_get(cache, command, ".cc", NULL, &text)) return false;
  text.size -= KGI_CACHE_SEAL;
  text.at[text.size] = 0;
  take_version(cc, command, &text);
  text.size += KGI_CACHE_SEAL;
  kgi_bytes_drop(cache->alloc, &text);
  return true;
}

void kgi_compiler_recall(kgi_compiler *cc, const kgi_cpu_cache *cache) {
  if (cc->words && !cc->version[0]) recall(cc, cache, command_digest(cc));
}

/* ---- running it ---- */

enum { NOTHING_MADE = -1 }; /* it says that all went well, and there is no library */

/* What it printed, as one line of a diagnostic: errors first, else from the start. */
static void first_lines(char *out, size_t room, const kgi_bytes *printed) {
  const char *text = printed->at ? (const char *)printed->at : "", *error = strstr(text, "error");
  while (error && error > text && error[-1] != '\n') error--;
  size_t used = strlen(out);
  for (const char *at = error ? error : text; *at && used + 2 < room; at++) {
    if (*at == '\n' && !at[1]) break;
    out[used++] = *at == '\n' ? ';' : *at;
    if (*at == '\n') out[used++] = ' ';
  }
  out[used] = 0;
}

static void say_failed(const kgi_compiler *cc, kgi_ended ended, const kgi_bytes *printed, kgi_diags *diags) {
  char why[400] = "";
  if (ended.error) snprintf(why, sizeof why, "%s", strerror(ended.error));
  else if (ended.late) {
    char seconds[24];
    bool computed = ended.late == KGI_COMPUTED_LONG;
    snprintf(seconds, sizeof seconds, "%u", computed ? cc->patience.computing : cc->patience.waiting);
    KGI_DIAG(diags, compile_late, 0, cc->word[0], seconds, computed ? "of computing" : "by the clock");
    return;
  }
  else if (ended.signal) snprintf(why, sizeof why, "it was ended by signal %d; ", ended.signal);
  else if (ended.exit == NOTHING_MADE) snprintf(why, sizeof why, "it wrote nothing; ");
  else snprintf(why, sizeof why, "it ended with %d; ", ended.exit);
  first_lines(why, sizeof why, printed);
  KGI_DIAG(diags, compile_failed, 0, cc->word[0], why);
}

static kgi_ended run(kgi_compiler *cc, const kg_allocator *alloc, const char *const *with, const char *output, kgi_bytes *printed) {
  char *argv[KGI_CC_WORDS + 40];
  uint32_t count = 0;
  for (uint32_t i = 0; i < cc->words; i++) argv[count++] = cc->word[i];
  for (uint32_t i = 0; with[i] && count < sizeof argv / sizeof *argv - 1; i++) argv[count++] = (char *)(uintptr_t)with[i];
  argv[count] = NULL;
  cc->started++;
  kgi_ended ended = kgi_spawn(argv, output, cc->patience, alloc);
  if (!kgi_file_read(alloc, output, printed)) *printed = (kgi_bytes){0};
  return ended;
}

kg_status kgi_compiler_ask(kgi_compiler *cc, const kgi_cpu_cache *cache, const char *folder, kgi_diags *diags) {
  kgi_digest command = command_digest(cc);
  kgi_path output;
  kgi_bytes printed;
  if (cc->version[0] || recall(cc, cache, command)) return KG_OK;
  if (!kgi_path_set(&output, "%s/version", folder)) return KG_REFUSED;
  kgi_ended ended = run(cc, cache->alloc, (const char *const[]){"--version", NULL}, output.text, &printed);
  bool fine = !ended.error && !ended.signal && !ended.exit && printed.at;
  if (!fine) say_failed(cc, ended, &printed, diags);
  else {
    take_version(cc, command, &printed);
    kgi_cache_put(cache, command, ".cc", 0, &printed);
  }
  kgi_bytes_drop(cache->alloc, &printed);
  return fine ? KG_OK : KG_REFUSED;
}

/* ---- compiling ---- */

static const char *const options[] = {
  "-std=c11",
  "-ffp-contract=off",     /* each operation rounds by itself, as the reference's does; kernels say where they fuse */
  "-fno-fast-math",        /* whatever CC holds, results are those of IEEE */
  "-fno-math-errno",       /* sqrt is one instruction: nobody reads errno */
  "-fno-trapping-math",    /* comparisons and selections become vector operations: nobody unmasks exceptions */
  "-fno-strict-aliasing",  /* views of one binding see the same bytes as elements of other types */
  "-fPIC", "-shared",      /* a library is what a process can load */
  "-fstack-usage",         /* tells on which stacks the kernels can run */
};
enum { OPTIONS = sizeof options / sizeof *options };

/* From how many bytes of text on. Loops over lanes become vectors at the first; -O3 unrolls them first, to half the speed and twice the
 * compiling. Time of the first grows with the square of a block's length, and that of the last hardly faster than the text. */
static const struct level { size_t from; const char *option; } levels[] = {{0, "-O2"}, {512 << 10, "-O0"}};
enum { LEVELS = sizeof levels / sizeof *levels };

/* This machine's own instructions; compilers for some processors know the first by the second name, or by none. */
static const char *const natives[] = {"-march=native", "-mcpu=native", NULL};
enum { NATIVES = sizeof natives / sizeof *natives };

kgi_digest kgi_compile_options(void) {
  kgi_digest each[OPTIONS + LEVELS];
  for (uint32_t i = 0; i < OPTIONS; i++) each[i] = kgi_digest_of(options[i], strlen(options[i]));
  for (uint32_t i = 0; i < LEVELS; i++) each[OPTIONS + i] = kgi_digest_of(levels[i].option, strlen(levels[i].option));
  return kgi_digest_join(each, OPTIONS + LEVELS);
}

static uint32_t level_of(size_t size) {
  uint32_t level = 0;
  while (level + 1 < LEVELS && size >= levels[level + 1].from) level++;
  return level;
}

/* Frames of vectors are aligned as they are entered, which makes them dynamic; the bytes are the most that they take. */
static bool is_bounded(const char *kind) { return !strncmp(kind, "static", 6) || !strncmp(kind, "dynamic,bounded", 15); }

/* The functions call each other and never themselves, so that no call takes more than all of them together. */
static uint64_t stack_of(const kg_allocator *alloc, const char *folder) {
  kgi_path path;
  kgi_bytes text;
  uint64_t total = 0;
  bool known = false;
  /* a compiler that links as it compiles names the file after the library */
  static const char *const names[] = {"kernels.su", "kernels.so-kernels.su"};
  for (unsigned i = 0; i < 2 && !known; i++)
    known = kgi_path_set(&path, "%s/%s", folder, names[i]) && kgi_file_read(alloc, path.text, &text);
  if (!known) return UINT64_MAX;
  for (char *line = (char *)text.at, *end; *line; line = *end ? end + 1 : end) {
    end = line + strcspn(line, "\n");
    char *bytes = memchr(line, '\t', (size_t)(end - line));
    char *kind = bytes ? memchr(bytes + 1, '\t', (size_t)(end - bytes - 1)) : NULL;
    known = known && kind && is_bounded(kind + 1);
    if (bytes) total += strtoull(bytes + 1, NULL, 10);
  }
  kgi_bytes_drop(alloc, &text);
  return known ? total : UINT64_MAX;
}

static kgi_ended compile_with(kgi_compiler *cc, const kg_allocator *alloc, uint32_t lanes, uint32_t level, uint32_t native,
                              const char *folder, kgi_bytes *printed) {
  const char *all[OPTIONS + 12];
  kgi_path source, library, output;
  char define[32];
  uint32_t count = 0;
  snprintf(define, sizeof define, "-DKG_LANES=%u", lanes);
  if (!kgi_path_set(&source, "%s/kernels.c", folder) || !kgi_path_set(&library, "%s/kernels.so", folder) ||
      !kgi_path_set(&output, "%s/printed", folder))
    return *printed = (kgi_bytes){0}, (kgi_ended){.exit = 1};
  for (uint32_t i = 0; i < OPTIONS; i++) all[count++] = options[i];
  all[count++] = levels[level].option;
  if (natives[native]) all[count++] = natives[native];
  all[count++] = define, all[count++] = "-o", all[count++] = library.text, all[count++] = source.text, all[count++] = "-lm";
  all[count] = NULL;
  kgi_ended ended = run(cc, alloc, all, output.text, printed);
  struct stat s;
  if (!ended.error && !ended.signal && !ended.exit && (stat(library.text, &s) != 0 || !s.st_size)) ended.exit = NOTHING_MADE;
  return ended;
}

/* Text that no row of the tables compiles is told of as the last one does. */
kg_status kgi_compile(kgi_compiler *cc, const kgi_cpu_host *host, const kg_allocator *alloc, const char *folder, size_t longest,
                      kgi_diags *diags, uint64_t *stack) {
  for (uint32_t native = cc->native, level = level_of(longest);;) {
    kgi_bytes printed;
    kgi_ended ended = compile_with(cc, alloc, host->lanes, level, native, folder, &printed);
    bool fine = !ended.error && !ended.signal && !ended.exit, more = ended.late == KGI_COMPUTED_LONG && level + 1 < LEVELS;
    bool other = !ended.late && !ended.error && native + 1 < NATIVES;
    if (fine) cc->native = native, *stack = stack_of(alloc, folder);
    else if (!more && !other) say_failed(cc, ended, &printed, diags);
    kgi_bytes_drop(alloc, &printed);
    if (fine) return KG_OK;
    if (!more && !other) return KG_REFUSED;
    level += more, native += other;
  }
}
