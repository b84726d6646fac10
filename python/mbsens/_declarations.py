"""What the C headers declare, as ctypes types: enumerations, structs and functions.

The headers are read when the package is imported, so that no signature stands twice and none can drift. They are of
one plain style (one declaration after another, no unions, no bit fields), and what is not of that style is collected in
``Declarations.unread``; python/tests/test_declarations.py wants that empty and lets a C compiler confirm sizes, offsets,
values and signatures.
"""

from __future__ import annotations

import ctypes
import hashlib
import re
from pathlib import Path

_SCALARS = {
    "void": None,
    "bool": ctypes.c_bool,
    "char": ctypes.c_char,
    "int": ctypes.c_int,
    "long": ctypes.c_long,
    "size_t": ctypes.c_size_t,
    "double": ctypes.c_double,
}


class Function:
    """A function of the library: the types of what it returns and takes."""

    def __init__(self, name, result, arguments):
        self.name, self.result, self.arguments = name, result, arguments

    def bind(self, library):
        bound = getattr(library, self.name)
        bound.restype, bound.argtypes = self.result, self.arguments
        return bound


class Declarations:
    """All that the headers of a folder declare."""

    def __init__(self, folder: Path):
        self.texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(Path(folder).glob("*.h"))}
        if "mbsens.h" not in self.texts:
            raise FileNotFoundError(f"no headers of mbsens in {folder}")
        self.version = re.search(r'#define MBS_VERSION "(.*)"', self.texts["mbsens.h"]).group(1)
        self.digest = self._digest()
        self.values: dict[str, int] = {}  # of enumerations and macros
        self.statuses: dict[int, tuple[str, str]] = {}  # name, meaning
        self.structs: dict[str, type] = {}
        self.functions: dict[str, Function] = {}
        self.prototypes: dict[str, str] = {}  # as written
        self.unread: list[str] = []
        self._enums: set[str] = set()
        self._read_statuses()
        for name in self._in_order():
            self._read(name)

    def _digest(self):
        """What CMakeLists.txt makes of the headers: without comments and space between words."""
        text = re.sub(r"//[^\n]*", "", "".join(self.texts.values()))
        return hashlib.sha256(re.sub(r"[ \t\n]+", " ", text).encode()).hexdigest()

    def _in_order(self):
        """Headers after those that they include; elements.h has nothing but inline functions around build.h."""
        done: list[str] = []

        def visit(name):
            if name in done or name not in self.texts or name == "elements.h":
                return
            for included in re.findall(r"#include <mbsens/([a-z_]+\.h)>", self.texts[name]):
                visit(included)
            done.append(name)

        for name in self.texts:
            visit(name)
        return done

    def _read_statuses(self):
        listed = re.findall(r'X\((\w+), "([^"]*)", \d+\)', self.texts["status.h"])
        self._enums.add("MbsStatus")
        for number, (name, meaning) in enumerate(listed):
            self.values[f"MBS_{name}"] = number
            self.statuses[number] = (name, meaning)

    # ---- declarations ----
    def _read(self, header):
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", self.texts[header], flags=re.S)
        text = re.sub(r"(^|\n)[ \t]*#(\\\n|[^\n])*", "\n", text)  # the preprocessor's
        text = re.sub(r'extern "C" \{', "", text)
        if header == "status.h":
            return
        for declaration in _split(text):
            declaration = " ".join(declaration.split())
            if not (declaration in ("", "}") or self._read_one(declaration)):
                self.unread.append(f"{header}: {declaration}")

    def _read_one(self, text):
        opaque = re.fullmatch(r"(?:typedef )?struct (\w+)(?: (\w+))?", text)
        if opaque:
            self.structs.setdefault(opaque.group(1), type(opaque.group(1), (ctypes.Structure,), {}))
            return True
        enum = re.fullmatch(r"(?:typedef )?enum ?(\w*) \{(.*?),? ?\}(?: (\w+))?", text)
        if enum:
            self._enums.add(enum.group(3) or "")
            return self._read_enum(enum.group(2))
        struct = re.fullmatch(r"typedef struct (\w+) \{(.*)\} (\w+)", text)
        if struct:
            return self._read_struct(struct.group(1), struct.group(2))
        return self._read_function(text)

    def _read_enum(self, body):
        number = -1
        for item in body.split(","):
            name, _, value = (word.strip() for word in item.partition("="))
            number = int(value) if value else number + 1
            self.values[name] = number
        return True

    def _read_struct(self, name, body):
        struct = self.structs.setdefault(name, type(name, (ctypes.Structure,), {}))
        fields = []
        for member in filter(None, (line.strip() for line in body.split(";"))):
            read = self._read_member(member)
            if read is None:
                return False
            fields += read
        struct._fields_ = fields
        return True

    def _read_member(self, text):
        pointer = re.fullmatch(r"(.*?)\(\*(\w+)\)\((.*)\)", text)
        if pointer:
            return [(pointer.group(2), self._callback(pointer.group(1), pointer.group(3)))]
        base, *others = [part.strip() for part in text.split(",")]
        base, first = re.fullmatch(r"([\w ]+?) ?(\*?(?:const\b ?)?\**\w+(?:\[\w+\])*)", base).groups()
        fields = []
        for part in [first] + others:
            stars, name, sizes = re.fullmatch(r"((?:\*|const\b|\s)*)(\w+)((?:\[\w+\])*)", part).groups()
            field = self._type(base + stars)
            if field is None:
                return None
            for size in reversed(re.findall(r"\[(\w+)\]", sizes)):
                field = field * (int(size) if size.isdigit() else self.values[size])
            fields.append((name, field))
        return fields

    def _read_function(self, text):
        read = re.fullmatch(r"(.*?[ *])(mbs_\w+)\((.*)\)", text)
        if not read or " inline " in text:
            return False
        result = self._type(read.group(1), is_result=True)
        arguments = [] if read.group(3) == "void" else [self._argument(a) for a in _split_arguments(read.group(3))]
        if result is False or False in arguments:
            return False
        self.functions[read.group(2)] = Function(read.group(2), result, arguments)
        self.prototypes[read.group(2)] = text
        return True

    # ---- types ----
    def _callback(self, result, arguments):
        types = [self._argument(argument, is_callback=True) for argument in _split_arguments(arguments)]
        return ctypes.CFUNCTYPE(self._type(result, is_result=True), *types)

    def _argument(self, text, is_callback=False):
        pointer = re.fullmatch(r"(.*?)\(\*(\w+)\)\((.*)\)", text)
        if pointer:
            return self._callback(pointer.group(1), pointer.group(3))
        read = re.fullmatch(r"(.*?[ *])(\w+)(\[\w*\])?", text)
        if not read:
            return False
        declared = read.group(1) + ("*" if read.group(3) else "")
        return self._type(declared, is_result=is_callback, is_argument=not is_callback)

    def _type(self, text, is_result=False, is_argument=False):
        """The ctypes type of a C type. Numbers behind pointers are addresses (arrays of NumPy have them); False or None
        where there is none."""
        words = re.sub(r"\b(const|struct)\b", " ", text.replace("*", " * ")).split()
        base, depth = words[0] if words else "", words.count("*")
        if len(words) != 1 + depth:
            return False if is_result or is_argument else None
        if base == "char" and depth > 0:
            # a text that is not const is the caller's to destroy: its address must not get lost
            found, depth = ctypes.c_char_p if "const" in text else ctypes.c_void_p, depth - 1
        elif base in self._enums:
            found = ctypes.c_int
        elif base in _SCALARS:
            found = _SCALARS[base]
            if depth == 1 and (base == "void" or is_argument or is_result):
                return ctypes.c_void_p
        elif base in self.structs:
            found = self.structs[base]
        else:
            return False if is_result or is_argument else None
        for _ in range(depth):
            found = ctypes.POINTER(found) if found is not None else ctypes.c_void_p
        return found


def _split(text):
    """Declarations end with a semicolon outside of braces; inline functions with their brace."""
    depth, begin = 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if depth < 0:  # of extern "C"
            depth, begin = 0, place + 1
        elif letter == ";" and depth == 0:
            yield text[begin:place]
            begin = place + 1
    yield text[begin:]


def _split_arguments(text):
    depth, begin = 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            yield text[begin:place].strip()
            begin = place + 1
    yield text[begin:].strip()
