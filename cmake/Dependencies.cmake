# libfyaml (model files) and KLU of SuiteSparse (sparse factorisation, LGPL part only).
find_package(PkgConfig REQUIRED)
pkg_check_modules(fyaml REQUIRED IMPORTED_TARGET libfyaml>=0.7.12)

# SuiteSparse 5 has no pkg-config file
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse REQUIRED)
add_library(KLU::klu INTERFACE IMPORTED)
target_include_directories(KLU::klu INTERFACE ${KLU_INCLUDE_DIR})
foreach(name klu btf amd colamd suitesparseconfig)
  find_library(${name}_LIBRARY ${name} REQUIRED)
  target_link_libraries(KLU::klu INTERFACE ${${name}_LIBRARY})
  mark_as_advanced(${name}_LIBRARY)
endforeach()
mark_as_advanced(KLU_INCLUDE_DIR)
