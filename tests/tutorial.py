"""A page followed word by word: python3 tests/tutorial.py COMMAND PAGE.md

In an empty folder. A fenced block behind `<!-- file: NAME -->` becomes that file, one behind `<!-- append: NAME -->` is added
to it. In every block ```console a line `$ mbsens ...` is run, and the lines behind it are what it prints: numbers to 1e-3
of themselves (1e-6 is 0: what vanishes is rounding), other words as they are; a line `...` stands for any lines. Fails where a command does, where
something else is printed, or where no number was compared.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
from page_numbers import is_same  # noqa: E402  # of this folder

BLOCK = re.compile(r"(?:<!-- (file|append): (\S+) -->\n)?```(\w*)\n(.*?)^```", re.M | re.S)
def compare(expected, found):
    """Lines against lines; how many numbers were the same."""
    at, count, is_free = 0, 0, False
    for line in expected:
        if line.strip() == "...":
            is_free = True
            continue
        numbers = None
        while at < len(found) and numbers is None:
            numbers = is_same(line, found[at])
            at += 1
            if numbers is None and not is_free:
                raise AssertionError(f"expected\n  {line}\nfound\n  {found[at - 1]}")
        if numbers is None:
            raise AssertionError(f"expected, and not printed:\n  {line}")
        count, is_free = count + numbers, False
    if at < len(found) and not is_free and any(line.strip() for line in found[at:]):
        raise AssertionError(f"printed, and not expected:\n  {found[at]}")
    return count


def run(command, line):
    arguments = line.split()
    assert arguments[0] == "mbsens", f"only mbsens is run here, not: {line}"
    done = subprocess.run([command, *(text.strip("'\"") for text in arguments[1:])], capture_output=True, text=True)
    assert done.returncode == 0, f"$ {line}\nexit status {done.returncode}\n{done.stderr}"
    return [text.rstrip() for text in done.stdout.splitlines()]


def main():
    command, page = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).read_text(encoding="utf-8")
    commands = numbers = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for kind, name, language, text in BLOCK.findall(page):
            if kind:
                with open(name, "a" if kind == "append" else "w", encoding="utf-8") as file:
                    file.write(text)
            elif language == "console":
                for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
                    line, *expected = part.rstrip("\n").split("\n")
                    try:
                        numbers += compare([text.rstrip() for text in expected], run(command, line)) if expected else (
                            run(command, line), 0)[1]
                    except AssertionError as error:
                        sys.exit(f"{sys.argv[2]}: $ {line}\n{error}")
                    commands += 1
    assert commands > 5 and numbers > 20, (commands, numbers)
    print(f"{sys.argv[2]}: {commands} commands, {numbers} numbers as printed")


main()
