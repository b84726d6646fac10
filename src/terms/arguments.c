#include "terms/elements.h"

MbsStatus mbs_linear_forms_create(MbsContext *context, const MbsSystem *system, int count, const MbsForm *specs,
                                  MbsNode *nodes, int *used, MbsLinearForm *forms) {
  for (int i = 0; i < count; ++i) {
    int *first;
    MBS_TAKE(context, system->arena, first, specs[i].count);
    forms[i] = (MbsLinearForm){.count = specs[i].count, .first = first, .offset = *used, .is_constant = true};
    for (int k = 0; k < specs[i].count; ++k) {
      const MbsNode coefficients[] = {specs[i].terms[k].a, specs[i].terms[k].b};
      first[k] = mbs_system_coordinate(system, specs[i].terms[k].body, specs[i].terms[k].entity);
      for (int c = 0; c < 2; ++c) {
        nodes[(*used)++] = coefficients[c];
        bool is_number = mbs_graph_node(system->blueprint->graph, coefficients[c])->operation == MBS_OP_CONSTANT;
        forms[i].is_constant = forms[i].is_constant && is_number;
      }
    }
  }
  return MBS_OK;
}

int mbs_forms_term_count(int count, const MbsForm *forms) {
  int sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += forms[i].count;
  }
  return sum;
}

MbsStatus mbs_input_places(MbsContext *context, MbsSystem *system, const MbsTape *tape, MbsInputPlace **places,
                           int *form_count, MbsForm **forms) {
  MbsBlueprint *blueprint = system->blueprint;
  int *form_of_argument;
  MBS_TAKE(context, system->arena, *places, tape->input_count);
  MBS_TAKE(context, system->arena, form_of_argument, tape->input_count);
  MBS_TAKE(context, system->arena, *forms, tape->input_count);
  *form_count = 0;
  for (int s = 0; s < tape->input_count; ++s) {
    MbsInputPlace *place = &(*places)[s];
    place->signal = blueprint->signals.items[tape->inputs[s]];
    // refused when the expression was read
    MBS_CHECK(context, place->signal.kind != MBS_SIGNAL_MULTIPLIER && place->signal.kind != MBS_SIGNAL_BODY_FORCE &&
                           place->signal.kind != MBS_SIGNAL_OBJECTIVE);
    system->signals.has_turning_elements |= place->signal.kind == MBS_SIGNAL_TURN;
    if (place->signal.kind != MBS_SIGNAL_POSITION && place->signal.kind != MBS_SIGNAL_VELOCITY &&
        place->signal.kind != MBS_SIGNAL_ACCELERATION) {
      continue;
    }
    int a = 0;
    while (a < *form_count && form_of_argument[a] != place->signal.index) {
      ++a;
    }
    if (a == *form_count) {
      form_of_argument[a] = place->signal.index;
      (*forms)[a] = blueprint->signal_forms.items[place->signal.index];
      *form_count += 1;
    }
    place->argument = a;
  }
  return MBS_OK;
}

void mbs_input_values(const MbsSystem *system, const MbsState *state, int count, const MbsInputPlace *places,
                      const mbs_scalar *y, const mbs_scalar *v, const mbs_scalar *a, mbs_scalar *values) {
  for (int s = 0; s < count; ++s) {
    const MbsSignal *signal = &places[s].signal;
    int at = places[s].argument * system->dimension + signal->component;
    switch (signal->kind) {
      case MBS_SIGNAL_PARAMETER: values[s] = system->parameters[signal->index]; break;
      case MBS_SIGNAL_TIME: values[s] = state->t; break;
      case MBS_SIGNAL_POSITION: values[s] = y[at]; break;
      case MBS_SIGNAL_VELOCITY: values[s] = v[at]; break;
      case MBS_SIGNAL_ACCELERATION: values[s] = a[at]; break;
      case MBS_SIGNAL_TURN: values[s] = system->signals.turns[signal->index]; break;
      case MBS_SIGNAL_TABLE: values[s] = mbs_delta_value(system->work, signal->index); break;
      case MBS_SIGNAL_MULTIPLIER:
      case MBS_SIGNAL_BODY_FORCE:
      case MBS_SIGNAL_OBJECTIVE:
      case MBS_SIGNAL_ARGUMENT: break;  // never: see mbs_input_places
    }
  }
}

const int *mbs_scatter_block(int d, const mbs_scalar *left_ab, const mbs_scalar *right_ab, const mbs_scalar *G,
                             int stride, const int *map, mbs_scalar *values) {
  if (d == 2) {
    mbs_scalar a = left_ab[0], b = left_ab[1], aa = right_ab[0], bb = right_ab[1];
    mbs_scalar left[2][2];  // (a I + b J)' G
    for (int k = 0; k < 2; ++k) {
      left[0][k] = a * G[k] + b * G[stride + k];
      left[1][k] = a * G[stride + k] - b * G[k];
    }
    for (int r = 0; r < 2; ++r) {
      values[*map++] += left[r][0] * aa + left[r][1] * bb;
      values[*map++] += left[r][1] * aa - left[r][0] * bb;
    }
  } else {
    for (int r = 0; r < d; ++r) {
      for (int k = 0; k < d; ++k) {
        values[*map++] += left_ab[0] * G[r * stride + k] * right_ab[0];
      }
    }
  }
  return map;
}

MbsStatus mbs_place_block(const MbsEntries *entries, const MbsSystem *system, int left, int right, int *map) {
  for (int k = 0; k < system->dimension * system->dimension; ++k) {
    int r = mbs_system_free_component(system, left, k / system->dimension);
    int c = mbs_system_free_component(system, right, k % system->dimension);
    bool is_free = r >= 0 && c >= 0;
    MBS_TRY(mbs_entry(entries, is_free ? r : -1, is_free ? c : -1, &map[k]));
  }
  return MBS_OK;
}

int mbs_terms_of_forms(int count, const MbsLinearForm *forms) {
  int sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += forms[i].count;
  }
  return sum;
}
