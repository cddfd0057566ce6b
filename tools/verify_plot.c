/* A picture of the error of each entry, on a logarithmic scale: a row of panels for each gradient, a column for each device. */
#include "tools/canvas.h"
#include "tools/verify_report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { LEFT = 112, RIGHT = 24, TOP = 96, PANEL_TOP = 40, PANEL_BOTTOM = 52, WIDE = 760, HIGH = 220, FLOOR = 40, MOST_PANELS = 64 };

static const tool_colour ink = {0.13f, 0.13f, 0.13f}, faint = {0.88f, 0.88f, 0.88f}, blue = {0.12f, 0.38f, 0.72f},
                         green = {0.10f, 0.55f, 0.25f}, grey = {0.55f, 0.55f, 0.55f}, red = {0.84f, 0.10f, 0.12f},
                         orange = {0.95f, 0.55f, 0.05f};

/* Where a panel stands, and the decades that it spans. What is exactly right lies on the floor, below the smallest decade. */
typedef struct panel {
  tool_canvas *canvas;
  const verify_shown *shown;
  size_t device, gradient;
  kg_verdict_gradient all;
  int left, top;
  double low, high; /* log10 */
} panel;

static kg_verdict_entry entry(const panel *p, size_t i) { return kg_verdict_at(p->shown->verdict, p->device, p->gradient, i); }

/* How far the interval reaches from the dual; infinite where it decides nothing. */
static double reach(const kg_verdict_entry *p) {
  double r = fmax(p->high - p->dual, p->dual - p->low);
  return isnan(r) ? (double)INFINITY : r;
}

static double x_of(const panel *p, uint64_t index) {
  double last = p->all.count > 1 ? (double)(p->all.count - 1) : 1;
  return p->left + 8 + (WIDE - 16) * ((double)index / last);
}

static double y_of(const panel *p, double value) {
  double bottom = p->top + HIGH - FLOOR + 8;
  if (value == 0) return p->top + HIGH - FLOOR / 4.0;
  double y = bottom - (log10(value) - p->low) / (p->high - p->low) * (HIGH - FLOOR - 2);
  return isnan(y) || y < p->top + 6 ? p->top + 6 : y > bottom ? bottom : y;
}

static void include(panel *p, double value) {
  if (!(value > 0) || !isfinite(value)) return;
  p->low = fmin(p->low, floor(log10(value)));
  p->high = fmax(p->high, ceil(log10(value) + 1e-9));
}

static void find_scale(panel *p) {
  p->low = (double)INFINITY, p->high = (double)-INFINITY;
  for (size_t i = 0; i < p->all.checked; i++) {
    include(p, entry(p, i).error);
    include(p, entry(p, i).allowed);
  }
  if (!(p->low < p->high)) p->low = -8, p->high = 0;
  if (p->high - p->low > 30) p->low = p->high - 30; /* the rest is as good as nothing */
}

/* ---- axes ---- */

static void draw_decades(const panel *p) {
  int decades = (int)(p->high - p->low), every = 1 + (decades - 1) / 7;
  char text[32];
  for (int k = 0; k <= decades; k += every) {
    int y = (int)lrint(y_of(p, pow(10, p->low + k)));
    tool_canvas_box(p->canvas, p->left, y, p->left + WIDE, y, faint);
    snprintf(text, sizeof text, "1e%+03.0f", p->low + k);
    tool_canvas_text(p->canvas, p->left - 10 - tool_canvas_text_width(2, text), y - 7, 2, ink, text);
  }
  tool_canvas_text(p->canvas, p->left - 10 - tool_canvas_text_width(2, "0"), p->top + HIGH - FLOOR / 4 - 7, 2, ink, "0");
  tool_canvas_box(p->canvas, p->left, p->top + HIGH - FLOOR / 2, p->left + WIDE, p->top + HIGH - FLOOR / 2, faint);
}

static void draw_indices(const panel *p) {
  char text[32];
  uint64_t last = p->all.count ? p->all.count - 1 : 0, parts = last < 4 ? last : 4;
  for (uint64_t k = 0; k <= parts; k++) {
    uint64_t index = parts ? (uint64_t)((double)last / (double)parts * (double)k + 0.5) : 0;
    int x = (int)lrint(x_of(p, index));
    tool_canvas_box(p->canvas, x, p->top + HIGH, x, p->top + HIGH + 5, ink);
    snprintf(text, sizeof text, "%" PRIu64, index);
    int width = tool_canvas_text_width(2, text), at = x - width / 2;
    if (at + width > p->left + WIDE + RIGHT) at = p->left + WIDE + RIGHT - width;
    tool_canvas_text(p->canvas, at, p->top + HIGH + 10, 2, ink, text);
  }
}

static void draw_frame(const panel *p) {
  tool_canvas_box(p->canvas, p->left, p->top, p->left + WIDE, p->top, ink);
  tool_canvas_box(p->canvas, p->left, p->top + HIGH, p->left + WIDE, p->top + HIGH, ink);
  tool_canvas_box(p->canvas, p->left, p->top, p->left, p->top + HIGH, ink);
  tool_canvas_box(p->canvas, p->left + WIDE, p->top, p->left + WIDE, p->top + HIGH, ink);
}

/* ---- contents ---- */

/* A line through a bound of each entry; broken where there is none. */
static void draw_bound(const panel *p, bool interval, tool_colour colour) {
  double last_x = 0, last_y = 0;
  bool joined = false;
  for (size_t i = 0; i < p->all.checked; i++) {
    kg_verdict_entry e = entry(p, i);
    double value = interval ? reach(&e) : e.allowed;
    double x = x_of(p, e.index), y = y_of(p, value);
    bool there = isfinite(value) && value >= 0;
    if (there && joined) tool_canvas_line(p->canvas, last_x, last_y, x, y, colour);
    else if (there) tool_canvas_line(p->canvas, x - 3, y, x + 3, y, colour);
    if (there && joined) tool_canvas_line(p->canvas, last_x, last_y + 1, x, y + 1, colour);
    last_x = x, last_y = y, joined = there;
  }
}

static void draw_entries(const panel *p, kg_outcome outcome, double radius, tool_colour colour) {
  for (size_t i = 0; i < p->all.checked; i++) {
    kg_verdict_entry e = entry(p, i);
    if (e.outcome == outcome) tool_canvas_dot(p->canvas, x_of(p, e.index), y_of(p, e.error), radius, colour);
  }
}

static void draw_panel(panel *p) {
  char text[200];
  const kg_verdict_gradient *g = &p->all;
  find_scale(p);
  draw_decades(p);
  draw_indices(p);
  draw_bound(p, true, grey);
  draw_bound(p, false, green);
  draw_entries(p, KG_OUTCOME_PASSED, 2.5, blue);
  draw_entries(p, KG_OUTCOME_INCONCLUSIVE, 3.5, orange);
  draw_entries(p, KG_OUTCOME_FAILED, 4, red);
  draw_frame(p);
  int used = snprintf(text, sizeof text, "%.40s on %.40s: %" PRIu64 " of %" PRIu64 " entries", g->shadow, p->shown->device[p->device],
                      g->checked, g->count);
  if (g->failed) used += snprintf(text + used, sizeof text - (size_t)used, ", %" PRIu64 " wrong", g->failed);
  if (g->inconclusive) snprintf(text + used, sizeof text - (size_t)used, ", %" PRIu64 " inconclusive", g->inconclusive);
  int room = 12 * (int)strlen(text) < WIDE + RIGHT ? 2 : 1;
  tool_canvas_text(p->canvas, p->left, p->top - 22, room, g->failed ? red : ink, text);
}

/* ---- the whole ---- */

static int draw_key(tool_canvas *c, int x, tool_colour colour, bool line, const char *text) {
  if (line) tool_canvas_box(c, x, 62, x + 22, 64, colour);
  else tool_canvas_dot(c, x + 11, 63, 4, colour);
  tool_canvas_text(c, x + 30, 56, 2, ink, text);
  return x + 30 + tool_canvas_text_width(2, text) + 26;
}

static void draw_title(tool_canvas *c, const verify_shown *shown) {
  char text[160];
  kg_outcome outcome = kg_verdict_summary(shown->verdict).outcome;
  bool passed = outcome == KG_OUTCOME_PASSED || outcome == KG_OUTCOME_ZERO;
  snprintf(text, sizeof text, "%.60s: error of each gradient entry against its dual", shown->kernel);
  tool_canvas_text(c, LEFT, 16, 2, ink, text);
  const char *verdict = kg_outcome_name(outcome);
  tool_canvas_text(c, c->width - RIGHT - tool_canvas_text_width(2, verdict), 16, 2, passed ? green : red, verdict);
  int x = draw_key(c, LEFT, green, true, "allowed");
  x = draw_key(c, x, grey, true, "interval");
  x = draw_key(c, x, blue, false, "passed");
  x = draw_key(c, x, orange, false, "inconclusive");
  draw_key(c, x, red, false, "wrong");
}

bool verify_plot(FILE *out, const verify_shown *shown) {
  kg_verdict_info info = kg_verdict_summary(shown->verdict);
  int columns = info.devices > 4 ? 4 : (int)info.devices, rows = info.gradients > MOST_PANELS ? MOST_PANELS : (int)info.gradients;
  tool_canvas canvas;
  int width = columns * (LEFT + WIDE + RIGHT), height = TOP + rows * (PANEL_TOP + HIGH + PANEL_BOTTOM);
  if (!tool_canvas_make(width, height, &canvas)) return false;
  draw_title(&canvas, shown);
  for (int column = 0; column < columns; column++) {
    bool ran = kg_verdict_on(shown->verdict, (size_t)column).ran;
    for (int row = 0; row < rows && ran; row++) {
      panel p = {.canvas = &canvas, .shown = shown, .device = (size_t)column, .gradient = (size_t)row,
                 .left = column * (LEFT + WIDE + RIGHT) + LEFT, .top = TOP + row * (PANEL_TOP + HIGH + PANEL_BOTTOM) + PANEL_TOP};
      p.all = kg_verdict_of(shown->verdict, p.device, p.gradient);
      draw_panel(&p);
    }
  }
  const char *axis = "index of the entry";
  for (int column = 0; column < columns; column++)
    tool_canvas_text(&canvas, column * (LEFT + WIDE + RIGHT) + LEFT + (WIDE - tool_canvas_text_width(2, axis)) / 2, height - 20, 2, ink, axis);
  bool written = tool_canvas_write(out, &canvas);
  tool_canvas_free(&canvas);
  return written;
}
