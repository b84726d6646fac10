#include "io/catalogue.h"

#include <mbsens/mbsens.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "expressions/parse.h"
#include "formulations/formulation.h"
#include "io/assembly.h"
#include "io/header.h"
#include "io/page.h"
#include "io/python.h"
#include "io/schema.h"
#include "model/blueprint.h"
#include "model/force.h"
#include "model/joint.h"
#include "model/model.h"

// ---- joints and forces ----

static void put_element(const MbsPage *page, const MbsRecordType *type) {
  mbs_page_heading(page, 3, type->name);
  mbs_page_paragraph(page, 2, type->summary);
  // how it is written, with what it cannot do without
  (void)fputs(page->is_markdown ? "```yaml\n- {" : "  - {", page->out);
  const char *separator = "";
  for (int i = 0; i < type->field_count; ++i) {
    if (i == 0 || type->fields[i].is_required) {
      char kind[MBS_PAGE_CELL];
      mbs_page_describe_kind(&type->fields[i], kind);
      (void)fprintf(page->out, "%s%s: %s", separator, type->fields[i].name, kind);
      separator = ", ";
    }
  }
  (void)fputs(page->is_markdown ? "}\n```\n\n" : "}\n\n", page->out);
  mbs_page_fields(page, type);
}

static void put_joints(const MbsPage *page) {
  for (int i = 0; mbs_joint_types[i]; ++i) {
    put_element(page, &mbs_joint_types[i]->record);
  }
}

static void put_forces(const MbsPage *page) {
  for (int i = 0; mbs_force_types[i]; ++i) {
    put_element(page, &mbs_force_types[i]->record);
  }
}

// What the words in the column "value" mean.
static void put_legend(const MbsPage *page) {
  static const MbsPageEntry kinds[] = {
      {"number", "a number or an expression of parameters, such as 2*L or sqrt(5)"},
      {"expression", "may use signals, such as r(P2).x, and time as well: see mbsens list functions"},
      {"vector expression", "a list of two expressions, or one whose value is a vector"},
      {"vector", "[x, y], in space [x, y, z]: a list of numbers"},
      {"vector or name",
       "the same, or the name of a vector of the body whose axes are meant: u, or -u for the opposite"},
      {"point",
       "body.point, ground.point, or a point's name alone where it can only be one point; left.body.point of assembly "
       "left, cell(2).body.point of a repeated one"},
      {"body", "the name of a body, or ground"},
      {"name", "letters, digits and _, not starting with a digit; joints and forces may be given one: name: left"},
  };
  mbs_page_entries(page, "value", MBS_COUNT(kinds), kinds);
}

// ---- sections ----

enum { MOST_SECTIONS = 32 };
typedef struct Seen {
  int count;
  const MbsRecordType *types[MOST_SECTIONS];
} Seen;

// The table of a record, then those of the records in it, each once.
static void put_section(const MbsPage *page, const char *title, const MbsRecordType *type, Seen *seen) {
  for (int i = 0; i < seen->count; ++i) {
    if (seen->types[i] == type) {
      return;
    }
  }
  if (seen->count == MOST_SECTIONS) {
    mbs_broken_keep(page->broken, MBS_BROKEN("seen->count < MOST_SECTIONS"));
    return;
  }
  seen->types[seen->count++] = type;
  mbs_page_heading(page, 3, title);
  mbs_page_paragraph(page, 2, type->summary);
  if (!page->is_markdown) {
    (void)fputc('\n', page->out);
  }
  mbs_page_fields(page, type);
  for (int i = 0; i < type->field_count; ++i) {
    const MbsField *field = &type->fields[i];
    if (field->record) {
      put_section(page, field->record->name, field->record, seen);
    }
  }
}

static void put_sections(const MbsPage *page) {
  Seen seen = {.count = 0};
  put_section(page, mbs_model_type.name, &mbs_model_type, &seen);
  put_section(page, mbs_file_type.name, &mbs_file_type, &seen);
}

// ---- the short lists ----

static void put_formulations(const MbsPage *page) {
  MbsPageEntry entries[64];
  char marked[256];
  int count = 0;
  for (; count < MBS_COUNT(entries) && mbs_formulation_types[count]; ++count) {
    const MbsFormulationType *type = mbs_formulation_types[count];
    entries[count] = (MbsPageEntry){type->name, type->summary};
    if (strcmp(type->name, MBS_DEFAULT_FORMULATION) == 0) {
      (void)snprintf(marked, sizeof marked, "%s (the default)", type->summary);
      entries[count].summary = marked;
    }
  }
  mbs_page_entries(page, "formulation", count, entries);
}

static void put_coordinates(const MbsPage *page) {
  static const MbsPageEntry entries[] = {
      {"natural", "Cartesian components of points and unit vectors, shared by the bodies that meet there"},
      {"relative", "what each joint of a tree lets its body do; loops are cut and closed by constraints"},
  };
  mbs_page_entries(page, "coordinates", MBS_COUNT(entries), entries);
}

static void put_integrators(const MbsPage *page) {
  static const MbsPageEntry entries[] = {
      {"trapezoidal", "implicit trapezoidal rule (Newmark, beta 1/4, gamma 1/2): second order, no numerical damping"},
      {"newmark", "Newmark's rule with any beta and gamma; damps where gamma is above 1/2, which costs an order"},
      {"generalised-alpha", "second order, damps the highest frequencies: to the spectral radius in each step"},
      {"dormand-prince-5",
       "explicit Runge-Kutta method of order 5, six stages: for matrix-r, index1, penalty and ali1"},
      {"dormand-prince-8",
       "explicit Runge-Kutta method of order 8, twelve stages: for matrix-r, index1, penalty and ali1"},
      {"radau-3", "implicit Runge-Kutta method Radau IIA of order 3, two stages: for all but matrix-r"},
      {"radau-5", "implicit Runge-Kutta method Radau IIA of order 5, three stages: for all but matrix-r"},
  };
  mbs_page_entries(page, "integrator", MBS_COUNT(entries), entries);
}

static void put_methods(const MbsPage *page) {
  // where generated pages must not differ, they do not say which
  bool is_said = !page->is_markdown, is_built_in = mbs_sundials_version() != NULL;
  char forward[160], adjoint[160];
  const char *where = !is_said      ? "where SUNDIALS is built in"
                      : is_built_in ? "built in"
                                    : "NOT built in: make test-all";
  (void)snprintf(forward, sizeof forward,
                 "SUNDIALS integrates the equations of motion and their sensitivities, with its own steps (%s)", where);
  (void)snprintf(adjoint, sizeof adjoint, "the same with adjoint equations backwards (%s)", where);
  const MbsPageEntry entries[] = {
      {"direct", "differentiates every step together with the simulation: the exact derivative of what was computed"},
      {"adjoint", "one sweep backwards over the steps: exact too, at a cost that does not grow with the parameters"},
      {"adjoint-continuous",
       "integrates the adjoint equations of penalty or matrix-r backwards: off by the error of the step, h^2"},
      {"complex-step", "repeats the run in complex numbers, once per parameter: exact to rounding, for comparison"},
      {"finite-difference", "repeats the run with one parameter after the other a little changed: half the digits"},
      {"cvodes-forward, idas-forward", forward},
      {"cvodes-adjoint, idas-adjoint", adjoint},
  };
  mbs_page_entries(page, "method", MBS_COUNT(entries), entries);
}

static void put_derivatives(const MbsPage *page) {
  static const MbsPageEntry entries[] = {
      {"analytical", "the written formulas: fastest, exact"},
      {"automatic", "the complex step, term by term: exact to rounding, from nothing but the terms themselves"},
      {"numerical", "central differences, term by term: some nine digits"},
  };
  mbs_page_entries(page, "derivatives", MBS_COUNT(entries), entries);
}

// constants, unless the model has a name of its own like that
static void put_units(const MbsPage *page) {
  MbsPageEntry units[64];
  int count = 0;
  mbs_page_heading(page, 3, "Units, as factors: 35*deg");
  for (const MbsFunctionHelp *help = mbs_unit_help; help->name && count < MBS_COUNT(units); ++help) {
    units[count++] = (MbsPageEntry){help->name, help->summary};
  }
  mbs_page_entries(page, "unit", count, units);
}

static void put_functions(const MbsPage *page) {
  static const MbsPageEntry operators[] = {
      {"+  -  *  /  ^", "^ is a power and binds tightest; + and - take vectors too, * and / a vector and a number"},
      {"<  <=  >  >=", "comparisons of numbers: 1 or 0"},
      {"[x, y]", "a vector, whose components are .x and .y"},
      {"pi", "3.14159..."},
      {"d(f, x)", "derivative of a function f, of the model or built in; d(f, 2, x, y) by its second argument"},
  };
  mbs_page_heading(page, 3, "Signals, in objectives, force laws and independent coordinates");
  MbsPageEntry signals[32];
  int signal_count = 0;
  for (const MbsFunctionHelp *help = mbs_signal_help; help->name && signal_count < MBS_COUNT(signals); ++help) {
    signals[signal_count++] = (MbsPageEntry){help->name, help->summary};
  }
  mbs_page_entries(page, "signal", signal_count, signals);
  mbs_page_heading(page, 3, "Operators and constants");
  mbs_page_entries(page, "operator", MBS_COUNT(operators), operators);
  put_units(page);
  mbs_page_heading(page, 3, "Functions");
  char names[64][MBS_PAGE_CELL];
  MbsPageEntry entries[64];
  int count = 0;
  for (const MbsFunctionHelp *help = mbs_function_help; help->name && count < MBS_COUNT(entries); ++help) {
    // "atan2(y, x): what it is" in two columns
    const char *colon = strstr(help->summary, ": ");
    (void)snprintf(names[count], MBS_PAGE_CELL, "%.*s", colon ? (int)(colon - help->summary) : (int)strlen(help->name),
                   colon ? help->summary : help->name);
    entries[count] = (MbsPageEntry){names[count], colon ? colon + 2 : help->summary};
    ++count;
  }
  mbs_page_entries(page, "function", count, entries);
}

// Everything a model file may contain, on one page.
static void put_elements(const MbsPage *page) {
  mbs_page_heading(page, 1, "What a model file may contain");
  if (page->is_markdown) {
    mbs_page_paragraph(
        page, 0,
        "Made by `mbsens list elements --markdown` from the field tables that the reader itself uses: do "
        "not edit. [model-file.md](model-file.md) explains the language with an example.");
  }
  put_legend(page);
  mbs_page_heading(page, 2, "Sections");
  put_sections(page);
  mbs_page_heading(page, 2, "Joints");
  put_joints(page);
  mbs_page_heading(page, 2, "Forces");
  put_forces(page);
  mbs_page_heading(page, 2, "Expressions");
  put_functions(page);
  mbs_page_heading(page, 2, "Simulation");
  put_formulations(page);
  put_coordinates(page);
  put_integrators(page);
}

static void put_schema(const MbsPage *page) { mbs_schema_write(page->out); }

static void put_header(const MbsPage *page) { mbs_header_write(page->out); }

static void put_python(const MbsPage *page) { mbs_python_write(page->out); }

// ---- settings ----

static void put_settings(const MbsPage *page) {
  const MbsRecordType of_requests = {
      "request",
      "what is asked of a run",
      mbs_settings_count - MBS_SIMULATION_COUNT,
      mbs_settings + MBS_SIMULATION_COUNT,
  };
  mbs_page_heading(page, 3, "Of model files (section simulation), of requests and of the command");
  mbs_page_fields(page, &mbs_simulation_type);
  mbs_page_heading(page, 3, "Of requests and of the command alone");
  mbs_page_fields(page, &of_requests);
}

// ---- topics ----

#define TOPIC_LIST(X) \
  X(joints)           \
  X(forces)           \
  X(formulations)     \
  X(coordinates)      \
  X(integrators)      \
  X(methods)          \
  X(derivatives)      \
  X(settings)         \
  X(functions)        \
  X(units)            \
  X(sections)         \
  X(elements)         \
  X(schema)           \
  X(header)           \
  X(python)

#define TOPIC_NAME(topic) #topic,
const char *const mbs_catalogue_topics[] = {TOPIC_LIST(TOPIC_NAME) NULL};
#undef TOPIC_NAME

MbsStatus mbs_catalogue_print(MbsContext *context, FILE *out, const char *what, bool markdown) {
#define TOPIC_PRINT(topic) put_##topic,
  static void (*const print[])(const MbsPage *) = {TOPIC_LIST(TOPIC_PRINT)};
#undef TOPIC_PRINT
  for (int i = 0; mbs_catalogue_topics[i]; ++i) {
    if (strcmp(mbs_catalogue_topics[i], what) == 0) {
      MbsBroken broken = {.condition = NULL};
      print[i](&(MbsPage){.out = out, .is_markdown = markdown, .broken = &broken});
      return broken.condition ? mbs_fail_broken(context, broken) : MBS_OK;
    }
  }
  const char *nearest = NULL;
  for (int i = 0; mbs_catalogue_topics[i]; ++i) {
    mbs_name_nearest(what, mbs_catalogue_topics[i], &nearest);
  }
  return nearest ? mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere, "list: unknown topic \"%s\", did you mean %s?", what,
                            nearest)
                 : mbs_fail(context, MBS_ERROR_INPUT, mbs_nowhere,
                            "list: unknown topic \"%s\"; mbsens list prints the topics", what);
}
