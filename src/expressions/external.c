// See external.h.
#include "expressions/external.h"

#include <math.h>
#include <string.h>

#include "algebra/perturbation.h"
#include "expressions/graph_storage.h"

enum { WAYS = MBS_MOST_FUNCTION_ARGUMENTS + 1 };

// ---- in the graph ----
void mbs_graph_use_externals(MbsGraph *graph, int count, const MbsExternal *externals) {
  graph->external_count = count;
  graph->externals = externals;
}

const MbsExternal *mbs_graph_find_external(const MbsGraph *graph, const char *name) {
  for (int i = 0; i < graph->external_count; ++i) {
    if (strcmp(graph->externals[i].name, name) == 0) {
      return &graph->externals[i];
    }
  }
  return NULL;
}

static int index_of(const MbsGraph *graph, const MbsExternal *external, int result, int by) {
  return ((int)(external - graph->externals) * MBS_MOST_FUNCTION_RESULTS + result) * WAYS + 1 + by;
}

MbsExternalPart mbs_graph_external(const MbsGraph *graph, const MbsGraphNode *node) {
  int which = node->index / WAYS;
  return (MbsExternalPart){.external = &graph->externals[which / MBS_MOST_FUNCTION_RESULTS],
                           .result = which % MBS_MOST_FUNCTION_RESULTS,
                           .by = node->index % WAYS - 1};
}

MbsNode mbs_graph_call_external(MbsGraph *graph, const MbsExternal *external, int result, int count,
                                const MbsNode *arguments) {
  MbsNode list = MBS_NODE_NONE;
  for (int k = count - 1; k >= 0; --k) {
    list = mbs_graph_list(graph, arguments[k], list);
  }
  return mbs_graph_external_at(graph, index_of(graph, external, result, -1), list);
}

MbsNode mbs_graph_external_slope(MbsGraph *graph, const MbsGraphNode *node, int k) {
  MbsExternalPart part = mbs_graph_external(graph, node);
  if (part.by >= 0) {
    return mbs_graph_give_up(graph, MBS_GRAPH_NO_SECOND_SLOPE);
  }
  return mbs_graph_external_at(graph, index_of(graph, part.external, part.result, k), node->operand[0]);
}

// ---- numbers ----
static void fail(int count, double *numbers) {
  for (int i = 0; i < count; ++i) {
    numbers[i] = (double)NAN;
  }
}

static void find_results(const MbsExternal *external, const double *x, double *results, double *slopes) {
  const MbsModelFunction *f = &external->function;
  int slope_count = slopes ? f->result_count * f->argument_count : 0;
  if (f->evaluate(f->user, f->argument_count, x, results, slopes) != 0) {
    fail(f->result_count, results);
    fail(slope_count, slopes);
  }
}

// by complex steps
static void find_complex_slopes(const MbsExternal *external, const double *x, double *slopes) {
  const MbsModelFunction *f = &external->function;
  double z[2 * MBS_MOST_FUNCTION_ARGUMENTS] = {0}, y[2 * MBS_MOST_FUNCTION_RESULTS];
  for (int k = 0; k < f->argument_count; ++k) {
    z[2 * k] = x[k];
  }
  for (int k = 0; k < f->argument_count; ++k) {
    z[2 * k + 1] = MBS_COMPLEX_STEP;
    bool is_good = f->evaluate_complex(f->user, f->argument_count, z, y) == 0;
    z[2 * k + 1] = 0;
    for (int i = 0; i < f->result_count; ++i) {
      slopes[i * f->argument_count + k] = is_good ? y[2 * i + 1] / MBS_COMPLEX_STEP : (double)NAN;
    }
  }
}

// by central differences
static void find_differences(const MbsExternal *external, const double *x, double *slopes) {
  const MbsModelFunction *f = &external->function;
  double at[MBS_MOST_FUNCTION_ARGUMENTS], y[2][MBS_MOST_FUNCTION_RESULTS];
  memcpy(at, x, (size_t)f->argument_count * sizeof *at);
  for (int k = 0; k < f->argument_count; ++k) {
    double step = 6e-6 * (fabs(x[k]) > 1 ? fabs(x[k]) : 1);  // real
    for (int side = 0; side < 2; ++side) {
      at[k] = x[k] + (side ? step : -step);
      find_results(external, at, y[side], NULL);
    }
    at[k] = x[k];
    for (int i = 0; i < f->result_count; ++i) {
      slopes[i * f->argument_count + k] = (y[1][i] - y[0][i]) / (2 * step);
    }
  }
}

static void find_slopes(const MbsExternal *external, const double *x, double *results, double *slopes) {
  if (external->function.has_slopes) {
    find_results(external, x, results, slopes);
  } else if (external->function.evaluate_complex) {
    find_complex_slopes(external, x, slopes);
  } else {
    find_differences(external, x, slopes);
  }
}

double mbs_external_plain(const MbsExternal *external, int result, int by, const double *x) {
  double results[MBS_MOST_FUNCTION_RESULTS], slopes[MBS_MOST_FUNCTION_RESULTS * MBS_MOST_FUNCTION_ARGUMENTS];
  if (by < 0) {
    find_results(external, x, results, NULL);
    return results[result];
  }
  find_slopes(external, x, results, slopes);
  return slopes[result * external->function.argument_count + by];
}

#ifdef MBS_COMPLEX

// No memory of places: a tape of the other build may be in use.
mbs_scalar mbs_external_value(MbsExternalSite *site, int result, int by, const mbs_scalar *r) {
  const MbsExternal *external = site->external;
  const MbsModelFunction *f = &external->function;
  double x[MBS_MOST_FUNCTION_ARGUMENTS], dx[MBS_MOST_FUNCTION_ARGUMENTS], results[MBS_MOST_FUNCTION_RESULTS];
  double slopes[MBS_MOST_FUNCTION_RESULTS * MBS_MOST_FUNCTION_ARGUMENTS];
  for (int k = 0; k < f->argument_count; ++k) {
    x[k] = mbs_re(r[site->registers[k]]);
    dx[k] = mbs_im(r[site->registers[k]]);
  }
  if (by >= 0) {
    return mbs_external_plain(external, result, by, x);
  }
  if (f->evaluate_complex) {
    double z[2 * MBS_MOST_FUNCTION_ARGUMENTS], y[2 * MBS_MOST_FUNCTION_RESULTS];
    for (int k = 0; k < f->argument_count; ++k) {
      z[2 * k] = x[k];
      z[2 * k + 1] = dx[k];
    }
    bool is_good = f->evaluate_complex(f->user, f->argument_count, z, y) == 0;
    return is_good ? mbs_complex(y[2 * result], y[2 * result + 1]) : (double)NAN;
  }
  find_results(external, x, results, f->has_slopes ? slopes : NULL);
  double change = f->has_slopes ? 0 : (double)NAN;
  for (int k = 0; k < f->argument_count && f->has_slopes; ++k) {
    change += slopes[result * f->argument_count + k] * dx[k];
  }
  return mbs_complex(results[result], change);
}

#else

mbs_scalar mbs_external_value(MbsExternalSite *site, int result, int by, const mbs_scalar *r) {
  const MbsModelFunction *f = &site->external->function;
  bool is_same = site->has_results || site->has_slopes;
  for (int k = 0; k < f->argument_count; ++k) {
    double x = r[site->registers[k]];
    is_same = is_same && memcmp(&x, &site->arguments[k], sizeof x) == 0;
    site->arguments[k] = x;
  }
  site->has_results = is_same && site->has_results;
  site->has_slopes = is_same && site->has_slopes;
  if (by >= 0 && !site->has_slopes) {
    find_slopes(site->external, site->arguments, site->results, site->slopes);
    site->has_slopes = true;
    site->has_results = site->has_results || f->has_slopes;
  }
  if (by < 0 && !site->has_results) {
    find_results(site->external, site->arguments, site->results, NULL);
    site->has_results = true;
  }
  return by < 0 ? site->results[result] : site->slopes[result * f->argument_count + by];
}

#endif
