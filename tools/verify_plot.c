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
  const verify_input *in;
  const verify_found *found;
  int left, top;
  double low, high; /* log10 */
} panel;

/* How far the interval reaches from the dual; infinite where it decides nothing. */
static double reach(const verify_point *p) {
  double r = fmax(p->high - p->dual, p->dual - p->low);
  return isnan(r) ? (double)INFINITY : r;
}

static double x_of(const panel *p, uint64_t index) {
  double last = p->in->count > 1 ? (double)(p->in->count - 1) : 1;
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
  for (size_t i = 0; i < p->in->points; i++) {
    include(p, p->found[i].judgement.error);
    include(p, p->found[i].judgement.allowed);
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
  uint64_t last = p->in->count ? p->in->count - 1 : 0, parts = last < 4 ? last : 4;
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
  for (size_t i = 0; i < p->in->points; i++) {
    double value = interval ? reach(&p->in->point[i]) : p->found[i].judgement.allowed;
    double x = x_of(p, p->in->point[i].index), y = y_of(p, value);
    bool there = isfinite(value) && value >= 0;
    if (there && joined) tool_canvas_line(p->canvas, last_x, last_y, x, y, colour);
    else if (there) tool_canvas_line(p->canvas, x - 3, y, x + 3, y, colour);
    if (there && joined) tool_canvas_line(p->canvas, last_x, last_y + 1, x, y + 1, colour);
    last_x = x, last_y = y, joined = there;
  }
}

static void draw_entries(const panel *p, tool_verdict verdict, double radius, tool_colour colour) {
  for (size_t i = 0; i < p->in->points; i++)
    if (p->found[i].judgement.verdict == verdict)
      tool_canvas_dot(p->canvas, x_of(p, p->in->point[i].index), y_of(p, p->found[i].judgement.error), radius, colour);
}

static void draw_panel(panel *p, const tool_tally *t, const char *device) {
  char text[200];
  find_scale(p);
  draw_decades(p);
  draw_indices(p);
  draw_bound(p, true, grey);
  draw_bound(p, false, green);
  draw_entries(p, TOOL_PASSED, 2.5, blue);
  draw_entries(p, TOOL_INCONCLUSIVE, 3.5, orange);
  draw_entries(p, TOOL_FAILED, 4, red);
  draw_frame(p);
  int used = snprintf(text, sizeof text, "%.40s on %.40s: %" PRIu64 " of %" PRIu64 " entries", p->in->entry.shadow, device, t->checked, p->in->count);
  if (t->failed) used += snprintf(text + used, sizeof text - (size_t)used, ", %" PRIu64 " wrong", t->failed);
  if (t->inconclusive) snprintf(text + used, sizeof text - (size_t)used, ", %" PRIu64 " inconclusive", t->inconclusive);
  int room = 12 * (int)strlen(text) < WIDE + RIGHT ? 2 : 1;
  tool_canvas_text(p->canvas, p->left, p->top - 22, room, t->failed ? red : ink, text);
}

/* ---- the whole ---- */

static int draw_key(tool_canvas *c, int x, tool_colour colour, bool line, const char *text) {
  if (line) tool_canvas_box(c, x, 62, x + 22, 64, colour);
  else tool_canvas_dot(c, x + 11, 63, 4, colour);
  tool_canvas_text(c, x + 30, 56, 2, ink, text);
  return x + 30 + tool_canvas_text_width(2, text) + 26;
}

static void draw_title(tool_canvas *c, const verify_outcome *outcome) {
  char text[160];
  bool passed = verify_passes(outcome);
  snprintf(text, sizeof text, "%.60s: error of each gradient entry against its dual", kg_module_name(outcome->oracle->params->gradient.module));
  tool_canvas_text(c, LEFT, 16, 2, ink, text);
  const char *verdict = verify_word(outcome);
  tool_canvas_text(c, c->width - RIGHT - tool_canvas_text_width(2, verdict), 16, 2, passed ? green : red, verdict);
  int x = draw_key(c, LEFT, green, true, "allowed");
  x = draw_key(c, x, grey, true, "interval");
  x = draw_key(c, x, blue, false, "passed");
  x = draw_key(c, x, orange, false, "inconclusive");
  draw_key(c, x, red, false, "wrong");
}

bool verify_plot(FILE *out, const verify_outcome *outcome) {
  const verify_oracle *o = outcome->oracle;
  int columns = outcome->devices > 4 ? 4 : (int)outcome->devices, rows = o->inputs > MOST_PANELS ? MOST_PANELS : (int)o->inputs;
  tool_canvas canvas;
  int width = columns * (LEFT + WIDE + RIGHT), height = TOP + rows * (PANEL_TOP + HIGH + PANEL_BOTTOM);
  if (!tool_canvas_make(width, height, &canvas)) return false;
  draw_title(&canvas, outcome);
  for (int column = 0; column < columns; column++) {
    const verify_device *d = &outcome->device[column];
    for (int row = 0; row < rows && d->status == TOOL_OK; row++) {
      panel p = {.canvas = &canvas, .in = &o->input[row], .found = d->found[row], .left = column * (LEFT + WIDE + RIGHT) + LEFT,
                 .top = TOP + row * (PANEL_TOP + HIGH + PANEL_BOTTOM) + PANEL_TOP};
      draw_panel(&p, &d->tally[row], d->name);
    }
  }
  const char *axis = "index of the entry";
  for (int column = 0; column < columns; column++)
    tool_canvas_text(&canvas, column * (LEFT + WIDE + RIGHT) + LEFT + (WIDE - tool_canvas_text_width(2, axis)) / 2, height - 20, 2, ink, axis);
  bool written = tool_canvas_write(out, &canvas);
  tool_canvas_free(&canvas);
  return written;
}
