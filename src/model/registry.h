// The types of joints, forces and formulations. The folder is the registry: CMake lists joints/*.c,
// forces/*.c and formulations/*.c and generates these tables (registry.c in the build folder) from the
// file names: joints/revolute.c defines `mbs_joint_revolute`.
#ifndef MBS_REGISTRY_H
#define MBS_REGISTRY_H

struct MbsJointType;
struct MbsForceType;
struct MbsFormulationType;

// NULL-terminated, ordered by file name
extern const struct MbsJointType *const mbs_joint_types[];
extern const struct MbsForceType *const mbs_force_types[];
extern const struct MbsFormulationType *const mbs_formulation_types[];

#endif
