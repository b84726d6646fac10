// Inside the reader: templates and the assemblies made of them, on the YAML tree, so that the rest of the library sees
// an ordinary model.
//
//   template.c   the tables of what a file may hold besides, and the shape of templates
//   include.c    joins the files that `include` names into one tree
//   assembly.c   the tree of instances: which assemblies there are, their parameters, numbers and placement
//   reference.c  names of bodies, points and joints, as a template writes them, as names of the model
//   rewrite.c    texts of a template as texts of the model: parameters substituted, names prefixed, signals mirrored
//   writer.h     text that grows, for rewrite.c
//   copy.c       a section of a template as it is in an instance, by the field tables
//   expand.c     the sections of every instance, joined to those of the model
//
// An instance has a frame: what its template says in coordinates x stands in the model at p + S x with S = diag(+-1).
// Expressions of a template are meant in that frame too, so its signals are turned back: r becomes S (r - p).
#ifndef MBS_ASSEMBLY_H
#define MBS_ASSEMBLY_H

#include "expressions/graph.h"
#include "io/reader.h"

enum {
  MBS_ASSEMBLY_DEEPEST = 8,             // templates inside templates
  MBS_ASSEMBLY_MOST_INSTANCES = 50000,  // of all templates together
  MBS_ASSEMBLY_LONGEST_CHAIN = 32       // of names that stand for each other
};

// What a file may hold besides the sections of a model: include, constants, templates, assemblies. For the schema,
// `list` and messages.
enum { MBS_FILE_INCLUDE, MBS_FILE_CONSTANTS, MBS_FILE_TEMPLATES, MBS_FILE_ASSEMBLIES };
extern const MbsRecordType mbs_file_type;
// A template has a section of its own, these of the model, and assemblies.
enum { MBS_TEMPLATE_PARAMETERS, MBS_TEMPLATE_ASSEMBLIES };
enum { MBS_TEMPLATE_SECTION_COUNT = 16 };
extern const int mbs_template_sections[MBS_TEMPLATE_SECTION_COUNT];  // fields of mbs_model_type
enum {
  MBS_ASSEMBLY_TEMPLATE,
  MBS_ASSEMBLY_NAME,
  MBS_ASSEMBLY_WITH,
  MBS_ASSEMBLY_AT,
  MBS_ASSEMBLY_MIRROR,
  MBS_ASSEMBLY_REPEAT,
  MBS_ASSEMBLY_FIRST
};

extern const MbsRecordType mbs_assembly_type;

typedef struct MbsInstance MbsInstance;

// A name that stands for a text: a parameter of a template, the number i of an instance, or a constant.
typedef struct MbsFormal {
  const char *name;
  MbsText text;              // as written: an expression, or a name of something
  const MbsInstance *scope;  // where it is written
  const char *value;         // as an expression of the model; NULL: not made yet
  bool is_being_made;
} MbsFormal;

// What one entry of `assemblies` makes.
typedef struct MbsGroup {
  MbsText name;
  bool is_repeated;
  int first, count;  // the instances are number first ... first + count - 1
  MbsInstance *instances;
} MbsGroup;

struct MbsInstance {
  const MbsInstance *outer;  // the instance it stands in; NULL: this is the model
  const char *prefix;        // of its names: "left_"; empty for the model
  const MbsYaml *sections;   // of the template, or the root
  int depth;
  int formal_count;
  MbsFormal *formals;
  int group_count;
  MbsGroup *groups;
  bool is_shifted, is_mirrored;
  int sign[3];           // S
  int parity;            // det(S)
  const char *shift[3];  // p, expressions of the model
};

typedef struct MbsExpansion {
  const MbsReader *reader;
  MbsInstance *model;
  const MbsYaml *templates;  // NULL: none
  MbsGraph *graph;           // of whole numbers
  int instance_count, node_count;
  int depth;  // of names that stand for each other
} MbsExpansion;

// ---- template.c ----
// Every template, used or not, has the shape it must have.
MbsStatus mbs_template_check(const MbsReader *reader, const MbsYaml *template);
// Fails where this cannot be the name of a parameter, a coordinate or a variable of a template, or of a constant.
MbsStatus mbs_template_check_name(const MbsReader *reader, const MbsWhere *where, MbsText name);

// Fails where a coordinate or a variable in these sections has the name: expressions could not tell them apart.
MbsStatus mbs_template_refuse_number(const MbsReader *reader, const MbsWhere *where, const MbsYaml *sections,
                                     MbsText name);

// ---- include.c ----
// The root with all that its includes bring; itself where it includes nothing.
MbsStatus mbs_include_resolve(const MbsReader *reader, const MbsYaml *root, const MbsYaml **joined);

// ---- assembly.c ----
// All instances of the model, their sections still as in the template.
MbsStatus mbs_assembly_create(MbsExpansion *expansion, const MbsYaml *root);
const MbsGroup *mbs_assembly_find(const MbsInstance *instance, const char *name);
// A whole number made of constants and of the numbers of instances.
MbsStatus mbs_assembly_integer(MbsExpansion *expansion, const MbsInstance *scope, const char *owner, MbsText text,
                               int *number);

// ---- rewrite.c ----
// Which words of an expression have a meaning of their own where it stands.
typedef enum MbsExpressionUse {
  MBS_EXPRESSION_PLAIN,
  MBS_EXPRESSION_LAW,          // of a force: length, displacement, angle, rate
  MBS_EXPRESSION_REVERSED_LAW  // the same where a mirror changes the sign of them all
} MbsExpressionUse;
// The result is the text itself where nothing changes.
MbsStatus mbs_rewrite_expression(MbsExpansion *expansion, const MbsInstance *scope, MbsExpressionUse use, MbsText text,
                                 const char **result);
// The body of a function, key f(x, y), in which its arguments mean nothing else.
MbsStatus mbs_rewrite_body(MbsExpansion *expansion, const MbsInstance *scope, const char *key, MbsText text,
                           const char **result);
MbsStatus mbs_rewrite_formal(MbsExpansion *expansion, MbsFormal *formal, const char **value);

// ---- reference.c ----
// What a reference names.
typedef enum MbsReferenceKind {
  MBS_REFERENCE_THING,       // a body, joint, force or objective if there is one, else a point
  MBS_REFERENCE_POINT,       // body.point, or a point by its name alone
  MBS_REFERENCE_VECTOR,      // body.vector
  MBS_REFERENCE_COORDINATE,  // a coordinate of the model's own
  MBS_REFERENCE_VARIABLE,
  MBS_REFERENCE_EVENT,
} MbsReferenceKind;
MbsStatus mbs_rewrite_reference(MbsExpansion *expansion, const MbsInstance *scope, MbsReferenceKind kind, MbsText text,
                                const char **result);
// The instance around a text that has a function of this name; NULL: none has.
const MbsInstance *mbs_reference_function_owner(const MbsInstance *scope, const char *name, size_t length);
// The instance around a text that has a coordinate or a variable of this name; NULL: none has.
const MbsInstance *mbs_reference_number_owner(const MbsInstance *scope, const char *name, size_t length);

// Fails where the angle of this joint has no mirror image, or where this force is a torsional spring without one.
MbsStatus mbs_reference_check_angle(MbsExpansion *expansion, const MbsInstance *scope, MbsText joint);
MbsStatus mbs_reference_check_twist(const MbsExpansion *expansion, const MbsInstance *instance, const MbsYaml *element);

// ---- copy.c ----
// A copy of one node, which counts; its children are still those of the original.
MbsStatus mbs_copy_node(MbsExpansion *expansion, const MbsYaml *node, MbsYaml **made);
// Makes what a copied node holds the instance's own, and puts it in the instance's place. Where its kind is not what
// the field wants it stays as it is: the reader says so.
MbsStatus mbs_copy_value(MbsExpansion *expansion, const MbsInstance *instance, const MbsField *field, MbsYaml *node);
MbsStatus mbs_copy_record(MbsExpansion *expansion, const MbsInstance *instance, const MbsRecordType *type,
                          MbsYaml *node);

// ---- expand.c ----
// The root with all assemblies in its sections; itself where there is nothing to do.
MbsStatus mbs_expand(const MbsReader *reader, const MbsYaml *root, const MbsYaml **expanded);

#endif
