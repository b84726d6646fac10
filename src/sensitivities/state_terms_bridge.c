// The terms of the public header: numbers in, and the motion at a state. See state_terms.h. Double only.
#include "sensitivities/state_terms.h"

#include <math.h>
#include <string.h>

#include "base/names.h"

// ---- checks ----
MbsStatus mbs_state_terms_need(MbsContext *context, const MbsTerms *terms) {
  return terms->has_state ? MBS_OK
                          : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                                     "the terms have no state, since parameters were set or a call failed: call "
                                     "mbs_terms_set_state or mbs_terms_start first");
}

MbsStatus mbs_state_terms_check_count(MbsContext *context, const char *what, int count, int expected) {
  return count == expected
             ? MBS_OK
             : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                        "the terms have %d %s here, and room or numbers are given for %d", expected, what, count);
}

MbsStatus mbs_state_terms_check_finite(MbsContext *context, const char *what, int count, const double *numbers) {
  for (int i = 0; i < count; ++i) {
    if (!isfinite(numbers[i])) {
      return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "number %d of the %s must be finite, got %g", i + 1, what,
                      numbers[i]);
    }
  }
  return MBS_OK;
}

MbsStatus mbs_state_terms_check_result(MbsContext *context, const MbsTerms *terms, int count, const double *numbers) {
  for (int i = 0; i < count; ++i) {
    if (!isfinite(numbers[i])) {
      MBS_TRY(mbs_simulation_check_tables(context, terms->simulation));
      return mbs_newton_not_finite(context, terms->system, &terms->simulation->state, false);
    }
  }
  return MBS_OK;
}

// ---- numbers in ----
static void forget(MbsTerms *terms) {
  terms->has_state = terms->is_solved = terms->is_given = terms->is_factored = false;
}

static void copy_positions(const MbsTerms *terms, MbsState *to) {
  const MbsState *from = &terms->simulation->state;
  to->t = from->t;
  memcpy(to->q, from->q, (size_t)terms->nq * sizeof *to->q);
  memcpy(to->v, from->v, (size_t)terms->nq * sizeof *to->v);
  memcpy(to->a, from->a, (size_t)terms->nq * sizeof *to->a);
}

MbsStatus mbs_state_terms_start(MbsContext *context, MbsTerms *terms) {
  forget(terms);
  terms->has_inputs = false;
  MBS_TRY(mbs_simulation_start(context, terms->simulation));
  copy_positions(terms, &terms->at);
  if (!terms->set) {
    MBS_TRY(mbs_state_terms_choose(context, terms));
  }
  terms->has_state = true;
  return MBS_OK;
}

MbsStatus mbs_terms_start(MbsContext *context, MbsTerms *terms) {
  MBS_CALL_BEGIN(context, "mbs_terms_start", {"terms", terms});
  mbs_simulation_tell(terms->simulation, context);
  return mbs_call_end(context, mbs_state_terms_start(context, terms));
}

static MbsStatus check_number(MbsContext *context, const char *what, const char *name, double value) {
  return isfinite(value) ? MBS_OK
                         : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "%s \"%s\" must be a finite number, got %g",
                                    what, name, value);
}

static void use_inputs(const MbsTerms *terms) {
  const MbsBlueprint *blueprint = terms->system->blueprint;
  double *hidden = terms->simulation->events.hidden;
  mbs_events_read_hidden(terms->simulation, hidden);
  memcpy(hidden + blueprint->input_first, terms->inputs, (size_t)blueprint->input_count * sizeof *hidden);
  mbs_system_set_hidden(terms->system, hidden);
}

static MbsStatus set_parameters(MbsContext *context, MbsTerms *terms) {
  MbsSelection *selection = &terms->selection;
  size_t bytes = (size_t)selection->model_parameter_count * sizeof(double);
  mbs_simulation_tell(terms->simulation, context);
  mbs_simulation_set_parameters(terms->simulation, terms->tried);
  MbsStatus status = mbs_simulation_check_parameters(context, terms->simulation);
  if (status != MBS_OK) {
    mbs_simulation_set_parameters(terms->simulation, terms->all);
    memcpy(terms->tried, terms->all, bytes);
  }
  memcpy(terms->all, terms->tried, bytes);
  mbs_events_begin(terms->simulation);
  if (terms->has_inputs) {
    use_inputs(terms);
  }
  forget(terms);
  return status;
}

MbsStatus mbs_terms_set_parameters(MbsContext *context, MbsTerms *terms, int count, const double *values) {
  MBS_CALL_BEGIN(context, "mbs_terms_set_parameters", {"terms", terms}, {"values", values});
  const MbsSelection *selection = &terms->selection;
  MBS_TRY(mbs_state_terms_check_count(context, "parameters", count, selection->parameter_count));
  for (int i = 0; i < count; ++i) {
    MBS_TRY(check_number(context, "parameter", selection->parameter_names[i], values[i]));
  }
  for (int i = 0; i < count; ++i) {
    terms->tried[selection->parameters[i]] = values[i];
  }
  return mbs_call_end(context, set_parameters(context, terms));
}

MbsStatus mbs_terms_set_inputs(MbsContext *context, MbsTerms *terms, int count, const double *values) {
  MBS_CALL_BEGIN(context, "mbs_terms_set_inputs", {"terms", terms}, {"values", values});
  MBS_TRY(mbs_state_terms_check_count(context, "inputs", count, terms->system->blueprint->input_count));
  for (int i = 0; i < count; ++i) {
    MBS_TRY(check_number(context, "input", terms->input_names[i], values[i]));
  }
  memcpy(terms->inputs, values, (size_t)count * sizeof *values);
  terms->has_inputs = true;
  use_inputs(terms);
  forget(terms);
  return MBS_OK;
}

MbsStatus mbs_state_terms_set(MbsContext *context, MbsTerms *terms, double t, const double *position,
                              const double *velocity) {
  MbsSimulation *simulation = terms->simulation;
  MbsState *state = &simulation->state;
  forget(terms);
  mbs_tables_forget_left(terms->system);
  state->t = t;
  for (int i = 0; i < terms->n; ++i) {
    state->q[i] = position[i];
    state->v[i] = velocity[i];
    state->a[i] = 0;
  }
  for (int i = 0; i < terms->m; ++i) {
    state->lambda[i] = state->sigma[i] = state->kappa[i] = state->total[i] = 0;
  }
  mbs_state_place_fixed(terms->system, state);
  if (simulation->events.do_branches_prescribe) {
    MBS_TRY(mbs_events_settle(context, simulation, MBS_KNOWN_POSITIONS));
  }
  mbs_signal_bank_accept(terms->system, state, false);
  MBS_TRY(mbs_events_settle(context, simulation, MBS_KNOWN_VELOCITIES));
  copy_positions(terms, &terms->at);
  terms->has_state = true;
  return MBS_OK;
}

MbsStatus mbs_terms_set_state(MbsContext *context, MbsTerms *terms, double t, int count, const double *position,
                              const double *velocity) {
  MBS_CALL_BEGIN(context, "mbs_terms_set_state", {"terms", terms}, {"position", position}, {"velocity", velocity});
  MBS_TRY(mbs_state_terms_check_count(context, "coordinates", count, terms->n));
  MBS_TRY(check_number(context, "the time", "t", t));
  for (int i = 0; i < count; ++i) {
    const char *name = terms->system->coordinate_names[i];
    MBS_TRY(check_number(context, "the position of", name, position[i]));
    MBS_TRY(check_number(context, "the velocity of", name, velocity[i]));
  }
  mbs_simulation_tell(terms->simulation, context);
  return mbs_call_end(context, mbs_state_terms_set(context, terms, t, position, velocity));
}

MbsStatus mbs_terms_state(MbsContext *context, const MbsTerms *terms, double *t, int count, double *position,
                          double *velocity) {
  MBS_CALL_BEGIN(context, "mbs_terms_state", {"terms", terms});
  MBS_TRY(mbs_state_terms_need(context, terms));
  MBS_TRY(mbs_state_terms_check_count(context, "coordinates", count, terms->n));
  if (t) {
    *t = terms->at.t;
  }
  for (int i = 0; i < count && position; ++i) {
    position[i] = terms->at.q[i];
  }
  for (int i = 0; i < count && velocity; ++i) {
    velocity[i] = terms->at.v[i];
  }
  return MBS_OK;
}

MbsStatus mbs_terms_set_accelerations(MbsContext *context, MbsTerms *terms, int count, const double *accelerations,
                                      int multiplier_count, const double *multipliers) {
  MBS_CALL_BEGIN(context, "mbs_terms_set_accelerations", {"terms", terms});
  MBS_TRY(mbs_state_terms_need(context, terms));
  if (accelerations) {
    MBS_TRY(mbs_state_terms_check_count(context, "accelerations", count, terms->n));
    MBS_TRY(mbs_state_terms_check_finite(context, "accelerations", count, accelerations));
  }
  if (multipliers) {
    MBS_TRY(mbs_state_terms_check_count(context, "multipliers", multiplier_count, terms->m));
    MBS_TRY(mbs_state_terms_check_finite(context, "multipliers", multiplier_count, multipliers));
  }
  for (int i = 0; i < terms->n; ++i) {
    terms->at.a[i] = accelerations ? accelerations[i] : 0;
  }
  for (int i = 0; i < terms->m; ++i) {
    terms->at.lambda[i] = terms->at.total[i] = multipliers ? multipliers[i] : 0;
  }
  terms->is_given = true;
  return MBS_OK;
}

MbsStatus mbs_terms_use_motion(MbsContext *context, MbsTerms *terms) {
  MBS_CALL_BEGIN(context, "mbs_terms_use_motion", {"terms", terms});
  terms->is_given = false;
  return MBS_OK;
}

MbsStatus mbs_terms_set_direction(MbsContext *context, MbsTerms *terms, int count, const double *direction) {
  MBS_CALL_BEGIN(context, "mbs_terms_set_direction", {"terms", terms}, {"direction", direction});
  MBS_TRY(mbs_state_terms_check_count(context, "coordinates", count, terms->n));
  MBS_TRY(mbs_state_terms_check_finite(context, "direction", count, direction));
  memcpy(terms->direction, direction, (size_t)count * sizeof *direction);
  return MBS_OK;
}

// whose frame has axes
static bool has_axes(const MbsTerms *terms, int body) {
  return terms->system->blueprint->bodies.items[body].kind == MBS_BODY_RIGID;
}

MbsStatus mbs_terms_set_point(MbsContext *context, MbsTerms *terms, const char *name, int count, const double *local) {
  MBS_CALL_BEGIN(context, "mbs_terms_set_point", {"terms", terms}, {"body", name}, {"local", local});
  const MbsBlueprint *blueprint = terms->system->blueprint;
  const char *nearest = NULL;
  int body = -1;
  bool is_origin = true;
  MBS_TRY(mbs_state_terms_check_count(context, "components of a point", count, blueprint->dimension));
  MBS_TRY(mbs_state_terms_check_finite(context, "point", count, local));
  for (int b = 1; b < blueprint->bodies.count; ++b) {
    body = strcmp(blueprint->bodies.items[b].name, name) == 0 ? b : body;
    mbs_name_nearest(name, blueprint->bodies.items[b].name, &nearest);
  }
  if (body < 0) {
    return mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "no body \"%s\" in %s%s%s%s", name, terms->model->file,
                    nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
  }
  for (int k = 0; k < count; ++k) {
    is_origin = is_origin && !(local[k] < 0 || local[k] > 0);
  }
  if (!is_origin && !has_axes(terms, body)) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, mbs_nowhere,
                    "body \"%s\" has no axes, being a point mass or a thin rod in space: of its points the model's own "
                    "are among the outputs, with settings.columns \"points\"",
                    name);
  }
  terms->body = body;
  for (int k = 0; k < 3; ++k) {
    terms->local[k] = k < count ? local[k] : 0;
  }
  return MBS_OK;
}

MbsStatus mbs_terms_choose_independent(MbsContext *context, MbsTerms *terms) {
  MBS_CALL_BEGIN(context, "mbs_terms_choose_independent", {"terms", terms});
  MBS_TRY(mbs_state_terms_need(context, terms));
  mbs_simulation_tell(terms->simulation, context);
  return mbs_call_end(context, mbs_state_terms_choose(context, terms));
}

// ---- the motion ----
MbsStatus mbs_state_terms_solve(MbsContext *context, MbsTerms *terms) {
  MbsSimulation *simulation = terms->simulation;
  MbsState *state = &simulation->state;
  int rounds = terms->system->blueprint->branches.count + 2;
  for (int round = 0; round <= rounds && !terms->is_solved; ++round) {
    for (int i = 0; i < terms->n; ++i) {
      state->a[i] = 0;
    }
    for (int i = 0; i < terms->m; ++i) {
      state->lambda[i] = 0;
      if (terms->implicit->has_redundancy) {
        terms->implicit->at->lambda[i] = 0;
      }
    }
    MbsStatus status = mbs_implicit_solve_instant(context, terms->implicit, state);
    if (status != MBS_OK) {
      return mbs_simulation_diagnose(context, simulation, status);
    }
    mbs_signal_bank_evaluate(terms->system, state);
    terms->is_solved = terms->system->blueprint->branches.count == 0 ||
                       !mbs_events_settle_once(simulation, NULL, MBS_KNOWN_ACCELERATIONS);
  }
  return terms->is_solved ? MBS_OK : mbs_events_never_settle(context, simulation);
}

MbsStatus mbs_state_terms_complete(MbsContext *context, MbsTerms *terms) {
  if (!terms->is_given) {
    const MbsState *state = &terms->simulation->state;
    MBS_TRY(mbs_state_terms_solve(context, terms));
    memcpy(terms->at.a, state->a, (size_t)terms->nq * sizeof *state->a);
    memcpy(terms->at.lambda, state->lambda, (size_t)terms->m * sizeof *state->lambda);
    memcpy(terms->at.total, state->total, (size_t)terms->m * sizeof *state->total);
  }
  return MBS_OK;
}
