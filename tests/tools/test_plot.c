/* The picture of a verdict, and what it is drawn with. */
#include "tests/support/kgtest.h"

#include "tools/canvas.h"
#include "tools/verify_report.h"

#include <math.h>
#include <string.h>

#define ANY ((double)NAN)
#define INF ((double)INFINITY)

static float darkness(const tool_canvas *c, int x, int y) { return 1 - c->rgb[3 * (y * c->width + x)]; }

START_TEST(drawing) {
  tool_canvas c;
  const tool_colour black = {0, 0, 0};
  ck_assert(!tool_canvas_make(0, 5, &c));
  ck_assert(!tool_canvas_make(5, 100000, &c));
  ck_assert(tool_canvas_make(40, 20, &c));
  ck_assert(darkness(&c, 0, 0) == 0);
  tool_canvas_box(&c, -5, -5, 1, 1, black); /* cut at the edge */
  ck_assert(darkness(&c, 0, 0) == 1 && darkness(&c, 1, 1) == 1 && darkness(&c, 2, 1) == 0);
  tool_canvas_line(&c, 5, 10, 15, 10, black);
  ck_assert(darkness(&c, 5, 10) == 1 && darkness(&c, 15, 10) == 1 && darkness(&c, 16, 10) == 0 && darkness(&c, 10, 11) == 0);
  tool_canvas_dot(&c, 30, 10, 2, black);
  ck_assert(darkness(&c, 30, 10) == 1 && darkness(&c, 32, 10) > 0 && darkness(&c, 34, 10) == 0);
  tool_canvas_dot(&c, INF, ANY, 2, black);
  tool_canvas_line(&c, ANY, 0, INF, 3, black);
  tool_canvas_text(&c, 36, 0, 1, black, "l\x80"); /* past the edge, and a letter that there is not */
  ck_assert(darkness(&c, 38, 3) == 1); /* the stroke of an l */
  ck_assert_int_eq(tool_canvas_text_width(2, "abc"), 34);
  ck_assert_int_eq(tool_canvas_text_width(2, ""), 0);
  tool_canvas_free(&c);
}
END_TEST

/* A PNG of the size that its panels call for. */
START_TEST(plot) {
  static const char text[] = "program p { workgroup 32 grid invocations 60 buffer x : f32[60] read in -4.0 .. 4.0\n"
                             "buffer y : f32[60] write let i = global_id.x if i < 60 { y[i] = tanh(x[i]) } }";
  static const char *const devices[] = {"reference"};
  kg_module *m = NULL;
  kg_verdict *verdict = NULL;
  ck_assert_int_eq(kg_module_parse(NULL, "t", text, strlen(text), NULL, &m), KG_OK);
  ck_assert_int_eq(kg_verify(m, NULL, NULL, &verdict), KG_OK);
  FILE *out = tmpfile();
  ck_assert_ptr_nonnull(out);
  ck_assert(verify_plot(out, &(verify_shown){.verdict = verdict, .kernel = "p", .device = devices}));
  unsigned char head[24];
  rewind(out);
  ck_assert_uint_eq(fread(head, 1, sizeof head, out), sizeof head);
  ck_assert_int_eq(memcmp(head, "\x89PNG\r\n\x1a\n", 8), 0);
  ck_assert_uint_eq((unsigned)head[18] << 8 | head[19], 112 + 760 + 24);
  ck_assert_uint_eq((unsigned)head[22] << 8 | head[23], 96 + 40 + 220 + 52);
  fclose(out);
  kg_verdict_free(verdict);
  kg_module_free(m);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(drawing), KGT(plot)};
  return kgt_run("tools/plot", tests, KGT_COUNT(tests));
}
