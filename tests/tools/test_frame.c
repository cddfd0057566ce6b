/* The command's own parts: JSON, options, output files, the printer, pictures. */
#include "tests/support/kgtest.h"

#include "tools/diag.h"
#include "tools/file.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/png.h"

#include <dirent.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- JSON --- */

START_TEST(json_escapes) {
  tool_json j = {0};
  tool_json_open(&j, '[');
  tool_json_string(&j, "a\"\\\b\f\n\r\t\x01\x7f/");
  tool_json_string(&j, "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  tool_json_string(&j, "\x80 \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x82");
  tool_json_string(&j, NULL);
  tool_json_close(&j, ']');
  ck_assert_str_eq(j.text, "[\"a\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u007f/\",\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\","
                           "\"\\ufffd \\ufffd\\ufffd \\ufffd\\ufffd\\ufffd \\ufffd\\ufffd\\ufffd\\ufffd "
                           "\\ufffd\\ufffd\",null]");
  tool_json_free(&j);
}
END_TEST

START_TEST(json_numbers_read_back) {
  const double values[] = {0, -0.0, 1, 0.1, 1e300, 5e-324, 1.0 / 3, 123456789.125, (double)1.1f};
  tool_json j = {0};
  for (size_t i = 0; i < KGT_COUNT(values); i++) {
    j.used = 0, j.comma = false;
    tool_json_number(&j, values[i]);
    ck_assert(strtod(j.text, NULL) == values[i]);
  }
  j.used = 0, j.comma = false;
  tool_json_open(&j, '[');
  tool_json_number(&j, 0.1);
  tool_json_number(&j, NAN);
  tool_json_number(&j, -INFINITY);
  tool_json_u64(&j, UINT64_MAX);
  tool_json_i64(&j, INT64_MIN);
  tool_json_bool(&j, true);
  tool_json_close(&j, ']');
  ck_assert_str_eq(j.text, "[0.1,\"nan\",\"-inf\",18446744073709551615,-9223372036854775808,true]");
  tool_json_free(&j);
}
END_TEST

START_TEST(json_nests) {
  tool_json j = {0};
  tool_json_open(&j, '{');
  tool_json_key(&j, "a");
  tool_json_open(&j, '[');
  tool_json_close(&j, ']');
  tool_json_member_u64(&j, "b", 1);
  tool_json_key(&j, "c");
  tool_json_raw(&j, "{\"d\":2}");
  tool_json_close(&j, '}');
  ck_assert_str_eq(j.text, "{\"a\":[],\"b\":1,\"c\":{\"d\":2}}");
  tool_json_free(&j);
}
END_TEST

/* --- options --- */

typedef struct options {
  bool time;
  const char *as;
  tool_count limit;
  tool_list in;
} options;

static const tool_option rows[] = {
    {"time", 't', TOOL_FLAG, offsetof(options, time), NULL, "measure", NULL},
    {"as", 0, TOOL_TEXT, offsetof(options, as), "FORM", "the form", "kg|spv"},
    {"limit", 'l', TOOL_COUNT, offsetof(options, limit), "SIZE", "at most", NULL},
    {"in", 'i', TOOL_LIST, offsetof(options, in), "NAME=FILE", "an array", NULL},
    {NULL, 0, TOOL_FLAG, 0, NULL, NULL, NULL},
};

static void last_id(void *user, const kg_diag *d) { snprintf(user, 32, "%s", d->id); }

/* The words after the command, up to NULL. */
static bool parse(options *o, char *id, int *first, char **argv) {
  int argc = 0;
  while (argv[argc]) argc++;
  optind = 0;
  *o = (options){0};
  *id = 0;
  return tool_options_parse(rows, "try", argc, argv, o, first, &(kg_sink){last_id, id});
}

START_TEST(options_parse) {
  options o;
  char id[32];
  int first;
  char *argv[] = {"try", "file", "--in", "a=b", "-t", "--as=spv", "-l", "3K", "-ic=d", "--json", "--", "-x", NULL};
  ck_assert(parse(&o, id, &first, argv));
  ck_assert(o.time && o.limit.given);
  ck_assert_str_eq(o.as, "spv");
  ck_assert_uint_eq(o.limit.value, 3072);
  ck_assert_uint_eq(o.in.count, 2);
  ck_assert_str_eq(o.in.items[1], "c=d");
  ck_assert_int_eq(first, 10);
  ck_assert_str_eq(argv[first], "file");
  ck_assert_str_eq(argv[first + 1], "-x");
  tool_options_free(rows, &o);
}
END_TEST

static const struct {
  const char *word, *next, *id;
} wrong[] = {
    {"--nothing", NULL, "unknown-option"},   {"-x", NULL, "unknown-option"},
    {"--as", NULL, "option-argument"},       {"-l", NULL, "option-argument"},
    {"--time=3", NULL, "option-no-argument"}, {"--as", "tree", "option-choice"},
    {"--as", "k", "option-choice"},          {"--limit", "-1", "option-number"},
    {"--limit", "3X", "option-number"},      {"--limit", "99999999999999999999", "option-number"},
    {"--limit", "17179869184G", "option-number"}, {"--json=1", NULL, "option-no-argument"},
};

START_TEST(options_refuse) {
  options o;
  char id[32];
  int first;
  char *argv[] = {"try", (char *)wrong[_i].word, (char *)wrong[_i].next, NULL};
  ck_assert(!parse(&o, id, &first, argv));
  ck_assert_str_eq(id, wrong[_i].id);
  tool_options_free(rows, &o);
}
END_TEST

START_TEST(pairs_split) {
  char id[32] = "";
  const char *value;
  kg_sink sink = {last_id, id};
  ck_assert_uint_eq(tool_split_pair("xy=a=b", "--in", &value, &sink), 2);
  ck_assert_str_eq(value, "a=b");
  const char *bad[] = {"", "x", "=y", "x="};
  for (size_t i = 0; i < KGT_COUNT(bad); i++) {
    *id = 0;
    ck_assert_uint_eq(tool_split_pair(bad[i], "--in", &value, &sink), 0);
    ck_assert_str_eq(id, "option-pair");
  }
}
END_TEST

/* --- output files --- */

static char path[400];
static const char *in_temp(const char *name) {
  snprintf(path, sizeof path, "%s/%s", kgt_temp_dir(), name);
  return path;
}

static int entries(void) {
  int n = 0;
  DIR *dir = opendir(kgt_temp_dir());
  ck_assert_ptr_nonnull(dir);
  for (struct dirent *e; (e = readdir(dir));) n += e->d_name[0] != '.';
  closedir(dir);
  return n;
}

START_TEST(output_appears_when_placed) {
  tool_outputs outputs = {0};
  char id[32] = "";
  kg_sink sink = {last_id, id};
  FILE *f = tool_output_open(&outputs, in_temp("placed"), &sink);
  ck_assert_ptr_nonnull(f);
  fputs("whole", f);
  ck_assert_int_ne(access(path, F_OK), 0);
  ck_assert(tool_outputs_place(&outputs, &sink));
  tool_outputs_keep(&outputs);
  char *text = kgt_read_file(path, NULL);
  ck_assert_str_eq(text, "whole");
  struct stat info;
  ck_assert_int_eq(stat(path, &info), 0);
  mode_t mask = umask(0);
  umask(mask);
  ck_assert_uint_eq(info.st_mode & 0777, 0666 & ~mask);
  free(text);
  unlink(path);
  ck_assert_int_eq(entries(), 0);
}
END_TEST

START_TEST(output_discarded_keeps_the_old) {
  tool_outputs outputs = {0};
  char id[32] = "";
  kg_sink sink = {last_id, id};
  FILE *f = fopen(in_temp("kept"), "w");
  fputs("old", f);
  fclose(f);
  f = tool_output_open(&outputs, path, &sink);
  fputs("new", f);
  tool_outputs_discard(&outputs);
  char *text = kgt_read_file(path, NULL);
  ck_assert_str_eq(text, "old");
  free(text);
  ck_assert_int_eq(entries(), 1);
  unlink(path);
}
END_TEST

START_TEST(output_follows_links) {
  tool_outputs outputs = {0};
  char target[400], id[32] = "";
  kg_sink sink = {last_id, id};
  snprintf(target, sizeof target, "%s/target", kgt_temp_dir());
  fclose(fopen(target, "w"));
  ck_assert_int_eq(symlink(target, in_temp("link")), 0);
  fputs("through", tool_output_open(&outputs, path, &sink));
  ck_assert(tool_outputs_place(&outputs, &sink));
  tool_outputs_keep(&outputs);
  char *text = kgt_read_file(target, NULL);
  ck_assert_str_eq(text, "through");
  free(text);
  struct stat info;
  ck_assert_int_eq(lstat(path, &info), 0);
  ck_assert(S_ISLNK(info.st_mode));
  unlink(path), unlink(target);
}
END_TEST

START_TEST(output_refuses) {
  tool_outputs outputs = {0};
  char id[32] = "";
  kg_sink sink = {last_id, id};
  ck_assert_ptr_null(tool_output_open(&outputs, in_temp("no/such/folder"), &sink));
  ck_assert_str_eq(id, "cannot-write");
  *id = 0;
  ck_assert_ptr_null(tool_output_open(&outputs, kgt_temp_dir(), &sink));
  ck_assert_str_eq(id, "cannot-write");
  /* a full disk shows before anything is placed */
  *id = 0;
  ck_assert_ptr_nonnull(tool_output_open(&outputs, "/dev/full", &sink));
  fputs("x", tool_output_open(&outputs, in_temp("beside"), &sink));
  FILE *full = tool_output_open(&outputs, "/dev/full", &sink);
  for (int i = 0; i < 100000; i++) putc('x', full);
  ck_assert(!tool_outputs_place(&outputs, &sink));
  ck_assert_str_eq(id, "cannot-write");
  ck_assert_int_eq(entries(), 0);
}
END_TEST

static void write_old(const char *name) {
  FILE *f = fopen(in_temp(name), "w");
  ck_assert_ptr_nonnull(f);
  fputs("old", f);
  fclose(f);
}

static void holds_old(const char *name) {
  char *text = kgt_read_file(in_temp(name), NULL);
  ck_assert_str_eq(text, "old");
  free(text);
}

START_TEST(outputs_undone_leave_what_was_there) {
  tool_outputs outputs = {0};
  char id[32] = "";
  kg_sink sink = {last_id, id};
  write_old("was");
  fputs("new", tool_output_open(&outputs, path, &sink));
  fputs("new", tool_output_open(&outputs, in_temp("was-not"), &sink));
  ck_assert(tool_outputs_place(&outputs, &sink));
  ck_assert_int_eq(entries(), 3); /* with what was there */
  tool_outputs_discard(&outputs);
  ck_assert_int_eq(entries(), 1);
  holds_old("was");
  unlink(path);
}
END_TEST

/* A folder takes the place of the second target: that it cannot be replaced undoes the first. */
START_TEST(outputs_appear_all_or_none) {
  tool_outputs outputs = {0};
  char id[32] = "";
  kg_sink sink = {last_id, id};
  write_old("first");
  ck_assert_ptr_nonnull(tool_output_open(&outputs, in_temp("folder"), &sink));
  ck_assert_ptr_nonnull(tool_output_open(&outputs, in_temp("first"), &sink));
  ck_assert_int_eq(mkdir(in_temp("folder"), 0700), 0);
  ck_assert(!tool_outputs_place(&outputs, &sink));
  ck_assert_str_eq(id, "cannot-write");
  ck_assert_int_eq(entries(), 2);
  ck_assert_int_eq(rmdir(in_temp("folder")), 0);
  holds_old("first");
  unlink(path);
}
END_TEST

START_TEST(outputs_to_one_file_are_refused) {
  tool_outputs outputs = {0};
  char id[32] = "", other[400];
  kg_sink sink = {last_id, id};
  ck_assert_ptr_nonnull(tool_output_open(&outputs, in_temp("one"), &sink));
  snprintf(other, sizeof other, "%s/./one", kgt_temp_dir());
  ck_assert_ptr_null(tool_output_open(&outputs, other, &sink));
  ck_assert_str_eq(id, "output-twice");
  ck_assert_ptr_nonnull(tool_output_open(&outputs, "/dev/null", &sink));
  ck_assert_ptr_nonnull(tool_output_open(&outputs, "/dev/null", &sink));
  outputs.json = true;
  ck_assert_ptr_null(tool_output_open(&outputs, "-", &sink));
  ck_assert_str_eq(id, "output-json");
  tool_outputs_discard(&outputs);
  ck_assert_int_eq(entries(), 0);
}
END_TEST

static const int deadly[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};

/* Before the files are placed, and after that, which has to be undone. */
static void die(int number, bool placed) {
  signal(number, SIG_DFL); /* the frame of the tests has its own */
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  tool_outputs outputs = {0};
  char id[32];
  kg_sink sink = {last_id, id};
  fputs("half", tool_output_open(&outputs, in_temp("old"), &sink));
  fputs("half", tool_output_open(&outputs, in_temp("new"), &sink));
  if (placed && !tool_outputs_place(&outputs, &sink)) _exit(1);
  raise(number);
  _exit(0);
}

START_TEST(outputs_are_undone_by_a_signal) {
  for (int placed = 0; placed < 2; placed++) {
    write_old("old");
    pid_t child = fork();
    if (child == 0) die(deadly[_i], placed);
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == deadly[_i]);
    ck_assert_int_eq(entries(), 1);
    holds_old("old");
    unlink(path);
  }
}
END_TEST

/* A limit on the size of files is an error of writing, not a death. */
START_TEST(output_past_the_limit_of_files_fails) {
  pid_t child = fork();
  if (child == 0) {
    tool_outputs outputs = {0};
    char id[32] = "";
    kg_sink sink = {last_id, id};
    signal(SIGXFSZ, SIG_DFL);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, 1000});
    FILE *f = tool_output_open(&outputs, in_temp("long"), &sink);
    for (int i = 0; i < 100000; i++) putc('x', f);
    bool placed = tool_outputs_place(&outputs, &sink);
    _exit(!placed && strcmp(id, "cannot-write") == 0 ? 0 : 1);
  }
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  ck_assert_int_eq(entries(), 0);
}
END_TEST

START_TEST(files_are_read_within_the_limit) {
  char id[32] = "";
  kg_sink sink = {last_id, id};
  tool_bytes b;
  FILE *f = fopen(in_temp("ten"), "w");
  fputs("0123456789", f);
  fclose(f);
  ck_assert(tool_read_file(path, 10, &b, &sink));
  ck_assert_uint_eq(b.size, 10);
  ck_assert_str_eq(b.data, "0123456789");
  free(b.data);
  ck_assert(!tool_read_file(path, 9, &b, &sink));
  ck_assert_str_eq(id, "file-too-large");
  unlink(path);
  ck_assert(!tool_read_file(path, 9, &b, &sink));
  ck_assert_str_eq(id, "cannot-read");
  *id = 0;
  ck_assert(!tool_read_file(kgt_temp_dir(), 9, &b, &sink));
  ck_assert_str_eq(id, "cannot-read");
  ck_assert(!tool_read_file("/dev/zero", 100000, &b, &sink));
  ck_assert_str_eq(id, "file-too-large");
}
END_TEST

/* --- the printer --- */

static void printed(const char *text, uint32_t line, uint32_t column, const char *expected) {
  char *out = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&out, &size);
  tool_printer p = {.out = f, .file = "k.kg", .text = text, .size = strlen(text)};
  kg_sink sink = tool_printer_sink(&p);
  sink.emit(sink.user, &(kg_diag){.id = "some-id", .severity = KG_ERROR, .file = "k.kg", .line = line, .column = column,
                                  .message = "wrong", .fix = "do right"});
  fclose(f);
  kgt_same_text(out, expected);
  ck_assert_uint_eq(p.errors, 1);
  free(out);
}

START_TEST(printer_shows_the_line) {
  printed("one\ntwo three\n", 2, 5, "k.kg:2:5: error: wrong [some-id]\n     2 | two three\n       |     ^\n  fix: do right\n");
  printed("one", 1, 4, "k.kg:1:4: error: wrong [some-id]\n     1 | one\n       |    ^\n  fix: do right\n");
  printed("\tx\r\n", 1, 2, "k.kg:1:2: error: wrong [some-id]\n     1 |  x\n       |  ^\n  fix: do right\n");
  printed("\xc3\xa9x", 1, 3, "k.kg:1:3: error: wrong [some-id]\n     1 | \xc3\xa9x\n       |  ^\n  fix: do right\n");
  printed("a\033[31mb", 1, 1, "k.kg:1:1: error: wrong [some-id]\n     1 | a?[31mb\n       | ^\n  fix: do right\n");
  printed("\xff\xc2\x9b" "b", 1, 4, "k.kg:1:4: error: wrong [some-id]\n     1 | ??b\n       |   ^\n  fix: do right\n");
}
END_TEST

START_TEST(printer_survives_wrong_positions) {
  printed("one\n", 9, 1, "k.kg:9:1: error: wrong [some-id]\n  fix: do right\n");
  printed("one\n", 1, 99, "k.kg:1:99: error: wrong [some-id]\n  fix: do right\n");
  printed("one\n", 0, 0, "k.kg: error: wrong [some-id]\n  fix: do right\n");
  printed("", 1, 1, "k.kg:1:1: error: wrong [some-id]\n  fix: do right\n");
  char line[1001];
  memset(line, 'a', 1000);
  line[1000] = 0;
  char expected[512];
  snprintf(expected, sizeof expected, "k.kg:1:501: error: wrong [some-id]\n     1 | %.100s\n       | %60s^\n  fix: do right\n",
           line, "");
  printed(line, 1, 501, expected);
}
END_TEST

/* --- pictures --- */

START_TEST(pictures_are_written) {
  char bytes[4096];
  const float values[] = {0, 0.5f, 1, -1, 2, NAN};
  FILE *f = fmemopen(bytes, sizeof bytes, "wb");
  ck_assert(tool_png_write(f, &(tool_picture){.width = 3, .height = 2, .channels = 1, .values = values, .high = 1}));
  fclose(f);
  ck_assert_mem_eq(bytes, "\x89PNG\r\n\x1a\n", 8);
  ck_assert_mem_eq(bytes + 12, "IHDR\0\0\0\3\0\0\0\2\x08\0", 14);
  ck_assert(!tool_png_write(stdout, &(tool_picture){.width = 0, .height = 2, .channels = 1, .values = values}));
  ck_assert(!tool_png_write(stdout, &(tool_picture){.width = 3, .height = 1, .channels = 2, .values = values}));
  f = fopen("/dev/full", "wb");
  setvbuf(f, NULL, _IONBF, 0);
  ck_assert(!tool_png_write(f, &(tool_picture){.width = 3, .height = 2, .channels = 1, .values = values, .high = 1}));
  fclose(f);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(json_escapes),
                            KGT(json_numbers_read_back),
                            KGT(json_nests),
                            KGT(options_parse),
                            KGT_TABLE(options_refuse, wrong, id),
                            KGT(pairs_split),
                            KGT(output_appears_when_placed),
                            KGT(output_discarded_keeps_the_old),
                            KGT(output_follows_links),
                            KGT(output_refuses),
                            KGT(outputs_undone_leave_what_was_there),
                            KGT(outputs_appear_all_or_none),
                            KGT(outputs_to_one_file_are_refused),
                            KGT_TIMES(outputs_are_undone_by_a_signal, KGT_COUNT(deadly)),
                            KGT(output_past_the_limit_of_files_fails),
                            KGT(files_are_read_within_the_limit),
                            KGT(printer_shows_the_line),
                            KGT(printer_survives_wrong_positions),
                            KGT(pictures_are_written)};
  return kgt_run("tools/frame", tests, KGT_COUNT(tests));
}
