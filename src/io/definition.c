#include "io/definition.h"

#include <stdio.h>

#include "model/force.h"
#include "model/joint.h"
#include "model/model.h"

enum { NAME_ROOM = 80 };

// ---- fields ----

const char *mbs_definition_member(const MbsDefinition *definition, int field) {
  const MbsField *first = &definition->record->fields[field];
  if (!definition->is_element || field > 0) {
    return first->name;
  }
  switch (first->kind) {
    case MBS_FIELD_POINT_PAIR:
    case MBS_FIELD_BODY_PAIR: return "ends";
    case MBS_FIELD_POINT: return "point";
    case MBS_FIELD_BODY: return "body";
    case MBS_FIELD_SIGNAL: return "expression";
    default: return "subject";
  }
}

int mbs_definition_room(MbsFieldKind kind) {
  switch (kind) {
    case MBS_FIELD_VECTOR:
    case MBS_FIELD_DIRECTION:
    case MBS_FIELD_SIGNAL_VECTOR:
    case MBS_FIELD_TORQUE: return 3;
    case MBS_FIELD_INERTIA: return 6;
    case MBS_FIELD_POINT_PAIR:
    case MBS_FIELD_BODY_PAIR: return 2;
    default: return 1;
  }
}

// ---- the tables ----

typedef struct Walk {
  void (*visit)(void *user, const MbsDefinition *definition);
  void *user;
} Walk;

static void visit(const Walk *walk, const MbsDefinition *definition) { walk->visit(walk->user, definition); }

// The lists that every entry of a map has.
static void walk_lists(const Walk *walk, const MbsRecordType *type, const char *path) {
  for (int i = 0; i < type->field_count; ++i) {
    char section[2 * NAME_ROOM];
    (void)snprintf(section, sizeof section, "%s.%s", path, type->fields[i].name);
    if (type->fields[i].kind == MBS_FIELD_RECORD_LIST) {
      visit(walk, &(MbsDefinition){.record = type->fields[i].record, .section = section, .owner = type->name});
    }
  }
}

// The entries of a section of the model and of the sections in it.
static void walk_sections(const Walk *walk, const MbsRecordType *type, const char *path) {
  for (int i = 0; i < type->field_count; ++i) {
    const MbsField *field = &type->fields[i];
    char section[NAME_ROOM];
    (void)snprintf(section, sizeof section, "%s%s%s", path, path[0] ? "." : "", field->name);
    MbsDefinition definition = {.record = field->record, .section = section};
    switch (field->kind) {
      case MBS_FIELD_RECORD: walk_sections(walk, field->record, section); break;
      case MBS_FIELD_RECORD_MAP:
        if (field == &mbs_model_type.fields[MBS_MODEL_PARAMETERS]) {
          break;  // these have calls of their own: mbs_model_add_parameter, mbs_model_set_range
        }
        definition.has_name = definition.needs_name = true;
        visit(walk, &definition);
        walk_lists(walk, field->record, section);
        break;
      case MBS_FIELD_RECORD_LIST: visit(walk, &definition); break;
      case MBS_FIELD_JOINT_LIST:
        definition.is_element = definition.is_joint = definition.has_name = true;
        for (int k = 0; mbs_joint_types[k]; ++k) {
          definition.record = &mbs_joint_types[k]->record;
          visit(walk, &definition);
        }
        break;
      case MBS_FIELD_FORCE_LIST:
        definition.is_element = definition.has_name = true;
        for (int k = 0; mbs_force_types[k]; ++k) {
          definition.record = &mbs_force_types[k]->record;
          visit(walk, &definition);
        }
        break;
      default: break;
    }
  }
}

void mbs_definition_each(void (*visit_one)(void *user, const MbsDefinition *definition), void *user) {
  walk_sections(&(Walk){.visit = visit_one, .user = user}, &mbs_model_type, "");
}
