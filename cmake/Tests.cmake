# Every tests/test_*.c is a test, every example is run, every script that guards a rule is a test too.
# All run from the root of the sources.
set(BOTH_SCALARS test_algebra test_graph test_tape test_jacobian test_parse)  # also run in the complex build, as test_twin_* are

# the complex sources with all their symbols, for those tests
add_library(mbsens_complex STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:complex_objects>)
target_compile_definitions(mbsens_complex INTERFACE MBS_COMPLEX)
target_include_directories(mbsens_complex INTERFACE include)

# what tests and benchmarks may look into; examples see the public headers only
add_library(internals INTERFACE)
target_include_directories(internals INTERFACE src)

target_link_libraries(internals INTERFACE KLU::klu Threads::Threads)

# usage: add_program(NAME SOURCE FOLDER LIBRARIES...)
function(add_program name source folder)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE ${ARGN} m)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${folder})
endfunction()

# usage: add_check(NAME COMMAND...)  status 77 means skipped
function(add_check name)
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES TIMEOUT 900 SKIP_RETURN_CODE 77 ENVIRONMENT
    "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/leaks_of_others.txt:print_suppressions=0")
endfunction()

# ---- tests ----
set(test_reader_arguments tests/bad)
file(GLOB sources CONFIGURE_DEPENDS tests/test_*.c)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  add_program(${name} ${source} tests mbsens internals)
  add_check(${name} ${name} ${${name}_arguments})
  if(name IN_LIST BOTH_SCALARS OR name MATCHES "^test_twin_")
    add_program(${name}_complex ${source} tests mbsens_complex internals)
    add_check(${name}_complex ${name}_complex ${${name}_arguments})
  endif()
endforeach()

# 1,500 damaged models; a hundred thousand in the asan-ubsan preset: fuzz_check 100000
add_program(fuzz_check tests/fuzz_check.c tests mbsens internals)
add_check(fuzz_check fuzz_check 1500)
# 500 changed models in both coordinates; a hundred thousand outside: fuzz_coordinates 100000
add_program(fuzz_coordinates tests/fuzz_coordinates.c tests mbsens internals)
add_check(fuzz_coordinates fuzz_coordinates 500)

# public calls with NULL, nonsense, in any order
add_program(fuzz_calls tests/fuzz_calls.c tests mbsens internals)
add_check(fuzz_calls fuzz_calls 20000)

file(GLOB scripts CONFIGURE_DEPENDS tests/cli/*.sh)
foreach(script IN LISTS scripts)
  cmake_path(GET script STEM name)
  if(name STREQUAL sweep_mpi AND NOT CMAKE_BUILD_TYPE STREQUAL RelWithDebInfo)
    continue()  # mpirun takes longer than what it runs
  endif()
  add_check(cli_${name} sh ${script} $<TARGET_FILE:command>)
endforeach()

# ---- requests for memory that fail; all of them: scripts/check-memory COMMAND SHIM all, test_out_of_memory all ----
add_library(failing_memory MODULE tests/failing_memory.c)
target_link_libraries(failing_memory PRIVATE ${CMAKE_DL_LIBS})
set_target_properties(failing_memory PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
add_check(check_memory scripts/check-memory $<TARGET_FILE:command> $<TARGET_FILE:failing_memory>)

# ---- planted errors: the command with one source changed by a sed script, which `verify` must find, or a test with a
# changed source ("# test: NAME"), which must fail and say what is expected ----
# The changed source stands before the library's own of that name, whose object is then not linked. In the release
# build alone: what a check finds does not depend on the compiler.
option(MBS_PLANTED "build and run the tests with planted errors" ON)
set(scripts)
if(MBS_PLANTED)
  file(GLOB scripts CONFIGURE_DEPENDS tests/planted/*.sed)
endif()
foreach(script IN LISTS scripts)
  cmake_path(GET script STEM name)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
  file(STRINGS ${script} source REGEX "^# source: ")
  string(REPLACE "# source: " "" source "${source}")
  file(STRINGS ${script} test REGEX "^# test: ")
  string(REPLACE "# test: " "" test "${test}")
  if(source MATCHES "/sundials_" AND NOT sundials_found)
    continue()
  endif()
  set(planted ${PROJECT_BINARY_DIR}/generated/planted_${name}.c)
  add_custom_command(
    OUTPUT ${planted}
    COMMAND sed -f ${script} ${source} > ${planted}
    COMMAND sh -c "! cmp -s ${source} ${planted} || { echo ${script} changes nothing; exit 1; }"
    DEPENDS ${script} ${source}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    VERBATIM)
  if(test)
    add_program(planted_${name} ${planted} tests mbsens internals)
    target_sources(planted_${name} PRIVATE tests/${test}.c)
    add_check(planted_${name} sh tests/planted_test.sh $<TARGET_FILE:planted_${name}> ${script})
  else()
    add_executable(planted_${name} ${planted} $<TARGET_OBJECTS:command>)
    target_include_directories(planted_${name} PRIVATE src)
    target_link_libraries(planted_${name} PRIVATE mbsens KLU::klu $<TARGET_NAME_IF_EXISTS:SUNDIALS::all>
                                                  Threads::Threads $<TARGET_NAME_IF_EXISTS:MPI::ranks>
                                                  $<TARGET_NAME_IF_EXISTS:HDF5::serial>
                                                  $<TARGET_NAME_IF_EXISTS:PkgConfig::cairo> m)
    set_target_properties(planted_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    add_check(planted_${name} sh tests/planted.sh $<TARGET_FILE:planted_${name}> ${script})
  endif()
endforeach()

# ---- rules ----
add_check(check_layers scripts/check-layers)
add_check(check_bare_math scripts/check-bare-math)
add_check(check_quiet scripts/check-quiet)
add_check(check_twin scripts/check-twin ${CMAKE_NM} ${twin_object} ${twin_exports})
add_check(check_generated scripts/check-generated $<TARGET_FILE:command>)
add_check(check_headers scripts/check-headers)
add_check(check_contract scripts/check-contract $<TARGET_FILE:command>)
add_check(check_links sh tests/with_python.sh scripts/docs --check)
if(CMAKE_BUILD_TYPE STREQUAL RelWithDebInfo)  # some hundred runs: nothing that another build would do otherwise
  add_check(doc_commands sh tests/with_python.sh tests/doc_commands.py $<TARGET_FILE:command>)
  add_check(random_models sh tests/with_python.sh tests/random_models.py $<TARGET_FILE:command> 12 29 32)
endif()
add_check(tutorial sh tests/with_python.sh tests/tutorial.py $<TARGET_FILE:command> docs/tutorial.md)

# ---- examples and benchmarks ----
file(GLOB sources CONFIGURE_DEPENDS examples/*.c)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  add_program(example_${name} ${source} examples mbsens)
  add_check(example_${name} example_${name} models/five_bar.yaml)
endforeach()

# ---- files of results, read by others: skipped where these are not there ----
add_check(results_read sh tests/with_h5py.sh tests/read_results.py $<TARGET_FILE:command>)
add_check(results_sweep sh tests/with_h5py.sh tests/read_sweep.py $<TARGET_FILE:command>)
add_check(results_python sh tests/results_example.sh $<TARGET_FILE:command> python)
add_check(results_octave sh tests/results_example.sh $<TARGET_FILE:command> octave)

# ---- programs of others, with what is installed ----
string(TOUPPER "${CMAKE_BUILD_TYPE}" config)
add_check(outside sh tests/outside.sh ${PROJECT_BINARY_DIR} "${CMAKE_BUILD_TYPE}" "${CMAKE_C_FLAGS_${config}}"
  ${CMAKE_C_COMPILER})

# ---- Python: skipped where there is no python3 with numpy, examples also where there is no scipy ----
file(GLOB scripts CONFIGURE_DEPENDS python/tests/test_*.py python/examples/*.py)
foreach(script IN LISTS scripts)
  cmake_path(GET script STEM name)
  string(REGEX REPLACE "^test_" "" name "${name}")
  if(script MATCHES "/examples/")
    string(PREPEND name "example_")
  endif()
  add_check(python_${name} sh python/tests/run.sh $<TARGET_FILE:mbsens_shared> $<TARGET_FILE:command> ${script})
endforeach()

file(GLOB sources CONFIGURE_DEPENDS benchmarks/*.c)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  add_program(benchmark_${name} ${source} benchmarks mbsens internals)
endforeach()
# with equations written by hand, and others' integrators on them where they are there
target_sources(benchmark_work_precision PRIVATE benchmarks/peers/five_bar_hand.c benchmarks/peers/order_8.c
                                                benchmarks/peers/plot.c)
if(sundials_found)
  target_sources(benchmark_work_precision PRIVATE benchmarks/peers/sundials_peers.c)
  target_link_libraries(benchmark_work_precision PRIVATE SUNDIALS::all)
  target_compile_definitions(benchmark_work_precision PRIVATE MBS_WITH_SUNDIALS)
endif()
# MuJoCo, for this benchmark alone: Debian's libmujoco-dev
find_path(MUJOCO_INCLUDE_DIR mujoco/mujoco.h)
find_library(mujoco_LIBRARY mujoco)
mark_as_advanced(MUJOCO_INCLUDE_DIR mujoco_LIBRARY)
if(MUJOCO_INCLUDE_DIR AND mujoco_LIBRARY)
  target_sources(benchmark_work_precision PRIVATE benchmarks/peers/mujoco_peers.c)
  target_sources(benchmark_chains PRIVATE benchmarks/peers/mujoco_chains.c)
  foreach(program benchmark_work_precision benchmark_chains)
    target_include_directories(${program} SYSTEM PRIVATE ${MUJOCO_INCLUDE_DIR})
    target_link_libraries(${program} PRIVATE ${mujoco_LIBRARY})
    target_compile_definitions(${program} PRIVATE MBS_WITH_MUJOCO)
  endforeach()
endif()
# and Simbody, in C++: Debian's libsimbody-dev; not in debug builds, whose sanitizers its linking does not know
find_path(SIMBODY_INCLUDE_DIR simbody/SimTKsimbody.h)
find_library(simbody_LIBRARY SimTKsimbody)
find_library(simtk_math_LIBRARY SimTKmath)
find_library(simtk_common_LIBRARY SimTKcommon)
mark_as_advanced(SIMBODY_INCLUDE_DIR simbody_LIBRARY simtk_math_LIBRARY simtk_common_LIBRARY)
include(CheckLanguage)
if(NOT CMAKE_BUILD_TYPE STREQUAL Debug AND SIMBODY_INCLUDE_DIR AND simbody_LIBRARY AND simtk_math_LIBRARY AND simtk_common_LIBRARY)
  check_language(CXX)
endif()
if(NOT CMAKE_BUILD_TYPE STREQUAL Debug AND CMAKE_CXX_COMPILER)
  enable_language(CXX)
  target_sources(benchmark_chains PRIVATE benchmarks/peers/simbody_chains.cpp)
  # its headers ask for their own folder; the warnings are those of C
  set_source_files_properties(benchmarks/peers/simbody_chains.cpp PROPERTIES COMPILE_OPTIONS "-std=c++14;-w")
  target_include_directories(benchmark_chains SYSTEM PRIVATE ${SIMBODY_INCLUDE_DIR} ${SIMBODY_INCLUDE_DIR}/simbody)
  target_link_libraries(benchmark_chains PRIVATE ${simbody_LIBRARY} ${simtk_math_LIBRARY} ${simtk_common_LIBRARY})
  target_compile_definitions(benchmark_chains PRIVATE MBS_WITH_SIMBODY)
endif()
