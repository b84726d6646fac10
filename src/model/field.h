// Field tables: what may stand in a model file, said once.
//
// One table per kind of record (a body, a spring, an objective, ...) drives the reader, its checks and
// defaults, the JSON Schema, `mbsens list` and the tables in docs/. Tables hold no scalars of the build.
#ifndef MBS_FIELD_H
#define MBS_FIELD_H

#include <stdbool.h>

typedef enum MbsFieldKind {
  MBS_FIELD_INTEGER,        // a literal whole number
  MBS_FIELD_TEXT,           // free text
  MBS_FIELD_CHOICE,         // one of field.choices
  MBS_FIELD_NUMBER,         // expression of parameters: a property, can be differentiated
  MBS_FIELD_VECTOR,         // list of `dimension` such expressions
  MBS_FIELD_DIRECTION,      // the same, of a body's axes, or the name of one of its vectors: u, or -u
  MBS_FIELD_TURNING,        // one such expression in the plane; in space a list of 3, one for each axis
  MBS_FIELD_INERTIA,        // one such expression, or in space a list of 3 (xx yy zz) or 6 (and xy xz yz)
  MBS_FIELD_SIGNAL,         // expression of signals (positions, ...), time and parameters
  MBS_FIELD_SIGNAL_VECTOR,  // list of `dimension` such expressions, or one vector-valued expression
  MBS_FIELD_TORQUE,         // one such expression in the plane; in space a SIGNAL_VECTOR
  MBS_FIELD_BODY,           // name of a body
  MBS_FIELD_POINT,          // name of a point: body.point, or a bare point name
  MBS_FIELD_POINT_PAIR,     // list of two point names
  MBS_FIELD_POINT_NAMES,    // list of point names, or one text with commas between them
  MBS_FIELD_BODY_PAIR,      // list of two body names
  MBS_FIELD_JOINT_PAIR,     // list of two joint names
  MBS_FIELD_JOINT_NAMES,    // list of joint names, or one text with commas between them
  MBS_FIELD_NUMBER_LIST,    // list of any number of expressions of parameters; or one text: with commas between, or a
                            // name
  MBS_FIELD_NUMBER_ROWS,    // list of such lists of one length, kept row by row; or one text, semicolons between rows
  MBS_FIELD_RECORD,         // a mapping with the fields of field.record
  MBS_FIELD_NUMBER_MAP,     // name: expression of parameters
  MBS_FIELD_SIGNAL_MAP,     // name: expression of signals
  MBS_FIELD_VECTOR_MAP,     // name: vector
  MBS_FIELD_RECORD_MAP,     // name: mapping with the fields of field.record
  MBS_FIELD_RECORD_LIST,    // list of mappings with the fields of field.record
  MBS_FIELD_JOINT_LIST,     // list of elements of the joint registry
  MBS_FIELD_FORCE_LIST      // list of elements of the force registry
} MbsFieldKind;

// Checked on the value at the nominal parameters, when the model is compiled.
typedef enum MbsFieldCheck {
  MBS_CHECK_NONE,
  MBS_CHECK_POSITIVE,
  MBS_CHECK_NOT_NEGATIVE,
  MBS_CHECK_NOT_ZERO,  // of a vector: its length
  MBS_CHECK_FRACTION,  // 0 to 1
} MbsFieldCheck;

// What becomes of a value when an assembly is placed at p and mirrored, with S = diag(+-1) (templates, io/copy.c).
// Bodies are mirrored with their axes, so that R becomes S R S, a rotation again.
typedef enum MbsMirror {
  MBS_MIRROR_PLAIN,     // numbers stay; vectors (in body or global axes) S v; inertia S J S
  MBS_MIRROR_POSITION,  // a point in global axes: p + S v
  MBS_MIRROR_ANGULAR,   // an angle or torque, or proportional to one: a number det(S) x, a vector det(S) S v
  MBS_MIRROR_X_AXIS,    // a body's x axis as seen from another body: S v times the sign of S for x
  MBS_MIRROR_Y_AXIS,    // the same for y
  MBS_MIRROR_NONE       // stays, though it is a vector: one number for each axis
} MbsMirror;

struct MbsRecordType;

typedef struct MbsField {
  const char *name;
  MbsFieldKind kind;
  MbsFieldCheck check;
  MbsMirror mirror;
  bool is_second;  // of a DIRECTION: in the axes of the second body that field 0 names, not of the first
  bool is_required;
  bool is_short;  // of a RECORD_MAP: an entry may be the first field of its record alone; of a NUMBER_MAP: a name
                  // may stand alone, for {name: 1}
  const char *default_text;  // as one would write it ("0" fills a vector); NULL: stays absent
  const char *unit;          // NULL: none
  const char *summary;
  const char *const *choices;          // NULL-terminated, of MBS_FIELD_CHOICE
  const struct MbsRecordType *record;  // of the RECORD kinds
  const struct MbsSetting *setting;    // of the section simulation: model/settings.h
} MbsField;

// An element of a list (a joint, a force) is written {<type name>: <field 0>, <other fields>}, so its
// field 0 carries the type's own name; a record is written {<fields>}.
typedef struct MbsRecordType {
  const char *name;
  const char *summary;
  int field_count;
  const MbsField *fields;
} MbsRecordType;

#define MBS_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

#endif
