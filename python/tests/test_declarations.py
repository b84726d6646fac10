"""What _declarations.py reads in the headers is what a C compiler reads in them; libraries of others are refused."""

import ctypes
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from mbsens import _library
from mbsens._declarations import Declarations

ROOT = Path(__file__).resolve().parents[2]
HEADERS = ROOT / "include" / "mbsens"
DECLARATIONS = Declarations(HEADERS)


def compiler(*arguments):
    return subprocess.run([os.environ.get("CC", "cc"), f"-I{ROOT / 'include'}", *arguments], capture_output=True, text=True)


def includes():
    return "".join(f"#include <mbsens/{path.name}>\n" for path in sorted(HEADERS.glob("*.h")))


class TestDeclarations(unittest.TestCase):
    def test_all_is_read(self):
        self.assertEqual(DECLARATIONS.unread, [])
        self.assertGreater(len(DECLARATIONS.functions), 70)
        self.assertGreater(len(DECLARATIONS.structs), 20)

    def test_every_function_is_there(self):
        library = ctypes.CDLL(_library.path)
        self.assertEqual([name for name in DECLARATIONS.functions if not hasattr(library, name)], [])
        listed = subprocess.run(["nm", "-D", "--defined-only", _library.path], capture_output=True, text=True)
        exported = {line.split()[-1] for line in listed.stdout.splitlines() if line.split()[-1].startswith("mbs_")}
        self.assertEqual(exported - set(DECLARATIONS.functions), set())

    def test_sizes_offsets_and_values(self):
        program = [includes(), "#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n"]
        expected = []
        for name, struct in DECLARATIONS.structs.items():
            fields = getattr(struct, "_fields_", None)
            if not fields:
                continue
            program.append(f'printf("%zu\\n", sizeof({name}));\n')
            expected.append(ctypes.sizeof(struct))
            for field, _ in fields:
                program.append(f'printf("%zu\\n%zu\\n", offsetof({name}, {field}), sizeof((({name} *)0)->{field}));\n')
                expected += [getattr(struct, field).offset, getattr(struct, field).size]
        for name, value in DECLARATIONS.values.items():
            program.append(f'printf("%d\\n", (int){name});\n')
            expected.append(value)
        program.append("return 0;\n}\n")
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "sizes.c"
            source.write_text("".join(program))
            built = compiler("-o", f"{folder}/sizes", str(source))
            self.assertEqual(built.returncode, 0, built.stderr)
            told = subprocess.run([f"{folder}/sizes"], capture_output=True, text=True).stdout.split()
        self.assertEqual([int(word) for word in told], expected)
        self.assertGreater(len(expected), 300)

    def test_signatures(self):
        """The compiler takes each function for one with as many arguments of the sizes and classes that ctypes uses."""

        def word(kind):
            if kind is None:
                return "void"
            if kind in (ctypes.c_int, ctypes.c_long, ctypes.c_size_t, ctypes.c_double, ctypes.c_bool):
                return {"c_int": "int", "c_long": "long", "c_ulong": "size_t", "c_double": "double", "c_bool": "bool"}[
                    kind.__name__]
            return "pointer"

        # _Generic tells scalars from each other; whatever is none of them and has the size of a pointer is one
        lines = [includes(), "#define KIND(x) _Generic((x), int: 1, long: 2, size_t: 3, double: 4, bool: 5, default: 6)\n"]
        numbers = {"int": 1, "long": 2, "size_t": 3, "double": 4, "bool": 5, "pointer": 6}
        for name, function in DECLARATIONS.functions.items():
            prototype = DECLARATIONS.prototypes[name]
            self.assertEqual(prototype.count(name), 1)
            arguments = ", ".join("0" for _ in function.arguments)
            if word(function.result) != "void":  # status enumerations are unsigned int to gcc
                lines.append(
                    f"_Static_assert(sizeof({name}({arguments})) == {ctypes.sizeof(function.result)} && "
                    f"(KIND({name}({arguments})) == {numbers[word(function.result)]} || "
                    f"{int(function.result is ctypes.c_int)}), \"{name}\");\n"
                )
            else:
                lines.append(f"void call_{name}(void) {{ {name}({arguments}); }}\n")
            # what is no pointer does not take one, and what is one does
            for place, kind in enumerate(function.arguments):
                given = ["0"] * len(function.arguments)
                given[place] = "(void *)0" if word(kind) == "pointer" else "1.5"
                lines.append(f"void take_{name}_{place}(void) {{ (void){name}({', '.join(given)}); }}\n")
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "signatures.c"
            source.write_text("".join(lines))
            built = compiler("-fsyntax-only", "-Werror=int-conversion", "-Werror=incompatible-pointer-types",
                             "-Wno-conversion", str(source))
            self.assertEqual(built.returncode, 0, built.stderr[:2000])


class TestOtherLibraries(unittest.TestCase):
    def import_with(self, library):
        return subprocess.run([sys.executable, "-c", "import mbsens"], capture_output=True, text=True,
                              env={**os.environ, "MBSENS_LIBRARY": str(library)})

    def refused(self, source, words):
        with tempfile.TemporaryDirectory() as folder:
            code = Path(folder) / "other.c"
            code.write_text(source)
            self.assertEqual(compiler("-shared", "-fPIC", "-o", f"{folder}/other.so", str(code)).returncode, 0)
            told = self.import_with(f"{folder}/other.so")
        self.assertEqual(told.returncode, 1)
        last = told.stderr.strip().splitlines()[-1]
        self.assertIn("LibraryError", last)
        self.assertIn(words, last)

    def test_another_version(self):
        self.refused('const char *mbs_version(void) { return "9.9.9"; } const char *mbs_declarations(void) { return ""; }',
                     f"is mbsens 9.9.9, this package belongs to {_library.version}")

    def test_other_headers(self):
        self.refused(f'const char *mbs_version(void) {{ return "{_library.version}"; }} '
                     'const char *mbs_declarations(void) { return "0123"; }', "was built from other headers")

    def test_no_library_of_mbsens(self):
        self.refused("int nothing;", "is no library of mbsens")

    def test_none(self):
        told = self.import_with("/nowhere/libmbsens.so")
        self.assertIn("MBSENS_LIBRARY names a library that cannot be loaded", told.stderr)


if __name__ == "__main__":
    unittest.main()
