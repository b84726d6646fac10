// Units as factors: 35*deg is 35 degrees in radians, 120*mm is 0.12 (m). Numbers of a model are in SI units all the
// same; a name of the model's own hides the unit of that name, so that a unit more never changes a model. No single
// letters: N, m or s in an expression is a name that somebody forgot to define.
#include <string.h>

#include "expressions/parse.h"

// name, value, summary
#define UNIT_LIST(X)                                                     \
  X("deg", 0.017453292519943295769, "degree, pi/180 rad")                \
  X("rev", 6.283185307179586476925, "revolution, 2 pi rad")              \
  X("mm", 1e-3, "millimetre")                                            \
  X("cm", 1e-2, "centimetre")                                            \
  X("km", 1e3, "kilometre")                                              \
  X("inch", 0.0254, "inch, 25.4 mm")                                     \
  X("ft", 0.3048, "foot, 12 inch")                                       \
  X("gram", 1e-3, "gram, 1e-3 kg")                                       \
  X("tonne", 1e3, "tonne, 1000 kg")                                      \
  X("lb", 0.45359237, "pound (mass)")                                    \
  X("ms", 1e-3, "millisecond")                                           \
  X("minute", 60, "minute, 60 s")                                        \
  X("hour", 3600, "hour, 3600 s")                                        \
  X("kN", 1e3, "kilonewton")                                             \
  X("lbf", 4.4482216152605, "pound-force, lb*g0")                        \
  X("kNm", 1e3, "kilonewton metre")                                      \
  X("Nmm", 1e-3, "newton millimetre")                                    \
  X("kPa", 1e3, "kilopascal")                                            \
  X("MPa", 1e6, "megapascal, N/mm^2")                                    \
  X("GPa", 1e9, "gigapascal")                                            \
  X("bar", 1e5, "bar, 1e5 Pa")                                           \
  X("kW", 1e3, "kilowatt")                                               \
  X("kph", 0.27777777777777777778, "kilometre an hour, 1/3.6 m/s")       \
  X("mph", 0.44704, "mile an hour")                                      \
  X("rpm", 0.10471975511965977462, "revolution a minute, 2 pi/60 rad/s") \
  X("g0", 9.80665, "standard acceleration of gravity, m/s^2")

static const struct {
  const char *name;
  double value;
} units[] = {
#define UNIT(name, value, summary) {name, value},
    UNIT_LIST(UNIT)
#undef UNIT
};

#define UNIT_HELP(name, value, summary) {name, summary},
const MbsFunctionHelp mbs_unit_help[] = {UNIT_LIST(UNIT_HELP){NULL, NULL}};
#undef UNIT_HELP

bool mbs_unit_find(MbsGraph *graph, const char *name, MbsExpression *value) {
  for (size_t k = 0; k < sizeof units / sizeof units[0]; ++k) {
    if (strcmp(units[k].name, name) == 0) {
      *value = (MbsExpression){.size = 1, .node = {mbs_graph_constant(graph, units[k].value)}};
      return true;
    }
  }
  return false;
}
