// Tyre property files (.tir, PAC2002) as a part of a model: coefficients become parameters, in SI units.
#ifndef MBS_TIR_H
#define MBS_TIR_H

#include "io/reader.h"
#include "io/yaml_tree.h"

bool mbs_tir_is_name(const char *path);
// {parameters: {PCX1: ..., ...}}, with the places of the file; what PAC2002 knows and the file does not give is 1 for a
// scaling factor and 0 else.
MbsStatus mbs_tir_parse(const MbsReader *reader, const char *text, size_t length, const char *path,
                        const MbsYaml **root);

#endif
