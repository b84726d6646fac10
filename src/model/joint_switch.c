// Joints that come and go: those that an event adds or removes.
//
// Whether such a joint acts is a number, 1 or 0: a hidden parameter that events set, as they set variables, and that
// holds between them. Its equations are rows of their own, whatever the coordinates (points and directions that it
// brings together are not shared, and it carries no tree), and a row of a joint that does not act rests: e = -lambda
// (terms/row_evaluate.c). So sizes and patterns are those of all joints together, and whatever follows the hidden
// parameters, histories, checkpoints, the way back, follows the joints.
#include <string.h>

#include "base/names.h"
#include "model/joint_tree.h"

typedef MbsStatus (*NameFunction)(MbsContext *context, MbsBlueprint *blueprint, int joint, MbsText name, void *data);

// the joint of a name
static MbsStatus find_joint(MbsContext *context, const MbsBlueprint *blueprint, const char *owner, MbsText name,
                            int *found) {
  const MbsValue *joints = mbs_record_value(&blueprint->model->root, MBS_MODEL_JOINTS);
  const char *nearest = NULL;
  for (int i = 0; i < joints->count; ++i) {
    if (strcmp(joints->records[i].name.text, name.text) == 0) {
      *found = i;
      return MBS_OK;
    }
    mbs_name_nearest(name.text, joints->records[i].name.text, &nearest);
  }
  return mbs_fail(context, MBS_ERROR_INPUT, name.place, "%s: no joint \"%s\"%s%s%s", owner, name.text,
                  nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

// every joint of a field: a list of names, or one text with commas between them
static MbsStatus each_joint(MbsContext *context, MbsBlueprint *blueprint, const char *owner, const MbsValue *list,
                            NameFunction function, void *data) {
  for (int i = 0; i < list->count; ++i) {
    const char *text = list->texts[i].text;
    while (*text) {
      text += strspn(text, ", ");
      size_t length = strcspn(text, ","), used = length;
      while (used > 0 && text[used - 1] == ' ') {
        --used;
      }
      MbsText name = {.text = mbs_arena_print(blueprint->arena, "%.*s", (int)used, text),
                      .place = list->texts[i].place};
      text += length;
      int joint = 0;
      if (!name.text) {
        return mbs_fail(context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
      }
      if (used > 0) {
        MBS_TRY(find_joint(context, blueprint, owner, name, &joint));
        MBS_TRY(function(context, blueprint, joint, name, data));
      }
    }
  }
  return MBS_OK;
}

// ---- which ----
// is_added: by joint, of the field `add`; else NULL
static MbsStatus add_switch(MbsContext *context, MbsBlueprint *blueprint, int joint, MbsText name, void *is_added) {
  int *parameter = &blueprint->switches[joint];
  if (is_added) {
    ((bool *)is_added)[joint] = true;
  }
  if (*parameter > 0) {
    return MBS_OK;
  }
  if (blueprint->switch_count == MBS_MOST_SWITCHES) {
    return mbs_fail(context, MBS_ERROR_NOT_OFFERED, name.place, "more than %d joints that come and go are not offered",
                    MBS_MOST_SWITCHES);
  }
  *parameter = blueprint->parameters.count;
  blueprint->switch_count += 1;
  MBS_APPEND(context, blueprint->arena, &blueprint->parameters, (MbsParameter){.name = "(joint)", .nominal = 1});
  return mbs_signal_add(context, blueprint, (MbsSignal){.kind = MBS_SIGNAL_PARAMETER, .index = *parameter},
                        &blueprint->parameters.items[*parameter].node);
}

static MbsStatus leave_out(MbsContext *context, MbsBlueprint *blueprint, int joint, MbsText name, void *is_added) {
  if (!((const bool *)is_added)[joint]) {
    return mbs_fail(context, MBS_ERROR_INPUT, name.place,
                    "inactive: no event adds joint \"%s\"; without one it would never act: leave it out of the model",
                    name.text);
  }
  blueprint->parameters.items[blueprint->switches[joint]].nominal = 0;
  return MBS_OK;
}

static const char *owner_of(const MbsBlueprint *blueprint, const MbsRecord *event) {
  const char *owner = mbs_arena_print(blueprint->arena, "event \"%s\"", event->name.text);
  return owner ? owner : event->name.text;
}

MbsStatus mbs_switches_read(MbsContext *context, MbsBlueprint *blueprint) {
  const MbsRecord *root = &blueprint->model->root, *initial = mbs_record_child(root, MBS_MODEL_INITIAL);
  const MbsValue *events = mbs_record_value(root, MBS_MODEL_EVENTS);
  const int fields[] = {MBS_EVENT_ADD, MBS_EVENT_REMOVE};
  bool *is_added;
  MBS_TAKE(context, blueprint->arena, blueprint->switches, mbs_record_value(root, MBS_MODEL_JOINTS)->count);
  MBS_TAKE(context, blueprint->arena, is_added, mbs_record_value(root, MBS_MODEL_JOINTS)->count);
  for (int i = 0; i < MBS_COUNT(fields) * events->count; ++i) {
    const MbsRecord *event = &events->records[i / MBS_COUNT(fields)];
    const MbsValue *list = mbs_record_value(event, fields[i % MBS_COUNT(fields)]);
    bool is_add = fields[i % MBS_COUNT(fields)] == MBS_EVENT_ADD;
    MBS_TRY(each_joint(context, blueprint, owner_of(blueprint, event), list, add_switch, is_add ? is_added : NULL));
  }
  return each_joint(context, blueprint, "inactive", mbs_record_value(initial, MBS_INITIAL_INACTIVE), leave_out,
                    is_added);
}

// ---- what events do to them ----
typedef struct Switching {
  MbsEventSpec *event;
  bool acts;
} Switching;

static MbsStatus append(MbsContext *context, MbsBlueprint *blueprint, int joint, MbsText name, void *data) {
  const Switching *s = data;
  int parameter = blueprint->switches[joint];
  for (int i = 0; i < s->event->switch_count; ++i) {
    if (s->event->switches[i].parameter == parameter) {
      return mbs_fail(context, MBS_ERROR_INPUT, name.place, "event \"%s\" names joint \"%s\" twice", s->event->name,
                      name.text);
    }
  }
  s->event->switches[s->event->switch_count++] = (MbsJointSwitch){.parameter = parameter, .acts = s->acts};
  return MBS_OK;
}

MbsStatus mbs_event_read_switches(MbsContext *context, MbsBlueprint *blueprint, const MbsRecord *record,
                                  MbsEventSpec *event) {
  const char *owner = owner_of(blueprint, record);
  MBS_TAKE(context, blueprint->arena, event->switches, blueprint->switch_count);
  MBS_TRY(each_joint(context, blueprint, owner, mbs_record_value(record, MBS_EVENT_ADD), append,
                     &(Switching){.event = event, .acts = true}));
  return each_joint(context, blueprint, owner, mbs_record_value(record, MBS_EVENT_REMOVE), append,
                    &(Switching){.event = event});
}

// ---- for those that make their equations ----
int mbs_switch_of(const MbsBlueprint *blueprint, const MbsRecord *joint) {
  return blueprint->switches[mbs_joint_index(blueprint, joint)];
}

bool mbs_switch_acts_at_start(const MbsBlueprint *blueprint, const MbsRecord *joint) {
  int parameter = mbs_switch_of(blueprint, joint);
  return parameter == 0 || blueprint->parameters.items[parameter].nominal > 0;
}

void mbs_switches_mark_rows(MbsBlueprint *blueprint) {
  for (int i = 0; i < blueprint->rows.count; ++i) {
    MbsRowSpec *row = &blueprint->rows.items[i];
    row->switched = row->joint ? mbs_switch_of(blueprint, row->joint) : 0;
  }
}
