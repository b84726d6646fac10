// Tyre property files: the format of Adams' PAC2002, as other programs write it too.
//
//   [SECTION]                          NAME = number $ comment, or NAME = 'text'
//   ! comment, $ comment, {heading}    of a section of columns ([SHAPE]), whose numbers have no name and are passed
//   over
//
// Numbers become parameters under their names. [UNITS] says what they are in: those with a dimension are turned into SI
// units; all others of PAC2002 are pure numbers, in radians where they multiply angles.
#include "io/tir.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "io/csv_file.h"

// ---- what PAC2002 knows ----

// 1 where the file does not give them
static const char scaling_factors[] =
    " LFZO LCX LMUX LEX LKX LHX LVX LGAX LCY LMUY LEY LKY LHY LVY LGAY LTR LRES LGAZ LXAL LYKA LVYKA LS LMX LVMX LMY "
    "LSGKP"
    " LSGAL ";
// 0 where the file does not give them
static const char coefficients[] =
    " PCX1 PDX1 PDX2 PDX3 PEX1 PEX2 PEX3 PEX4 PKX1 PKX2 PKX3 PHX1 PHX2 PVX1 PVX2 RBX1 RBX2 RCX1 REX1 REX2 RHX1"
    " QSX1 QSX2 QSX3 QSY1 QSY2 QSY3 QSY4"
    " PCY1 PDY1 PDY2 PDY3 PEY1 PEY2 PEY3 PEY4 PKY1 PKY2 PKY3 PHY1 PHY2 PHY3 PVY1 PVY2 PVY3 PVY4"
    " RBY1 RBY2 RBY3 RCY1 REY1 REY2 RHY1 RHY2 RVY1 RVY2 RVY3 RVY4 RVY5 RVY6"
    " QBZ1 QBZ2 QBZ3 QBZ4 QBZ5 QBZ9 QBZ10 QCZ1 QDZ1 QDZ2 QDZ3 QDZ4 QDZ6 QDZ7 QDZ8 QDZ9 QEZ1 QEZ2 QEZ3 QEZ4 QEZ5"
    " QHZ1 QHZ2 QHZ3 QHZ4 SSZ1 SSZ2 SSZ3 SSZ4 PTX1 PTX2 PTX3 PTY1 PTY2 VERTICAL_DAMPING LONGVL ";
// there are no forces without them
static const char *const required[] = {
    "UNLOADED_RADIUS", "FNOMIN", "VERTICAL_STIFFNESS", "PCX1", "PDX1", "PKX1", "PCY1", "PDY1", "PKY1", "PKY2"};

typedef enum UnitKind { LENGTH, TIME, ANGLE, MASS, FORCE, UNIT_KINDS } UnitKind;
static const char *const unit_kinds[UNIT_KINDS] = {"LENGTH", "TIME", "ANGLE", "MASS", "FORCE"};

// exponents of the units in the order of UnitKind
typedef struct Dimension {
  const char *name;
  int exponent[UNIT_KINDS];
} Dimension;
static const Dimension dimensions[] = {{"UNLOADED_RADIUS", {1, 0, 0, 0, 0}},
                                       {"WIDTH", {1, 0, 0, 0, 0}},
                                       {"RIM_RADIUS", {1, 0, 0, 0, 0}},
                                       {"RIM_WIDTH", {1, 0, 0, 0, 0}},
                                       {"BOTTOM_OFFST", {1, 0, 0, 0, 0}},
                                       {"BOTTOM_STIFF", {-1, 0, 0, 0, 1}},
                                       {"LONGVL", {1, -1, 0, 0, 0}},
                                       {"VXLOW", {1, -1, 0, 0, 0}},
                                       {"FNOMIN", {0, 0, 0, 0, 1}},
                                       {"VERTICAL_STIFFNESS", {-1, 0, 0, 0, 1}},
                                       {"VERTICAL_DAMPING", {-1, 1, 0, 0, 1}},
                                       {"MASS", {0, 0, 0, 1, 0}},
                                       {"IXX", {2, 0, 0, 1, 0}},
                                       {"IYY", {2, 0, 0, 1, 0}},
                                       {"FZMIN", {0, 0, 0, 0, 1}},
                                       {"FZMAX", {0, 0, 0, 0, 1}},
                                       {"ALPMIN", {0, 0, 1, 0, 0}},
                                       {"ALPMAX", {0, 0, 1, 0, 0}},
                                       {"CAMMIN", {0, 0, 1, 0, 0}},
                                       {"CAMMAX", {0, 0, 1, 0, 0}}};

typedef struct Unit {
  UnitKind kind;
  const char *name;
  double factor;
} Unit;
static const Unit units[] = {{LENGTH, "meter", 1},
                             {LENGTH, "m", 1},
                             {LENGTH, "mm", 1e-3},
                             {LENGTH, "millimeter", 1e-3},
                             {LENGTH, "cm", 1e-2},
                             {LENGTH, "inch", 0.0254},
                             {LENGTH, "foot", 0.3048},
                             {TIME, "second", 1},
                             {TIME, "sec", 1},
                             {TIME, "s", 1},
                             {TIME, "millisecond", 1e-3},
                             {ANGLE, "radians", 1},
                             {ANGLE, "radian", 1},
                             {ANGLE, "rad", 1},
                             {ANGLE, "degrees", 0.017453292519943295},
                             {ANGLE, "degree", 0.017453292519943295},
                             {ANGLE, "deg", 0.017453292519943295},
                             {MASS, "kg", 1},
                             {MASS, "gram", 1e-3},
                             {MASS, "pound_mass", 0.45359237},
                             {FORCE, "newton", 1},
                             {FORCE, "n", 1},
                             {FORCE, "knewton", 1e3},
                             {FORCE, "kn", 1e3},
                             {FORCE, "kg_force", 9.80665},
                             {FORCE, "pound_force", 4.4482216152605}};

#define COUNT(array) (sizeof(array) / sizeof *(array))

bool mbs_tir_is_name(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot && strcasecmp(dot, ".tir") == 0;
}

// ---- reading ----

typedef struct Tir {
  const MbsReader *reader;
  const char *path;
  char section[32];
  bool is_format_known;
  MbsYaml *parameters, **end;  // where the next one goes
  double factor[UNIT_KINDS];
} Tir;

static MbsStatus fail_at(const Tir *tir, MbsPlace place, const char *what, const char *word) {
  return mbs_fail(tir->reader->context, MBS_ERROR_INPUT, place, what, word);
}

// a piece of a line without blanks around it
typedef struct Piece {
  const char *text;
  int length;
} Piece;

static Piece trim(const char *begin, const char *stop) {
  while (begin < stop && (*begin == ' ' || *begin == '\t')) {
    ++begin;
  }
  while (stop > begin && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r')) {
    --stop;
  }
  return (Piece){begin, (int)(stop - begin)};
}

static const char *copy_piece(const Tir *tir, Piece piece) {
  return mbs_arena_print(tir->reader->arena, "%.*s", piece.length, piece.text);
}

static const MbsYaml *find(const Tir *tir, const char *name) { return mbs_yaml_find(tir->parameters, name); }

static MbsStatus add(Tir *tir, MbsText name, const char *text, MbsPlace place) {
  const MbsReader *reader = tir->reader;
  MBS_TAKE(reader->context, reader->arena, *tir->end, 1);
  if (!name.text || !text) {
    return mbs_fail(reader->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  **tir->end = (MbsYaml){.kind = MBS_YAML_SCALAR, .key = name, .text = text, .place = place};
  tir->end = &(*tir->end)->next;
  tir->parameters->count += 1;
  return MBS_OK;
}

static MbsStatus read_unit(Tir *tir, const char *name, Piece value, MbsPlace place) {
  size_t kind = 0;
  while (kind < UNIT_KINDS && strcasecmp(unit_kinds[kind], name) != 0) {
    ++kind;
  }
  if (kind == UNIT_KINDS) {
    return fail_at(tir, place, "[UNITS]: \"%.60s\" is none of LENGTH, TIME, ANGLE, MASS, FORCE", name);
  }
  bool is_quoted = value.length >= 2 && value.text[0] == '\'' && value.text[value.length - 1] == '\'';
  const char *unit = copy_piece(tir, is_quoted ? (Piece){value.text + 1, value.length - 2} : value);
  for (size_t i = 0; unit && i < COUNT(units); ++i) {
    if (units[i].kind == (UnitKind)kind && strcasecmp(units[i].name, unit) == 0) {
      tir->factor[kind] = units[i].factor;
      return MBS_OK;
    }
  }
  return fail_at(tir, place, "[UNITS]: the unit \"%.60s\" is not known; write the file in metres, newtons, seconds",
                 unit ? unit : "");
}

// the number in SI units, as a text
static const char *in_si(const Tir *tir, const char *name, const char *text, double number) {
  double factor = 1;
  for (size_t i = 0; i < COUNT(dimensions); ++i) {
    for (int k = 0; strcmp(dimensions[i].name, name) == 0 && k < UNIT_KINDS; ++k) {
      for (int n = dimensions[i].exponent[k]; n != 0; n += n > 0 ? -1 : 1) {
        factor = n > 0 ? factor * tir->factor[k] : factor / tir->factor[k];
      }
    }
  }
  return factor == 1 ? text : mbs_arena_print(tir->reader->arena, "%.17g", number * factor);
}

static MbsStatus read_format(Tir *tir, Piece value, MbsPlace place) {
  tir->is_format_known = true;
  bool is_known = value.length == 9 && strncasecmp(value.text, "'PAC2002'", 9) == 0;
  return is_known ? MBS_OK
                  : fail_at(tir, place, "property file format %.60s is not read: only 'PAC2002' is",
                            copy_piece(tir, value) ? copy_piece(tir, value) : "");
}

static MbsStatus read_pair(Tir *tir, Piece left, Piece right, MbsPlace place, MbsPlace value_place) {
  double number;
  const char *name = copy_piece(tir, left), *text = copy_piece(tir, right);
  if (!name || !text) {
    return mbs_fail(tir->reader->context, MBS_ERROR_MEMORY, mbs_nowhere, "out of memory");
  }
  if (left.length == 0) {
    return fail_at(tir, place, "expected a name before \"=\"%s", "");
  }
  if (strcasecmp(tir->section, "UNITS") == 0) {
    return read_unit(tir, name, right, value_place);
  }
  if (strcasecmp(name, "PROPERTY_FILE_FORMAT") == 0) {
    return read_format(tir, right, value_place);
  }
  if (text[0] == '\'' || text[0] == '"' || strcasecmp(tir->section, "MDI_HEADER") == 0) {
    return MBS_OK;  // words
  }
  if (!mbs_csv_is_number(text, &number)) {
    return fail_at(tir, value_place, "expected a number, found \"%.60s\"", text);
  }
  const MbsYaml *before = find(tir, name);
  if (before) {
    return mbs_fail(tir->reader->context, MBS_ERROR_INPUT, place, "\"%.60s\" is also on line %d", name,
                    before->key.place.line);
  }
  return add(tir, (MbsText){.text = name, .place = place}, in_si(tir, name, text, number), value_place);
}

static MbsStatus read_line(Tir *tir, const char *line, size_t length, int number) {
  const char *stop = line, *end = line + length;
  while (stop < end && *stop != '$' && *stop != '!') {
    ++stop;
  }
  Piece piece = trim(line, stop);
  MbsPlace place = {.file = tir->path, .line = number, .column = (int)(piece.text - line) + 1};
  if (piece.length == 0 || piece.text[0] == '{') {
    return MBS_OK;
  }
  if (piece.text[0] == '[') {
    if (piece.text[piece.length - 1] != ']' || piece.length > (int)sizeof tir->section) {
      return fail_at(tir, place, "expected a section, \"[NAME]\", found \"%.60s\"", copy_piece(tir, piece));
    }
    (void)snprintf(tir->section, sizeof tir->section, "%.*s", piece.length - 2, piece.text + 1);
    return MBS_OK;
  }
  const char *equals = memchr(piece.text, '=', (size_t)piece.length);
  if (!equals) {
    return strcasecmp(tir->section, "SHAPE") == 0
               ? MBS_OK
               : fail_at(tir, place, "expected NAME = number, found \"%.60s\"", copy_piece(tir, piece));
  }
  Piece right = trim(equals + 1, piece.text + piece.length);
  MbsPlace value_place = {.file = tir->path, .line = number, .column = (int)(right.text - line) + 1};
  return read_pair(tir, trim(piece.text, equals), right, place, value_place);
}

// the units stand first in every file: a number before them would have been read in others
static MbsStatus read_lines(Tir *tir, const char *text, size_t length) {
  int number = 1;
  for (const char *line = text, *end = text + length; line < end; ++number) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    stop = stop ? stop : end;
    if (memchr(line, '\0', (size_t)(stop - line))) {
      return fail_at(tir, (MbsPlace){.file = tir->path, .line = number, .column = 1}, "this is no text%s", "");
    }
    MBS_TRY(read_line(tir, line, (size_t)(stop - line), number));
    line = stop + 1;
  }
  return MBS_OK;
}

// the names of a list that the file does not give
static MbsStatus add_missing(Tir *tir, const char *names, const char *value) {
  MbsPlace place = {.file = tir->path, .line = 1, .column = 1};
  while (*(names += strspn(names, " ")) != '\0') {
    size_t length = strcspn(names, " ");
    const char *name = mbs_arena_print(tir->reader->arena, "%.*s", (int)length, names);
    if (!name || !find(tir, name)) {
      MBS_TRY(add(tir, (MbsText){.text = name, .place = place}, value, place));
    }
    names += length;
  }
  return MBS_OK;
}

MbsStatus mbs_tir_parse(const MbsReader *reader, const char *text, size_t length, const char *path,
                        const MbsYaml **root) {
  MbsPlace place = {.file = path, .line = 1, .column = 1};
  MbsYaml *made;
  MBS_TAKE(reader->context, reader->arena, made, 2);
  made[1] = (MbsYaml){.kind = MBS_YAML_MAPPING, .key = {.text = "parameters", .place = place}, .place = place};
  made[0] = (MbsYaml){.kind = MBS_YAML_MAPPING, .place = place, .count = 1, .first = &made[1]};
  Tir tir = {.reader = reader, .path = path, .parameters = &made[1], .end = &made[1].first, .factor = {1, 1, 1, 1, 1}};
  MBS_TRY(read_lines(&tir, text, length));
  if (!tir.is_format_known) {
    return fail_at(&tir, place, "no PROPERTY_FILE_FORMAT = 'PAC2002': this is no tyre property file%s", "");
  }
  for (size_t i = 0; i < COUNT(required); ++i) {
    if (!find(&tir, required[i])) {
      return fail_at(&tir, place, "\"%s\" is missing", required[i]);
    }
  }
  MBS_TRY(add_missing(&tir, scaling_factors, "1"));
  MBS_TRY(add_missing(&tir, coefficients, "0"));
  *root = made;
  return MBS_OK;
}
