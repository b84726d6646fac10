#include "model/blueprint.h"

MbsStatus mbs_form_of_entity(MbsContext *context, MbsBlueprint *blueprint, int entity, int body, MbsForm *form) {
  MbsFormTerm *term;
  MBS_TAKE(context, blueprint->arena, term, 1);
  term->entity = entity;
  term->body = body;
  term->a = mbs_graph_constant(blueprint->graph, 1);
  term->b = mbs_graph_constant(blueprint->graph, 0);
  *form = (MbsForm){.count = 1, .terms = term};
  return MBS_OK;
}

// adds scale * term to the collected terms
static void collect(MbsGraph *graph, MbsNode scale, const MbsFormTerm *term, MbsFormTerm *terms, int *count) {
  MbsNode a = mbs_graph_multiply(graph, scale, term->a);
  MbsNode b = mbs_graph_multiply(graph, scale, term->b);
  for (int i = 0; i < *count; ++i) {
    if (terms[i].entity == term->entity && terms[i].body == term->body) {
      terms[i].a = mbs_graph_add(graph, terms[i].a, a);
      terms[i].b = mbs_graph_add(graph, terms[i].b, b);
      return;
    }
  }
  terms[(*count)++] = (MbsFormTerm){.entity = term->entity, .body = term->body, .a = a, .b = b};
}

MbsStatus mbs_form_combine(MbsContext *context, MbsBlueprint *blueprint, MbsNode scale_a, const MbsForm *A,
                           MbsNode scale_b, const MbsForm *B, MbsForm *form) {
  MbsGraph *graph = blueprint->graph;
  MbsFormTerm *terms;
  MBS_TAKE(context, blueprint->arena, terms, A->count + B->count);
  int collected = 0;
  for (int i = 0; i < A->count; ++i) {
    collect(graph, scale_a, &A->terms[i], terms, &collected);
  }
  for (int i = 0; i < B->count; ++i) {
    collect(graph, scale_b, &B->terms[i], terms, &collected);
  }
  // drop structural zeros
  int count = 0;
  for (int i = 0; i < collected; ++i) {
    if (!(mbs_graph_is_constant(graph, terms[i].a, 0) && mbs_graph_is_constant(graph, terms[i].b, 0))) {
      terms[count++] = terms[i];
    }
  }
  *form = (MbsForm){.count = count, .terms = terms};
  return MBS_OK;
}

MbsStatus mbs_form_subtract(MbsContext *context, MbsBlueprint *blueprint, const MbsForm *A, const MbsForm *B,
                            MbsForm *form) {
  return mbs_form_combine(context, blueprint, mbs_graph_constant(blueprint->graph, 1), A,
                          mbs_graph_constant(blueprint->graph, -1), B, form);
}

MbsStatus mbs_form_turn(MbsContext *context, MbsBlueprint *blueprint, const MbsForm *A, MbsForm *form) {
  MBS_CHECK(context, blueprint->dimension == 2);
  MbsFormTerm *terms;
  MBS_TAKE(context, blueprint->arena, terms, A->count);
  for (int i = 0; i < A->count; ++i) {
    // J (a I + b J) = -b I + a J
    terms[i] = A->terms[i];
    terms[i].a = mbs_graph_negate(blueprint->graph, A->terms[i].b);
    terms[i].b = A->terms[i].a;
  }
  *form = (MbsForm){.count = A->count, .terms = terms};
  return MBS_OK;
}

MbsStatus mbs_form_of_body(MbsContext *context, MbsBlueprint *blueprint, const MbsForm *A, int body, MbsForm *form) {
  MbsFormTerm *terms;
  MBS_TAKE(context, blueprint->arena, terms, A->count);
  int count = 0;
  for (int i = 0; i < A->count; ++i) {
    if (A->terms[i].body == body) {
      terms[count++] = A->terms[i];
    }
  }
  *form = (MbsForm){.count = count, .terms = terms};
  return MBS_OK;
}

MbsStatus mbs_form_of_point(MbsContext *context, MbsBlueprint *blueprint, MbsPointReference point, MbsForm *form) {
  return blueprint->place_point(context, blueprint, point, form);
}

MbsStatus mbs_form_of_direction(MbsContext *context, MbsBlueprint *blueprint, const MbsDirection *direction,
                                MbsForm *form) {
  return blueprint->place(context, blueprint, direction->body, direction->local, false, form);
}

bool mbs_form_is_equal(const MbsForm *A, const MbsForm *B) {
  if (A->count != B->count) {
    return false;
  }
  for (int i = 0; i < A->count; ++i) {
    if (A->terms[i].entity != B->terms[i].entity || A->terms[i].a != B->terms[i].a || A->terms[i].b != B->terms[i].b) {
      return false;
    }
  }
  return true;
}

bool mbs_form_is_same(const MbsForm *A, const MbsForm *B) {
  if (!mbs_form_is_equal(A, B)) {
    return false;
  }
  for (int i = 0; i < A->count; ++i) {
    if (A->terms[i].body != B->terms[i].body) {
      return false;
    }
  }
  return true;
}
