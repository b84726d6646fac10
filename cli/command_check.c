// mbsens check: what the model is, before anything moves.
#include <stdio.h>

#include "command.h"
#include "json.h"
#include "session.h"
#include "table.h"

static void print_bodies(const MbsCheck *check) {
  CliTable *table = cli_table_create(2);
  cli_table_text(table, "body");
  cli_table_text(table, "based on");
  for (int i = 0; i < check->bodies; ++i) {
    cli_table_text(table, check->body[i].name);
    cli_table_text(table, check->body[i].entities);
  }
  cli_table_print(table, stdout);
}

static void print_coordinates(const MbsCheck *check) {
  CliTable *table = cli_table_create(3);
  cli_table_text(table, "coordinate");
  cli_table_text(table, "position");
  cli_table_text(table, "velocity");
  for (int i = 0; i < check->coordinates; ++i) {
    cli_table_text(table, check->coordinate_names[i]);
    cli_table_number(table, check->position[i]);
    cli_table_number(table, check->velocity[i]);
  }
  cli_table_print(table, stdout);
}

static void print_constraints(const MbsCheck *check) {
  if (check->constraints == 0) {
    return;
  }
  (void)printf("  constraint\n");
  for (int i = 0; i < check->constraints; ++i) {
    (void)printf("  %s%s%s%s\n", check->constraint_names[i], check->is_nonholonomic[i] ? "  (nonholonomic)" : "",
                 check->is_redundant[i] ? "  (redundant)" : "", check->is_inactive[i] ? "  (inactive)" : "");
  }
  (void)printf("\n");
}

static void print_names(const char *one, const char *many, int count, const char *const *names) {
  enum { MOST = 8 };
  (void)printf("%s ", count == 1 ? one : many);
  for (int i = 0; i < count && i < MOST; ++i) {
    (void)printf("%s\"%s\"", i ? ", " : "", names[i]);
  }
  if (count > MOST) {
    (void)printf(" and %d more", count - MOST);
  }
}

static void print_members(const MbsCheckGroup *group) {
  if (group->body_count > 0) {
    print_names("body", "bodies", group->body_count, group->bodies);
  }
  if (group->coordinate_count > 0) {
    (void)printf("%s", group->body_count > 0 ? ", " : "");
    print_names("coordinate", "coordinates", group->coordinate_count, group->coordinates);
  }
}

// what moves by itself: every group that does not hang on the ground; and where there are several, the others too
static void print_groups(const MbsCheck *check) {
  for (int k = 0; k < check->group_count; ++k) {
    const MbsCheckGroup *group = &check->groups[k];
    if (group->is_grounded && check->group_count == 1) {
      continue;
    }
    bool is_single = group->body_count + group->coordinate_count == 1;
    print_members(group);
    if (group->is_grounded) {
      (void)printf(": ");
    } else if (is_single) {
      (void)printf(" is free: ");
    } else {
      (void)printf(" are connected with each other but not to the ground: ");
    }
    (void)printf("%d degree%s of freedom", group->degrees_of_freedom, group->degrees_of_freedom == 1 ? "" : "s");
    if (!group->is_grounded && group->has_forces) {
      (void)printf(", held by forces alone");
    } else if (!group->is_grounded && is_single) {
      (void)printf(", connected to nothing");
    }
    (void)printf("\n");
  }
}

static const char *plural(int count) { return count == 1 ? "" : "s"; }

static void print_words(const MbsCheck *check, const MbsSettings *settings, bool is_quiet) {
  if (!is_quiet) {
    char inactive[40] = "";
    if (check->inactive > 0) {
      (void)snprintf(inactive, sizeof inactive, ", %d inactive", check->inactive);
    }
    (void)printf("%s: %d %s, %d %s coordinate%s, %d constraint%s (%d redundant%s), %d degree%s of freedom",
                 check->model, check->bodies, check->bodies == 1 ? "body" : "bodies", check->coordinates,
                 settings->coordinates, plural(check->coordinates), check->constraints, plural(check->constraints),
                 check->redundant, inactive, check->degrees_of_freedom, plural(check->degrees_of_freedom));
    if (check->nonholonomic > 0) {
      (void)printf(" (%d of position, nonholonomic constraints: %d)", check->position_freedoms, check->nonholonomic);
    }
    if (check->states > 0) {
      (void)printf(", %d state%s of first order", check->states, plural(check->states));
    }
    (void)printf("\n\n");
    if (check->bodies > 0) {
      print_bodies(check);
    }
  }
  print_coordinates(check);
  if (is_quiet) {
    return;
  }
  print_constraints(check);
  print_groups(check);
  (void)printf("independent coordinates%s: ", check->is_independent_automatic ? ", chosen automatically" : "");
  for (int i = 0; i < check->independent_count; ++i) {
    (void)printf("%s%s%s", i > 0 ? ", " : "", check->independent_names[i],
                 check->does_rate_follow[i] ? " (its velocity follows)" : "");
  }
  (void)printf("%s\nresiduals at the start: position %.1e, velocity %.1e, acceleration %.1e\n",
               check->independent_count == 0 ? "none" : "", check->residual_position, check->residual_velocity,
               check->residual_acceleration);
}

// those for which the flag is as wanted
static void put_some_names(CliJson *json, const char *key, int count, const char *const *names, const bool *flags,
                           bool wanted) {
  cli_json_open_array(json, key);
  for (int i = 0; i < count; ++i) {
    if (flags[i] == wanted) {
      cli_json_text(json, NULL, names[i]);
    }
  }
  cli_json_close(json);
}

static void print_json(const MbsCheck *check, const MbsSettings *settings) {
  CliJson json = cli_json_begin(stdout);
  cli_json_text(&json, "model", check->model);
  cli_json_text(&json, "coordinate_type", settings->coordinates);
  cli_json_integer(&json, "bodies", check->bodies);
  cli_json_integer(&json, "coordinates", check->coordinates);
  cli_json_integer(&json, "states", check->states);
  cli_json_integer(&json, "constraints", check->constraints);
  cli_json_integer(&json, "redundant", check->redundant);
  cli_json_integer(&json, "inactive", check->inactive);
  cli_json_integer(&json, "degrees_of_freedom", check->degrees_of_freedom);
  cli_json_integer(&json, "position_freedoms", check->position_freedoms);
  cli_json_integer(&json, "nonholonomic", check->nonholonomic);
  cli_json_texts(&json, "constraint_names", check->constraints, check->constraint_names);
  put_some_names(&json, "redundant_constraints", check->constraints, check->constraint_names, check->is_redundant,
                 true);
  put_some_names(&json, "inactive_constraints", check->constraints, check->constraint_names, check->is_inactive, true);
  put_some_names(&json, "nonholonomic_constraints", check->constraints, check->constraint_names, check->is_nonholonomic,
                 true);
  cli_json_texts(&json, "independent", check->independent_count, check->independent_names);
  put_some_names(&json, "independent_velocities", check->independent_count, check->independent_names,
                 check->does_rate_follow, false);
  cli_json_boolean(&json, "independent_is_automatic", check->is_independent_automatic);
  cli_json_open_array(&json, "groups");
  for (int k = 0; k < check->group_count; ++k) {
    const MbsCheckGroup *group = &check->groups[k];
    cli_json_open_object(&json, NULL);
    cli_json_texts(&json, "bodies", group->body_count, group->bodies);
    cli_json_texts(&json, "coordinates", group->coordinate_count, group->coordinates);
    cli_json_integer(&json, "degrees_of_freedom", group->degrees_of_freedom);
    cli_json_boolean(&json, "is_grounded", group->is_grounded);
    cli_json_boolean(&json, "has_forces", group->has_forces);
    cli_json_close(&json);
  }
  cli_json_close(&json);
  cli_json_open_object(&json, "initial");
  for (int i = 0; i < check->coordinates; ++i) {
    cli_json_open_object(&json, check->coordinate_names[i]);
    cli_json_number(&json, "position", check->position[i]);
    cli_json_number(&json, "velocity", check->velocity[i]);
    cli_json_close(&json);
  }
  cli_json_close(&json);
  cli_json_open_object(&json, "residual");
  cli_json_number(&json, "position", check->residual_position);
  cli_json_number(&json, "velocity", check->residual_velocity);
  cli_json_number(&json, "acceleration", check->residual_acceleration);
  cli_json_close(&json);
  cli_json_end(&json);
}

int cli_run_check(const CliOptions *options) {
  CliSession session;
  int exit_status = cli_session_open(&session, options);
  if (!exit_status) {
    MbsCheck *check = NULL;
    cli_progress_begin(&session.progress, session.context, "check", options->is_quiet);
    MbsStatus status = mbs_check(session.context, session.model, session.request, &check);
    cli_progress_end(&session.progress, session.context);
    if (status != MBS_OK) {
      exit_status = cli_session_fail(&session, status);
    } else if (options->is_json) {
      print_json(check, &session.request->settings);
    } else {
      print_words(check, &session.request->settings, options->is_quiet);
    }
    mbs_check_destroy(check);
  }
  cli_session_close(&session);
  return exit_status;
}
