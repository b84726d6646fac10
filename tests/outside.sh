#!/bin/sh
# usage: tests/outside.sh BUILD_FOLDER CONFIG FLAGS CC
# Installs mbsens, moves what was installed to another place, and builds programs with it as others do: by pkg-config and
# by find_package, in C and C++, with the shared and the static library, and a plugin with the static one inside. All
# must print what the example of the build folder prints. The shared library exports what the headers declare, no more, and has no variables.
# Status 77: no C++ compiler, so that only C was checked.
set -eu
build=$1
config=$2
flags=$3
cc=$4
cxx=${CXX:-c++}
model=models/five_bar.yaml
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
  echo "outside.sh: $*" >&2
  exit 1
}

# says NAME PROGRAM...: it prints what is expected
says() {
  name=$1
  shift
  "$@" >"$folder/said" || fail "$name ends with status $?"
  cmp -s "$folder/said" "$folder/expected" || fail "$name prints something else: $(head -n 3 "$folder/said")"
}

# needs_library YES_OR_NO PROGRAM: is it linked with the shared library?
needs_library() {
  needed=no
  readelf -d "$2" | grep -q 'NEEDED.*\[libmbsens\.so\.' && needed=yes
  [ "$needed" = "$1" ] || fail "$2 needs the shared library: $needed"
}

cmake --install "$build" --config "$config" --prefix "$folder/first" >"$folder/log" || fail "$(cat "$folder/log")"
mv "$folder/first" "$folder/tree"
tree=$folder/tree
library=$(dirname "$(find "$tree" -name libmbsens.so)")
[ -f "$tree/share/mbsens/schema/mbsens.schema.json" ] || fail "no schema"
"$tree/bin/mbsens" check "$tree/share/mbsens/models/five_bar.yaml" >"$folder/log"
"$build/examples/example_gradient" $model >"$folder/expected"

# ---- what is exported ----
nm -D --defined-only "$library/libmbsens.so" | awk '{print $NF}' | LC_ALL=C sort >"$folder/exported"
for header in "$tree"/include/mbsens/*.h; do
  "$cc" -E -P -I"$tree/include" "$header"
done | grep -v 'static inline' | grep -oE '\bmbs_[a-z0-9_]+\(' | tr -d '(' | LC_ALL=C sort -u >"$folder/declared"
diff "$folder/exported" "$folder/declared" >"$folder/log" || fail "exported (<) and declared (>): $(cat "$folder/log")"
[ -s "$folder/exported" ] || fail "nothing is exported"

# ---- no state of its own: nothing that two threads could both write but the few bytes of the C library's start ----
case $flags in
  *-fsanitize*) ;;
  *)
    readelf -SW "$library/libmbsens.so" | sed 's/^ *\[ *[0-9]*\]//' | awk '$1 == ".data" || $1 == ".bss" {print $5}' >"$folder/sizes"
    [ "$(wc -l <"$folder/sizes")" -eq 2 ] || fail "no sections .data and .bss"
    while read -r size; do
      [ $((0x$size)) -le 16 ] || fail "the library has variables: see nm, types b and d"
    done <"$folder/sizes"
    ;;
esac

# ---- pkg-config ----
PKG_CONFIG_PATH=$library/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH
LD_LIBRARY_PATH=$library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
cp examples/gradient.c "$folder/gradient.c"
cp examples/gradient.c "$folder/gradient.cpp"
cp tests/outside/plugin.c tests/outside/host.c "$folder"
compile() {  # OUTPUT COMPILER ARGUMENTS...
  output=$1
  shift
  # shellcheck disable=SC2086  # a list of flags
  "$@" $flags -o "$folder/$output" >"$folder/log" 2>&1 || fail "$output: $(cat "$folder/log")"
}
languages="c"
command -v "$cxx" >/dev/null && languages="c cpp"
for language in $languages; do
  compiler=$cc
  [ $language = c ] || compiler=$cxx
  for package in mbsens mbsens-static; do
    # shellcheck disable=SC2046
    compile $package-$language "$compiler" "$folder/gradient.$language" $(pkg-config --cflags --libs $package)
    says $package-$language "$folder/$package-$language" $model
  done
  needs_library yes "$folder/mbsens-$language"
  needs_library no "$folder/mbsens-static-$language"
done
# shellcheck disable=SC2046
compile also-static "$cc" "$folder/gradient.c" $(pkg-config --cflags --libs --static mbsens)
says also-static "$folder/also-static" $model
# all of it static, where the others' libraries are there as such, and no sanitizer forbids it
echo 'void dhseqr_(void); int main(void) { dhseqr_(); return 0; }' >"$folder/nothing.c"
# shellcheck disable=SC2046,SC2086
if "$cc" $flags -static "$folder/nothing.c" -o "$folder/nothing" \
  $(pkg-config --static --libs mbsens | sed 's/-lmbsens//') 2>/dev/null; then
  # shellcheck disable=SC2046
  compile all-static "$cc" -static "$folder/gradient.c" $(pkg-config --cflags --libs --static mbsens)
  says all-static "$folder/all-static" $model
else
  echo "not linked with -static: libraries are missing, or a sanitizer is on"
fi

# ---- a plugin ----
# shellcheck disable=SC2046
compile plugin.so "$cc" -shared -fPIC "$folder/plugin.c" $(pkg-config --cflags --libs mbsens-static)
compile host "$cc" "$folder/host.c" -ldl
needs_library no "$folder/plugin.so"
awk '$1 == "d/d" {print $3; exit}' "$folder/expected" >"$folder/derivative"
mv "$folder/expected" "$folder/all"
mv "$folder/derivative" "$folder/expected"
says plugin "$folder/host" "$folder/plugin.so" $model
mv "$folder/all" "$folder/expected"

# ---- find_package ----
if [ "$languages" = c ]; then
  echo "no C++ compiler: only C was checked, and not find_package"
  exit 77
fi
cmake -S tests/outside -B "$folder/cmake" -DCMAKE_PREFIX_PATH="$tree" -DPROGRAMS="$folder" -DCMAKE_C_COMPILER="$cc" \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" >"$folder/log" 2>&1 ||
  fail "$(cat "$folder/log")"
cmake --build "$folder/cmake" >"$folder/log" 2>&1 || fail "$(cat "$folder/log")"
unset LD_LIBRARY_PATH  # CMake writes where the library is into the program
for program in shared_c shared_cpp static_c static_cpp either; do
  says $program "$folder/cmake/$program" $model
done
needs_library yes "$folder/cmake/shared_cpp"
needs_library no "$folder/cmake/static_cpp"
needs_library yes "$folder/cmake/either"
