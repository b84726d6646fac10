// The section tables: curves and maps, as tables of the graph (expressions/table.h).
//
// Points x are numbers; ordinates may depend on parameters. What the kind makes of them is decided here: slopes of
// curves, and of maps slopes along both axes,
//     z_x along x for each y,   z_y along y for each x,   z_xy = (z_x)_y along y
// A curve of steps is y[floor(L(x))] with the number L(x) of the piece (table_pieces.c), so that a jump is an event
// like those of floor (branch.c).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "expressions/table.h"
#include "model/blueprint.h"

typedef struct TableReader {
  MbsContext *context;
  MbsBlueprint *blueprint;
  const MbsRecord *record;
  const char *owner;  // table "damper"
} TableReader;

// ---- deltas are signals ----
static bool make_input(void *user, int *input) {
  MbsBlueprint *blueprint = user;
  MbsSignal *grown = mbs_arena_grow(blueprint->arena, blueprint->signals.items, blueprint->signals.count,
                                    &blueprint->signals.capacity, sizeof *grown);
  if (grown) {
    blueprint->signals.items = grown;
    *input = blueprint->signals.count++;
    grown[*input] = (MbsSignal){.kind = MBS_SIGNAL_TABLE, .index = blueprint->delta_count++};
  }
  return grown != NULL;
}

static bool moves(void *user, int input) {
  const MbsBlueprint *blueprint = user;
  int branches = blueprint->variable_first + blueprint->variable_count + blueprint->switch_count;
  const MbsSignal *signal = &blueprint->signals.items[input];
  return signal->kind != MBS_SIGNAL_PARAMETER || signal->index >= branches;
}

// ---- numbers ----
static MbsStatus fail_at(const TableReader *r, MbsText text, const char *what) {
  return mbs_fail(r->context, MBS_ERROR_INPUT, text.place, "%s: %s", r->owner, what);
}

static MbsStatus read_points(const TableReader *r, int field, MbsAxis *axis) {
  static const char names[] = {[MBS_TABLE_X] = 'x', [MBS_TABLE_Y] = 'y'};
  MbsBlueprint *blueprint = r->blueprint;
  const MbsValue *value = mbs_record_value(r->record, field);
  double *x;
  MBS_TAKE(r->context, blueprint->arena, x, value->count + 1);  // and one that closes a period
  for (int i = 0; i < value->count; ++i) {
    MbsNode node;
    MBS_TRY(mbs_parameters_parse(r->context, blueprint, r->owner, value->texts[i], &node));
    const MbsGraphNode *n = mbs_graph_node(blueprint->graph, node);
    if (n->operation != MBS_OP_CONSTANT) {
      return mbs_fail(r->context, MBS_ERROR_NOT_OFFERED, value->texts[i].place,
                      "%s: %c[%d] = \"%.60s\" depends on parameters, which is not offered: points are numbers, "
                      "ordinates may be parameters",
                      r->owner, names[field], i + 1, value->texts[i].text);
    }
    x[i] = n->value;
    if (!isfinite(x[i])) {
      return mbs_fail(r->context, MBS_ERROR_INPUT, value->texts[i].place, "%s: %c[%d] is not a finite number", r->owner,
                      names[field], i + 1);
    }
    if (i > 0 && !(x[i] > x[i - 1])) {
      return mbs_fail(r->context, MBS_ERROR_INPUT, value->texts[i].place,
                      "%s: the points %c must increase: %.10g comes after %.10g", r->owner, names[field], x[i],
                      x[i - 1]);
    }
  }
  *axis = (MbsAxis){.count = value->count, .x = x};
  return MBS_OK;
}

// Is this the name of an array of parameters? Then *count is its length.
static bool find_array(const MbsBlueprint *blueprint, const char *name, int *count) {
  char element[256];
  *count = 0;
  for (;;) {
    int length = snprintf(element, sizeof element, "%s[%d]", name, *count + 1);
    if (length >= (int)sizeof element || mbs_parameters_find(blueprint, element) < 0) {
      return *count > 0;
    }
    *count += 1;
  }
}

static MbsStatus read_ordinates(const TableReader *r, int field, int *count, MbsNode **nodes) {
  MbsBlueprint *blueprint = r->blueprint;
  const MbsValue *value = mbs_record_value(r->record, field);
  char name = field == MBS_TABLE_Y ? 'y' : 'z';
  bool is_array = value->count == 1 && find_array(blueprint, value->texts[0].text, count);
  *count = is_array ? *count : value->count;
  MBS_TAKE(r->context, blueprint->arena, *nodes, *count + 1);  // and one that closes a period
  for (int i = 0; i < *count; ++i) {
    MbsText text = value->texts[is_array ? 0 : i];
    char element[256];
    const char *owner = mbs_arena_print(blueprint->arena, "%s: %c[%d]", r->owner, name, i + 1);
    owner = owner ? owner : r->owner;
    if (is_array) {
      (void)snprintf(element, sizeof element, "%s[%d]", value->texts[0].text, i + 1);
      (*nodes)[i] = blueprint->parameters.items[mbs_parameters_find(blueprint, element)].node;
    } else {
      MBS_TRY(mbs_parameters_parse(r->context, blueprint, owner, text, &(*nodes)[i]));
    }
    MBS_APPEND(r->context, blueprint->arena, &blueprint->properties,
               (MbsProperty){.name = owner, .text = text, .node = (*nodes)[i]});
  }
  return MBS_OK;
}

// ---- kinds ----
static const char *kind_of(const TableReader *r) { return mbs_record_text(r->record, MBS_TABLE_KIND).text; }

static bool is_kind(const TableReader *r, const char *kind) { return strcmp(kind_of(r), kind) == 0; }

static MbsSlopeRule rule_of(const TableReader *r) {
  return is_kind(r, "akima") ? MBS_SLOPE_AKIMA : is_kind(r, "monotone") ? MBS_SLOPE_MONOTONE : MBS_SLOPE_SPLINE;
}

static MbsStatus check_length(const TableReader *r, const MbsTable *table, const MbsAxis *axis, int field) {
  bool is_periodic = axis->period > 0;
  int least = table->form == MBS_TABLE_STEP     ? 1
              : table->form == MBS_TABLE_LINEAR ? 2
                                                : mbs_table_least_points(rule_of(r), is_periodic) - is_periodic;
  int count = axis->count - is_periodic;
  return count < least ? mbs_fail(r->context, MBS_ERROR_INPUT, mbs_record_value(r->record, field)->place,
                                  "%s: kind %s needs at least %d points, got %d", r->owner, kind_of(r), least, count)
                       : MBS_OK;
}

// the point that closes a period, which may be written or not
static MbsStatus close_period(const TableReader *r, MbsTable *table, int *ordinates, MbsNode *nodes) {
  MbsText text = mbs_record_text(r->record, MBS_TABLE_PERIODIC);
  MbsAxis *axis = &table->axis[0];
  MbsNode node;
  if (!text.text) {
    return MBS_OK;
  }
  if (table->axis_count == 2) {
    return mbs_fail(r->context, MBS_ERROR_NOT_OFFERED, text.place, "%s: periodic maps are not offered, only curves",
                    r->owner);
  }
  MBS_TRY(mbs_parameters_parse(r->context, r->blueprint, r->owner, text, &node));
  const MbsGraphNode *n = mbs_graph_node(r->blueprint->graph, node);
  double range = axis->count > 0 ? axis->x[axis->count - 1] - axis->x[0] : 0, period = n->value;
  if (n->operation != MBS_OP_CONSTANT) {
    return mbs_fail(r->context, MBS_ERROR_NOT_OFFERED, text.place,
                    "%s: a period that depends on parameters is not offered: it is a number", r->owner);
  }
  if (!(period > 0) || !isfinite(period) || range > (1 + 1e-9) * period) {
    return mbs_fail(r->context, MBS_ERROR_INPUT, text.place,
                    "%s: the period must be positive and at least as long as the points, which cover %.10g; got %.10g",
                    r->owner, range, period);
  }
  double *x = (double *)axis->x;  // ours: read_points made room
  if (range < (1 - 1e-9) * period) {
    x[axis->count] = x[0] + period;
    nodes[axis->count] = nodes[0];
    axis->count += 1;
    *ordinates += table->form != MBS_TABLE_STEP;
  } else if (table->form != MBS_TABLE_STEP && nodes[axis->count - 1] != nodes[0]) {
    const MbsValue *y = mbs_record_value(r->record, MBS_TABLE_Y);
    return fail_at(r, y->texts[y->count - 1],
                   "the last point is one period behind the first, but their ordinates differ: leave it out");
  } else if (table->form == MBS_TABLE_STEP && *ordinates == axis->count) {
    const MbsValue *y = mbs_record_value(r->record, MBS_TABLE_Y);
    return fail_at(r, y->texts[y->count - 1], "the last point is one period behind the first: leave its ordinate out");
  }
  axis->period = period;
  return MBS_OK;
}

// y, and slopes behind it; of a map all four
static MbsStatus add_slopes(const TableReader *r, MbsArena *scratch, MbsTable *table, const MbsNode *values) {
  MbsGraph *graph = r->blueprint->graph;
  int rows = table->axis[0].count, columns = table->axis_count == 2 ? table->axis[1].count : 1;
  int all = table->form == MBS_TABLE_STEP ? table->piece_count : rows * columns;
  bool is_cubic = table->form == MBS_TABLE_CUBIC, is_map = table->axis_count == 2;
  MbsNode *nodes;
  table->number_count = all * (!is_cubic ? 1 : is_map ? 4 : 2);
  MBS_TAKE(r->context, r->blueprint->arena, nodes, table->number_count);
  memcpy(nodes, values, (size_t)all * sizeof *nodes);
  table->nodes = nodes;
  for (int j = 0; j < columns && is_cubic; ++j) {
    MBS_TRY(
        mbs_table_slopes(r->context, scratch, graph, rule_of(r), &table->axis[0], columns, nodes + j, nodes + all + j));
  }
  for (int level = 0; level < 2 && is_cubic && is_map; ++level) {  // of z, of z_x
    for (int i = 0; i < rows; ++i) {
      MBS_TRY(mbs_table_slopes(r->context, scratch, graph, rule_of(r), &table->axis[1], 1,
                               nodes + level * all + i * columns, nodes + (2 + level) * all + i * columns));
    }
  }
  return MBS_OK;
}

MbsStatus mbs_table_finish(MbsContext *context, MbsBlueprint *blueprint, MbsTable *table, int *index) {
  MBS_TAKE(context, blueprint->arena, table->numbers, table->number_count);
  MBS_TAKE(context, blueprint->arena, table->real, table->number_count);
  for (int i = 0; i < table->number_count; ++i) {
    const MbsGraphNode *node = mbs_graph_node(blueprint->graph, table->nodes[i]);
    table->is_varying = table->is_varying || node->operation != MBS_OP_CONSTANT;
    table->numbers[i] = table->real[i] = node->value;
  }
  table->is_plain_curve = table->axis_count == 1 && table->form != MBS_TABLE_STEP && !(table->axis[0].period > 0);
  *index = mbs_graph_add_table(blueprint->graph, table);
  return mbs_graph_status(context, blueprint->graph);
}

static MbsStatus read_table(const TableReader *r, MbsArena *scratch, MbsTableSpec *spec) {
  MbsBlueprint *blueprint = r->blueprint;
  const char *outside = mbs_record_text(r->record, MBS_TABLE_OUTSIDE).text;
  const MbsValue *z = mbs_record_value(r->record, MBS_TABLE_Z);
  MbsTable *table;
  MbsNode *values;
  int count, expected;
  MBS_TAKE(r->context, blueprint->arena, table, 1);
  *table = (MbsTable){.name = spec->name,
                      .place = r->record->name.place,
                      .form = is_kind(r, "step")     ? MBS_TABLE_STEP
                              : is_kind(r, "linear") ? MBS_TABLE_LINEAR
                                                     : MBS_TABLE_CUBIC,
                      .outside = strcmp(outside, "hold") == 0     ? MBS_OUTSIDE_HOLD
                                 : strcmp(outside, "linear") == 0 ? MBS_OUTSIDE_LINEAR
                                                                  : MBS_OUTSIDE_ERROR,
                      .axis_count = z->count > 0 ? 2 : 1};
  bool is_map = table->axis_count == 2, is_step = table->form == MBS_TABLE_STEP;
  if (is_map && is_step) {
    return fail_at(r, mbs_record_text(r->record, MBS_TABLE_KIND), "a map of steps is not offered: take kind: linear");
  }
  if (is_step && table->outside == MBS_OUTSIDE_LINEAR) {
    return fail_at(r, mbs_record_text(r->record, MBS_TABLE_OUTSIDE), "steps have no slope: take outside: hold");
  }
  MBS_TRY(read_points(r, MBS_TABLE_X, &table->axis[0]));
  if (is_map) {
    MBS_TRY(read_points(r, MBS_TABLE_Y, &table->axis[1]));
  }
  MBS_TRY(read_ordinates(r, is_map ? MBS_TABLE_Z : MBS_TABLE_Y, &count, &values));
  expected = table->axis[0].count * (is_map ? table->axis[1].count : 1);
  if (count != expected && !(is_step && count == expected - 1)) {
    const MbsValue *value = mbs_record_value(r->record, is_map ? MBS_TABLE_Z : MBS_TABLE_Y);
    return mbs_fail(r->context, MBS_ERROR_INPUT, value->place,
                    is_map ? "%s: z must have a number for each x and each y, %d in all; got %d"
                           : "%s: y must have as many numbers as x, %d; got %d",
                    r->owner, expected, count);
  }
  MBS_TRY(close_period(r, table, &count, values));
  table->piece_count = count;
  MBS_TRY(check_length(r, table, &table->axis[0], MBS_TABLE_X));
  if (is_map) {
    MBS_TRY(check_length(r, table, &table->axis[1], MBS_TABLE_Y));
  }
  MBS_TRY(add_slopes(r, scratch, table, values));
  return mbs_table_finish(r->context, blueprint, table, &spec->table);
}

MbsStatus mbs_tables_read(MbsContext *context, MbsBlueprint *blueprint) {
  const MbsValue *written = mbs_record_value(&blueprint->model->root, MBS_MODEL_TABLES);
  const MbsTableInputs inputs = {.user = blueprint, .make = make_input, .moves = moves};
  int before = context->error_count;
  mbs_graph_use_tables(blueprint->graph, &inputs);
  for (int i = 0; i < written->count; ++i) {
    const MbsRecord *record = &written->records[i];
    const char *owner = mbs_arena_print(blueprint->arena, "table \"%s\"", record->name.text);
    MbsArena *scratch = mbs_arena_create_for(context);
    if (!scratch || !owner) {
      mbs_arena_destroy(scratch);
      return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
    }
    if (mbs_parameters_find(blueprint, record->name.text) >= 0) {
      mbs_arena_destroy(scratch);
      return mbs_fail(context, MBS_ERROR_INPUT, record->name.place, "%s has the name of a parameter", owner);
    }
    MbsTableSpec spec = {.name = record->name.text, .table = -1};
    const TableReader reader = {.context = context, .blueprint = blueprint, .record = record, .owner = owner};
    MbsStatus status = read_table(&reader, scratch, &spec);
    mbs_arena_destroy(scratch);
    MBS_TRY(mbs_error_keep(context, status));
    MBS_APPEND(context, blueprint->arena, &blueprint->tables, spec);
  }
  return mbs_errors_tell(context, before);
}

// ---- in expressions ----
const MbsTableSpec *mbs_table_find(const MbsBlueprint *blueprint, const char *name, int *argument_count) {
  for (int i = 0; i < blueprint->tables.count; ++i) {
    if (strcmp(blueprint->tables.items[i].name, name) == 0) {
      *argument_count = mbs_graph_table(blueprint->graph, blueprint->tables.items[i].table)->axis_count;
      return &blueprint->tables.items[i];
    }
  }
  return NULL;
}

void mbs_table_nearest(const MbsBlueprint *blueprint, const char *name, const char **nearest) {
  for (int i = 0; i < blueprint->tables.count; ++i) {
    mbs_name_nearest(name, blueprint->tables.items[i].name, nearest);
  }
}

// A manoeuvre that ends before the run does, and goes on as `outside` says.
static MbsStatus keep_timed(MbsContext *context, MbsBlueprint *blueprint, int table, MbsNode at) {
  const MbsTable *curve = mbs_graph_table(blueprint->graph, table);
  bool has_end = curve->form != MBS_TABLE_STEP || curve->axis[0].count > curve->piece_count;
  bool is_timed = false, is_known = curve->axis_count != 1 || curve->axis[0].period > 0 || !has_end;
  int count;
  const int *inputs;
  for (int i = 0; i < blueprint->timed_lookups.count && !is_known; ++i) {
    is_known = blueprint->timed_lookups.items[i].table == table && blueprint->timed_lookups.items[i].at == at;
  }
  if (is_known || curve->outside == MBS_OUTSIDE_ERROR) {
    return MBS_OK;
  }
  MBS_TRY(mbs_graph_inputs_of(context, blueprint->graph, at, &count, &inputs));
  for (int i = 0; i < count; ++i) {
    MbsSignalKind kind = blueprint->signals.items[inputs[i]].kind;
    if (kind != MBS_SIGNAL_TIME && kind != MBS_SIGNAL_PARAMETER) {
      return MBS_OK;
    }
    is_timed = is_timed || kind == MBS_SIGNAL_TIME;
  }
  if (is_timed) {
    MBS_APPEND(context, blueprint->arena, &blueprint->timed_lookups, (MbsTimedLookup){.table = table, .at = at});
  }
  return MBS_OK;
}

MbsStatus mbs_table_apply(MbsContext *context, MbsBlueprint *blueprint, const char *owner, MbsPlace place,
                          const MbsTableSpec *spec, const MbsExpression *arguments, MbsExpression *value) {
  const MbsTable *table = mbs_graph_table(blueprint->graph, spec->table);
  const int order[2] = {0, 0};
  int count = table->axis_count;
  for (int k = 0; k < count; ++k) {
    if (arguments[k].size != 1) {
      return mbs_fail(context, MBS_ERROR_INPUT, place, "%s: table %s() needs numbers, not vectors", owner, spec->name);
    }
  }
  MbsGraph *graph = blueprint->graph;
  MbsNode x = arguments[0].node[0];
  MBS_TRY(keep_timed(context, blueprint, spec->table, x));
  *value = (MbsExpression){.size = 1};
  value->node[0] = mbs_graph_look_up(graph, spec->table, order, x, count == 2 ? arguments[1].node[0] : MBS_NODE_NONE);
  if (table->form == MBS_TABLE_STEP && mbs_graph_node(graph, value->node[0])->operation == MBS_OP_TABLE) {  // it moves
    const int by_number[2] = {0, MBS_TABLE_BY_NUMBER};
    MbsNode along;
    MBS_TRY(mbs_table_number(context, blueprint, spec->table, 0, x, &along));
    MbsNode number = mbs_graph_apply(graph, MBS_OP_FLOOR, along, MBS_NODE_NONE);
    value->node[0] = mbs_graph_look_up(graph, spec->table, by_number, number, MBS_NODE_NONE);
  }
  return mbs_graph_status(context, graph);
}
