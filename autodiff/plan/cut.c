/* What is kept: the cheapest set of values that separates what cannot be had from all that the reverse uses. Everything between the
 * set and the reverse is run again, which has its price as well: a word is kept where that spares the reverse more than WORTH floats
 * that are computed or loaded, as a sum over a row is. Under a limit to tapes, and where trips are a guess, bytes alone count.
 *
 * What the program keeps itself (parked.c) costs no bytes, but a load and a choice.
 *
 * The graph has a node for each instruction and each object that would be run, or filled, again. A value may be kept for its bytes in
 * all trips of the loops around it; what a checkpoint computes is dearer than all else; what has no value, or stands where nothing
 * can be stored, cannot. To be run again costs an arc from the source, which is cut where the value lies behind the set. Kept is, of
 * all cheapest sets, the one nearest to the reverse, so that least is run again. The flow is Dinic's.
 *
 * Where all that cannot be had is computed once in an execution, outside of loops (`once`), the set takes the place of those values only
 * where it is smaller: bytes alone count, nothing in a loop is kept for them, and of all cheapest sets the one nearest to them is taken. */
#include "autodiff/plan/ad.h"
#include "foundation/base/limits.h"

#include <string.h>

#define NEVER (INT64_C(1) << 50)
#define DEAR (INT64_C(1) << 40) /* what is computed in a checkpoint: kept only where nothing else will do */
enum { USUAL_TRIPS = 64, WORTH = 32, LOADED = 2, MOST_WORK = 1 << 20, LOST_ROUNDS = 32 };

uint32_t kgi_cut_contents(const kgi_ad *a, uint32_t object) { return a->f.p->inst_count + object; }

static void add(kgi_ad *a, uint32_t **list, uint32_t count, uint32_t *cap, uint32_t x) {
  if (kgi_arena_grow(&a->scratch, list, count, cap, sizeof **list)) (*list)[count] = x;
  else kgi_ad_fail(a, KG_NO_MEMORY);
}

void kgi_cut_source(kgi_ad *a, uint32_t value) {
  add(a, &a->cut->source, a->cut->source_count, &a->cut->source_cap, value);
  a->cut->source_count++;
}

void kgi_ad_note_use(kgi_ad *a, uint32_t node) {
  kgi_ad_cut *c = a->cut;
  if (!c || node == a->user) return;
  if (!a->user) {
    add(a, &c->sink, c->sink_count, &c->sink_cap, node);
    c->sink_count++;
    return;
  }
  add(a, &c->from, c->edge_count, &c->from_cap, node);
  add(a, &c->to, c->edge_count, &c->to_cap, a->user);
  c->edge_count++;
}

/* ---- the network ---- */

typedef struct arc { uint32_t to, next; int64_t room; } arc; /* arcs stand in pairs, forth and back; next: 1 + index */
typedef struct network {
  uint32_t *node_of;            /* by instruction or object: 2 + 2 * number, its entry; the exit is the next */
  uint32_t *id; uint32_t nodes; /* by entry and exit */
  arc *arc; uint32_t arcs;
  uint32_t *first, *level, *next, *queue;
  bool *is_source;              /* by instruction */
  bool *is_lost;                /* by instruction or object: it is made of what cannot be had */
  bool weighs;                  /* work has a price */
  bool once;
  uint64_t steps;               /* that are left; none: it takes too long */
} network;

static void connect(network *n, uint32_t from, uint32_t to, int64_t room) {
  n->arc[n->arcs] = (arc){to, n->first[from], room};
  n->first[from] = ++n->arcs;
  n->arc[n->arcs] = (arc){from, n->first[to], 0};
  n->first[to] = ++n->arcs;
}

/* How often the block is run, up to about `most`, but for the trips of loops in `alike`. */
static int64_t times(kgi_ad *a, kgi_blk block, uint64_t alike, int64_t most) {
  int64_t n = 1;
  uint32_t loop = kgi_ad_dimension(a, alike, a->f.block[block].loop, 0);
  for (; loop && n < most; loop = kgi_ad_next_dimension(a, alike, loop, 0)) {
    uint32_t few = kgi_ad_loop_find(a, loop)->few;
    n *= few ? few : USUAL_TRIPS;
  }
  return n;
}

/* `alike`: loops whose trips share what is kept, and each of which has to load it. */
static int64_t cost_in(kgi_ad *a, const network *n, uint32_t id, uint64_t alike) {
  int64_t words = kgi_type_bits(a->f.p->inst[id].type) == 64 ? 2 : 1;
  int64_t loads = alike && n->weighs ? times(a, a->f.p->inst[id].block, 0, MOST_WORK) : 0;
  return WORTH * words * times(a, a->f.p->inst[id].block, alike, NEVER / 1024 / WORTH) + loads;
}

static int64_t cost_of(kgi_ad *a, const network *n, uint32_t id) {
  if (id >= a->f.p->inst_count || !kgi_ad_can_keep(a, id)) return NEVER;
  if (n->once && a->f.block[a->f.p->inst[id].block].loop) return NEVER;
  if (a->f.block[a->f.p->inst[id].block].checkpoint && !n->is_source[id]) return DEAR;
  if (kgi_ad_parked_at(a, id)) return LOADED * times(a, a->f.p->inst[id].block, 0, NEVER / 1024 / WORTH);
  return cost_in(a, n, id, n->is_lost[id] ? kgi_ad_alike(a, id) : 0);
}

/* Made of literals, params, lengths, ids and indices of loops: about as large as it may be. What is loaded may be far below its range. */
static bool is_near_bound(const kgi_ad *a, uint32_t value, unsigned depth) {
  const kgi_inst *x = kgi_ad_inst(a, value);
  if (x->kind == KGI_load || x->kind == KGI_atomic || x->kind == KGI_subgroup || depth > 8) return false;
  for (unsigned k = 0; x->kind == KGI_op && k < kgi_op_rows[x->op].arity; k++)
    if (!is_near_bound(a, x->arg[k], depth + 1)) return false;
  return true;
}

/* A tape has room for all trips that there may be. Where that is a guess, or far more than there are, words are not weighed against work. */
static bool has_as_many_trips(kgi_ad *a, kgi_blk block) {
  for (uint32_t loop = a->f.block[block].loop; loop; loop = kgi_ad_loop_around(a, loop)) {
    const kgi_inst *x = kgi_ad_inst(a, loop);
    if (kgi_ad_loop_find(a, loop)->assumed || x->kind != KGI_for || kgi_counted(&a->f, loop).count) return false;
    for (unsigned k = 0; k < 3; k++)
      if (x->arg[k] && !is_near_bound(a, x->arg[k], 0)) return false;
  }
  return true;
}

/* How often it is run again. Floats alone count: an index that was kept would hide from the reverse which elements it reaches. What is
 * at hand is not run again, and a checkpoint shall be. */
static int64_t work_of(kgi_ad *a, const network *n, uint32_t id) {
  if (!n->weighs || id >= a->f.p->inst_count || !kgi_is_float(a->f.p->inst[id].type)) return 0;
  kgi_blk block = a->f.p->inst[id].block;
  return a->block[block].open || a->f.block[block].checkpoint ? 0 : times(a, block, 0, MOST_WORK);
}

static bool all_have_as_many(kgi_ad *a, const uint32_t *nodes, uint32_t count) {
  for (uint32_t k = 0; k < count; k++)
    if (nodes[k] < a->f.p->inst_count && !has_as_many_trips(a, a->f.p->inst[nodes[k]].block)) return false;
  return true;
}

static bool weighs_work(kgi_ad *a, const kgi_ad_cut *c) {
  return !c->once && !a->req.tape_limit && all_have_as_many(a, c->source, c->source_count) && all_have_as_many(a, c->sink, c->sink_count) &&
         all_have_as_many(a, c->from, c->edge_count) && all_have_as_many(a, c->to, c->edge_count);
}

static uint32_t entry_of(kgi_ad *a, network *n, uint32_t id) {
  if (n->node_of[id]) return n->node_of[id];
  uint32_t entry = n->nodes;
  n->node_of[id] = entry;
  n->id[entry] = id;
  n->nodes += 2;
  connect(n, entry, entry + 1, cost_of(a, n, id));
  connect(n, 0, entry, work_of(a, n, id));
  return entry;
}

/* What is not may be kept to spare work alone: then each trip counts. Edges were found from users to what they use, mostly, so that few
 * rounds from the last to the first find all; what is not found costs more. */
static void find_lost(const kgi_ad_cut *c, network *n) {
  bool more = true;
  for (uint32_t k = 0; k < c->source_count; k++) n->is_lost[c->source[k]] = true;
  for (unsigned round = 0; round < LOST_ROUNDS && more; round++) {
    more = false;
    for (uint32_t k = c->edge_count; k-- > 0;)
      if (n->is_lost[c->from[k]] && !n->is_lost[c->to[k]]) n->is_lost[c->to[k]] = more = true;
  }
}

static bool build(kgi_ad *a, const kgi_ad_cut *c, network *n) {
  size_t ids = (size_t)a->f.p->inst_count + a->f.p->scope.object_count, most = c->edge_count + c->sink_count + c->source_count + 1;
  size_t nodes = 2 + 4 * most, arcs = 2 * (most + 4 * most + 2);
  n->node_of = kgi_arena_alloc(&a->scratch, ids, sizeof *n->node_of);
  n->id = kgi_arena_alloc(&a->scratch, nodes, sizeof *n->id);
  n->arc = kgi_arena_alloc(&a->scratch, arcs, sizeof *n->arc);
  n->first = kgi_arena_alloc(&a->scratch, nodes, sizeof *n->first);
  n->level = kgi_arena_alloc(&a->scratch, nodes, sizeof *n->level);
  n->next = kgi_arena_alloc(&a->scratch, nodes, sizeof *n->next);
  n->queue = kgi_arena_alloc(&a->scratch, nodes, sizeof *n->queue);
  n->is_source = kgi_arena_alloc(&a->scratch, a->f.p->inst_count, sizeof *n->is_source);
  n->is_lost = kgi_arena_alloc(&a->scratch, ids, sizeof *n->is_lost);
  if (a->scratch.failed) return kgi_ad_fail(a, KG_NO_MEMORY), false;
  for (uint32_t k = 0; k < c->source_count; k++) n->is_source[c->source[k]] = true;
  find_lost(c, n);
  n->weighs = weighs_work(a, c);
  n->once = c->once;
  n->steps = KGI_LIMIT(cut_rounds) * (uint64_t)arcs;
  n->nodes = 2; /* 0 is where all comes from, 1 where it goes */
  for (uint32_t k = 0; k < c->edge_count; k++) {
    uint32_t from = entry_of(a, n, c->from[k]), to = entry_of(a, n, c->to[k]);
    connect(n, from + 1, to, NEVER);
  }
  for (uint32_t k = 0; k < c->source_count; k++) connect(n, 0, entry_of(a, n, c->source[k]), NEVER);
  for (uint32_t k = 0; k < c->sink_count; k++) connect(n, entry_of(a, n, c->sink[k]) + 1, 1, NEVER);
  return true;
}

static bool spend(network *n) { return n->steps && n->steps--; }

/* Levels from the source; false: the sink is not reached. */
static bool find_levels(network *n) {
  uint32_t head = 0, tail = 0;
  memset(n->level, 0, n->nodes * sizeof *n->level);
  n->level[0] = 1;
  n->queue[tail++] = 0;
  while (head < tail) {
    uint32_t node = n->queue[head++];
    for (uint32_t k = n->first[node]; k; k = n->arc[k - 1].next) {
      const arc *x = &n->arc[k - 1];
      if (!spend(n)) return true;
      if (x->room <= 0 || n->level[x->to]) continue;
      n->level[x->to] = n->level[node] + 1;
      n->queue[tail++] = x->to;
    }
  }
  return n->level[1] != 0;
}

/* One path along rising levels, without recursion: the queue is the path's arcs. What it carries; 0: there is none. */
static int64_t push_path(network *n) {
  uint32_t depth = 0, node = 0;
  while (node != 1) {
    uint32_t k = n->next[node];
    if (!spend(n)) return 0;
    while (k && spend(n) && (n->arc[k - 1].room <= 0 || n->level[n->arc[k - 1].to] != n->level[node] + 1)) k = n->arc[k - 1].next;
    n->next[node] = k;
    if (k) {
      n->queue[depth++] = k;
      node = n->arc[k - 1].to;
      continue;
    }
    if (!depth) return 0;
    uint32_t back = n->queue[--depth]; /* a dead end */
    node = n->arc[(back - 1) ^ 1].to;
    n->next[node] = n->arc[back - 1].next;
  }
  int64_t most = INT64_MAX;
  for (uint32_t d = 0; d < depth; d++)
    if (n->arc[n->queue[d] - 1].room < most) most = n->arc[n->queue[d] - 1].room;
  for (uint32_t d = 0; d < depth; d++) {
    n->arc[n->queue[d] - 1].room -= most;
    n->arc[(n->queue[d] - 1) ^ 1].room += most;
  }
  return most;
}

/* False: the flow passes what cannot be kept, or takes too long to find. */
static bool saturate(network *n) {
  int64_t flow = 0, more;
  while (flow < NEVER && find_levels(n)) {
    if (!n->steps) return false;
    memcpy(n->next, n->first, n->nodes * sizeof *n->next);
    while (flow < NEVER && (more = push_path(n))) flow += more;
  }
  return flow < NEVER;
}

/* All from which the sink can still be reached. */
static void find_reaching(network *n) {
  uint32_t head = 0, tail = 0;
  memset(n->level, 0, n->nodes * sizeof *n->level);
  n->level[1] = 1;
  n->queue[tail++] = 1;
  while (head < tail)
    for (uint32_t k = n->first[n->queue[head++]]; k; k = n->arc[k - 1].next) {
      const arc *back = &n->arc[(k - 1) ^ 1]; /* leads from that node to this */
      if (back->room <= 0 || n->level[n->arc[k - 1].to]) continue;
      n->level[n->arc[k - 1].to] = 1;
      n->queue[tail++] = n->arc[k - 1].to;
    }
}

/* What cannot be had is kept itself, where it can be. */
static void keep_sources(kgi_ad *a, const kgi_ad_cut *c) {
  for (uint32_t k = 0; k < c->source_count; k++)
    if (kgi_ad_can_keep(a, c->source[k])) a->flags[c->source[k]] |= KGI_AD_KEEP;
}

/* Of all cheapest sets the nearest to what cannot be had: that is where the flow still comes, though the sink is not reached. */
static bool is_last_reached(const network *n, uint32_t entry) { return n->level[entry] && !n->level[entry + 1]; }

/* The nearest to the reverse, after find_reaching. */
static bool is_first_reaching(const network *n, uint32_t entry) { return !n->level[entry] && n->level[entry + 1]; }

void kgi_ad_choose(kgi_ad *a, const kgi_ad_cut *c) {
  network n = {0};
  if (c->edge_count > KGI_LIMIT(cut_edges)) return keep_sources(a, c);
  if (!build(a, c, &n)) return;
  if (!saturate(&n)) return keep_sources(a, c);
  if (!c->once) find_reaching(&n);
  for (uint32_t k = 2; k < n.nodes; k += 2)
    if (c->once ? is_last_reached(&n, k) : is_first_reaching(&n, k)) a->flags[n.id[k]] |= KGI_AD_KEEP;
}
