# The complex twin: the same sources with mbs_scalar = double _Complex, linked into one relocatable
# object whose every symbol is local but the entry points, so that both scalars live in one library
# without rename macros. The twin shares nothing with the rest but the C library and KLU.
set(twin_object ${PROJECT_BINARY_DIR}/generated/twin.o)
set(twin_entry_points ${PROJECT_SOURCE_DIR}/cmake/twin_entry_points.txt)
set(twin_exports ${PROJECT_BINARY_DIR}/generated/twin_exports.txt)

file(STRINGS ${twin_entry_points} lines REGEX "^[a-z]")
list(TRANSFORM lines REPLACE "^[^ ]+ +" "")
list(JOIN lines "\n" exports)
file(CONFIGURE OUTPUT ${twin_exports} CONTENT "${exports}\n" @ONLY)

add_library(complex_objects OBJECT ${both_sources} ${registry_source})
target_compile_definitions(complex_objects PRIVATE MBS_COMPLEX)
target_include_directories(complex_objects PUBLIC include src)
target_link_libraries(complex_objects PRIVATE KLU::klu)

# Renaming and hiding are two passes: whether one pass hides by the old or the new name differs
# between the objcopy of GNU and of LLVM.
add_custom_command(
  OUTPUT ${twin_object}
  COMMAND ${CMAKE_LINKER} -r -o ${twin_object} $<TARGET_OBJECTS:complex_objects>
  COMMAND ${CMAKE_OBJCOPY} --redefine-syms=${twin_entry_points} ${twin_object}
  COMMAND ${CMAKE_OBJCOPY} --keep-global-symbols=${twin_exports} ${twin_object}
  DEPENDS complex_objects $<TARGET_OBJECTS:complex_objects> ${twin_entry_points} ${twin_exports}
  COMMENT "Linking the complex twin"
  COMMAND_EXPAND_LISTS VERBATIM)
set_source_files_properties(${twin_object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
