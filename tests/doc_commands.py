"""Every command that the documentation shows, run: python3 tests/doc_commands.py COMMAND

In a folder with a copy of models/, page after page, so that a command finds what one before it wrote. A command must succeed; where a page
shows behind `$ mbsens ...` what it prints, those lines must be printed, in their order and with numbers as tests/tutorial.py compares them.
Left out: the tutorial and the papers' figures, which are run by themselves, and lines that are no whole command (MODEL, FILE, ...).
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^ *```", re.M | re.S)
OTHERS = {"docs/tutorial.md", "docs/paper-figures.md"}
# not run: what takes long, and what needs files that a reader has
LEFT_OUT = re.compile(r"mbsens verify|car_circle|--step 5e-6|mpirun|MODEL|FILE|TOPIC|COMMAND|\.\.\.|<|NAME|measured\.csv|my_|--samples \d{4,}|n_four_bar_40|errors\.csv|circle\.csv")


def commands(text):
    """(line, command, lines that it prints or None) of a page."""
    for match in FENCE.finditer(text):
        lines = match[3].rstrip("\n").split("\n")
        first = text.count("\n", 0, match.start()) + 2
        i = 0
        while i < len(lines):
            line, at = lines[i].strip(), first + i
            i += 1
            found = re.match(r"(\$ )?(?:build/)?(mbsens .*)", line)
            if not found:
                continue
            command = found[2]
            while command.endswith("\\") and i < len(lines):
                command = command[:-1] + lines[i].strip()
                i += 1
            shown = []
            while found[1] and i < len(lines) and not lines[i].startswith("$"):
                shown.append(lines[i].rstrip())
                i += 1
            yield at, command, [text for text in shown if text.strip() and text.strip() != "..."]
    plain = FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    for match in re.finditer(r"^    (mbsens (?:.*\\\n +)*.*)$", plain, re.M):
        yield plain.count("\n", 0, match.start()) + 1, match[1].replace("\\\n", " "), []


def without_time(line, has_times):
    line = re.sub(r"gradients (direct|adjoint)", "gradients", line)  # what costs less, measured
    return re.sub(r"\s+\S+$", "", line) if has_times and re.search(r"\d$", line) else line


def main():
    sys.path.insert(0, str(ROOT / "tests"))
    from page_numbers import is_same
    command = str(Path(sys.argv[1]).resolve())
    pages = sys.argv[2:] or ["README.md", *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md"))]
    count = numbers = left = 0
    slow = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        shutil.copytree(ROOT / "models", "models")
        shutil.copytree(ROOT / "tests/models", "tests/models")
        (Path("bin")).mkdir()
        (Path("bin") / "mbsens").symlink_to(command)
        environment = {**os.environ, "PATH": f"{Path('bin').resolve()}:{os.environ['PATH']}"}
        for page in pages:
            for line, text, shown in commands((ROOT / page).read_text(encoding="utf-8")) if page not in OTHERS else []:
                text = re.sub(r"\s+#.*$", "", text)
                if LEFT_OUT.search(text):
                    left += 1
                    continue
                began = time.time()
                done = subprocess.run(["sh", "-c", text], capture_output=True, text=True, env=environment, check=False)
                slow.append((time.time() - began, text))
                if re.search(r"built without|is not built in|not in this build", done.stderr):  # an optional component
                    left += 1
                    continue
                if done.returncode != 0:
                    sys.exit(f"{page}:{line}: $ {text}\nexit status {done.returncode}\n{done.stderr}")
                has_times = any(expected.endswith("seconds") for expected in shown)  # the last column, another each time
                printed = iter([without_time(found, has_times) for found in done.stdout.splitlines()])
                for expected in (without_time(expected, has_times) for expected in shown):
                    same = next((n for n in (is_same(expected, found) for found in printed) if n is not None), None)
                    if same is None:
                        sys.exit(f"{page}:{line}: $ {text}\nshown, and not printed:\n  {expected}\nprinted:\n{done.stdout}")
                    numbers += same
                count += 1
    if os.environ.get("SLOW"):
        print("\n".join(f"{seconds:.1f} s  {text}" for seconds, text in sorted(slow, reverse=True)[:12]))
    assert sys.argv[2:] or (count > 40 and numbers > 80), (count, numbers)
    print(f"{count} commands of {len(pages)} pages, {numbers} numbers as printed, {left} commands left out")


main()
