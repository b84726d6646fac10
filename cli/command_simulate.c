// mbsens simulate: from the start to the end, without gradients.
#include <stdio.h>

#include "command.h"
#include "report.h"
#include "session.h"
#include "table.h"

// one table each for position, velocity and acceleration: side by side they would not fit
static void print_points(const MbsResult *result) {
  static const char *const axes[] = {"x", "y", "z"};
  static const char *const levels[] = {"position", "velocity", "acceleration"};
  int dimension = result->dimension == 2 ? 2 : 3;
  for (int level = 0; level < 3 && result->point_count > 0; ++level) {
    CliTable *table = cli_table_create(1 + dimension);
    cli_table_text(table, levels[level]);
    for (int k = 0; k < dimension; ++k) {
      cli_table_text(table, axes[k]);
    }
    for (int i = 0; i < result->point_count; ++i) {
      const MbsPointState *point = &result->points[i];
      const double *vectors[] = {point->position, point->velocity, point->acceleration};
      cli_table_text(table, point->name);
      for (int k = 0; k < dimension; ++k) {
        cli_table_number(table, vectors[level][k]);
      }
    }
    cli_table_print(table, stdout);
  }
}

static void print_coordinates(const MbsResult *result) {
  static const char *const columns[] = {"coordinate", "value", "rate", "acceleration"};
  if (result->coordinate_count == 0) {
    return;
  }
  CliTable *table = cli_table_create(4);
  for (int k = 0; k < 4; ++k) {
    cli_table_text(table, columns[k]);
  }
  for (int i = 0; i < result->coordinate_count; ++i) {
    const MbsCoordinateState *coordinate = &result->coordinates[i];
    cli_table_text(table, coordinate->name);
    cli_table_number(table, coordinate->value);
    cli_table_number(table, coordinate->rate);
    cli_table_number(table, coordinate->acceleration);
  }
  cli_table_print(table, stdout);
}

static void print_outputs(const MbsResult *result) {
  static const char *const columns[] = {"output", "value", "unit", ""};
  if (result->output_count == 0) {
    return;
  }
  CliTable *table = cli_table_create(4);
  for (int k = 0; k < 4; ++k) {
    cli_table_text(table, columns[k]);
  }
  for (int i = 0; i < result->output_count; ++i) {
    const MbsOutputResult *output = &result->outputs[i];
    for (int k = 0; k < output->size; ++k) {
      char name[256];
      (void)snprintf(name, sizeof name, "%s%s%.*s", output->name, output->size > 1 ? "." : "", output->size > 1,
                     &"xyz"[k]);
      cli_table_text(table, name);
      cli_table_number(table, output->value[k]);
      cli_table_text(table, output->unit ? output->unit : "");
      cli_table_text(table, output->description && k == 0 ? output->description : "");
    }
  }
  cli_table_print(table, stdout);
}

static void print_states(const MbsResult *result) {
  static const char *const columns[] = {"state", "value", "rate"};
  if (result->first_order_count == 0) {
    return;
  }
  CliTable *table = cli_table_create(3);
  for (int k = 0; k < 3; ++k) {
    cli_table_text(table, columns[k]);
  }
  for (int i = 0; i < result->first_order_count; ++i) {
    cli_table_text(table, result->first_order[i].name);
    cli_table_number(table, result->first_order[i].value);
    cli_table_number(table, result->first_order[i].rate);
  }
  cli_table_print(table, stdout);
}

static void print_multipliers(const MbsResult *result) {
  if (result->multiplier_count == 0) {
    return;
  }
  CliTable *table = cli_table_create(2);
  cli_table_text(table, "constraint");
  cli_table_text(table, "multiplier");
  for (int i = 0; i < result->multiplier_count; ++i) {
    cli_table_text(table, result->multiplier_names[i]);
    cli_table_number(table, result->multipliers[i]);
  }
  cli_table_print(table, stdout);
}

static void print_reactions(const MbsResult *result) {
  static const char *const titles[] = {"force x", "force y", "force z", "torque x", "torque y", "torque z"};
  bool is_plane = result->dimension == 2;
  if (result->reaction_count == 0) {
    return;
  }
  CliTable *table = cli_table_create(is_plane ? 4 : 7);
  cli_table_text(table, "joint");
  for (int k = 0; k < 6; ++k) {
    if (!is_plane || k < 2 || k == 5) {
      cli_table_text(table, is_plane && k == 5 ? "torque" : titles[k]);
    }
  }
  for (int i = 0; i < result->reaction_count; ++i) {
    const MbsReaction *reaction = &result->reactions[i];
    cli_table_text(table, reaction->joint);
    for (int k = 0; k < 6; ++k) {
      if (!is_plane || k < 2 || k == 5) {
        cli_table_number(table, k < 3 ? reaction->force[k] : reaction->torque[k - 3]);
      }
    }
  }
  cli_table_print(table, stdout);
}

void cli_print_state(const MbsResult *result) {
  print_outputs(result);
  print_points(result);
  print_coordinates(result);
  print_states(result);
  print_multipliers(result);
  print_reactions(result);
}

static void print_words(const MbsResult *result, const CliSession *session) {
  bool is_quiet = session->options->is_quiet;
  if (!is_quiet) {
    cli_report_header(stdout, result, MBS_METHOD_NONE);
  }
  cli_report_events(stdout, result);
  cli_report_values(stdout, result);
  if (!is_quiet) {
    (void)printf("at t = %g s:\n\n", result->final_time);
  }
  cli_print_state(result);
  if (!is_quiet) {
    cli_report_statistics(stdout, result);
    cli_session_report_histories(stdout, session);
  }
}

void cli_put_state(CliJson *json, const MbsResult *result) {
  cli_json_open_object(json, "points");
  for (int i = 0; i < result->point_count; ++i) {
    const MbsPointState *point = &result->points[i];
    cli_json_open_object(json, point->name);
    cli_json_numbers(json, "position", result->dimension, point->position);
    cli_json_numbers(json, "velocity", result->dimension, point->velocity);
    cli_json_numbers(json, "acceleration", result->dimension, point->acceleration);
    cli_json_close(json);
  }
  cli_json_close(json);
  cli_json_open_object(json, "coordinates");
  for (int i = 0; i < result->coordinate_count; ++i) {
    const MbsCoordinateState *coordinate = &result->coordinates[i];
    cli_json_open_object(json, coordinate->name);
    cli_json_number(json, "value", coordinate->value);
    cli_json_number(json, "rate", coordinate->rate);
    cli_json_number(json, "acceleration", coordinate->acceleration);
    cli_json_close(json);
  }
  cli_json_close(json);
  cli_json_open_object(json, "outputs");
  for (int i = 0; i < result->output_count; ++i) {
    const MbsOutputResult *output = &result->outputs[i];
    cli_json_open_object(json, output->name);
    if (output->size == 1) {
      cli_json_number(json, "value", output->value[0]);
    } else {
      cli_json_numbers(json, "value", output->size, output->value);
    }
    if (output->unit) {
      cli_json_text(json, "unit", output->unit);
    }
    if (output->description) {
      cli_json_text(json, "description", output->description);
    }
    cli_json_close(json);
  }
  cli_json_close(json);
  cli_json_open_object(json, "states");
  for (int i = 0; i < result->first_order_count; ++i) {
    cli_json_open_object(json, result->first_order[i].name);
    cli_json_number(json, "value", result->first_order[i].value);
    cli_json_number(json, "rate", result->first_order[i].rate);
    cli_json_close(json);
  }
  cli_json_close(json);
  cli_json_map(json, "multipliers", result->multiplier_count, result->multiplier_names, result->multipliers);
  cli_json_open_object(json, "reactions");
  for (int i = 0; i < result->reaction_count; ++i) {
    const MbsReaction *reaction = &result->reactions[i];
    cli_json_open_object(json, reaction->joint);
    cli_json_numbers(json, "force", result->dimension, reaction->force);
    if (result->dimension == 2) {
      cli_json_number(json, "torque", reaction->torque[2]);
    } else {
      cli_json_numbers(json, "torque", 3, reaction->torque);
    }
    cli_json_close(json);
  }
  cli_json_close(json);
}

static void print_json(const MbsResult *result) {
  CliJson json = cli_json_begin(stdout);
  cli_report_json(&json, result, MBS_METHOD_NONE);
  cli_json_open_object(&json, "final");
  cli_json_number(&json, "time", result->final_time);
  cli_put_state(&json, result);
  cli_json_close(&json);
  cli_report_json_statistics(&json, result);
  cli_json_end(&json);
}

int cli_run_simulate(const CliOptions *options) {
  CliSession session;
  MbsResult *result = NULL;
  int exit_status = cli_session_open(&session, options), failure = 0;
  if (!exit_status) {
    failure = cli_session_run(&session, MBS_METHOD_NONE, "simulation", true, &result);
  }
  if (failure && !result) {
    exit_status = failure;
  }
  if (!exit_status) {
    exit_status = cli_session_finish(&session);
  }
  if (!exit_status && options->is_json) {
    print_json(result);
  } else if (!exit_status) {
    print_words(result, &session);
  }
  if (!exit_status) {
    exit_status = cli_session_commit(&session);
  }
  mbs_result_destroy(result);
  cli_session_close(&session);
  return failure ? failure : exit_status;
}
