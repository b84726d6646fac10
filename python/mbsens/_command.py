"""The command mbsens, for what is made of it alone: reports, studies, files of sweeps."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path

from . import errors
from ._library import path as library_path

_BESIDE = Path(library_path).resolve().parent
_BY_EXIT = {2: errors.InputError, 3: errors.NumericalError}


def find() -> str:
    """MBSENS_COMMAND; where wheels have it; beside the library; on the PATH."""
    candidates = [os.environ.get("MBSENS_COMMAND"), Path(sysconfig.get_path("scripts")) / "mbsens", _BESIDE / "mbsens",
                  _BESIDE.parent / "bin" / "mbsens", shutil.which("mbsens")]
    for candidate in candidates:
        if candidate and os.access(candidate, os.X_OK):
            return str(candidate)
    raise errors.LibraryError("the command mbsens is not there: build it, install it, or name it in MBSENS_COMMAND")


def run(*arguments: str) -> str:
    """What the command prints on standard output; its errors are exceptions."""
    made = subprocess.run([find(), *map(str, arguments)], capture_output=True, text=True, check=False)
    if made.returncode:
        sentences = [line for line in made.stderr.splitlines() if line.strip()] or [f"exit status {made.returncode}"]
        told = sentences[0].removeprefix("mbsens: ").replace(": error: ", ": ", 1)
        raise _BY_EXIT.get(made.returncode, errors.Error)(told, sentences)
    return made.stdout


def run_model(command: str, model, options: dict, *arguments: str) -> str:
    """The command of a model in memory. Options: vary=..., wrt=["k", "c"], maximize=True are --vary, --wrt, --maximize."""
    words = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        words.append("--" + name.replace("_", "-"))
        if value is not True:
            words.append(",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.yaml"
        model.save(path)
        return run(command, path, *words, *arguments)


class Report:
    """A page that shows a run; in a notebook it shows itself. ``save(path)`` writes it."""

    def __init__(self, html: str):
        self.html = html

    def save(self, path) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self):
        import html

        return (f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts" '
                'style="width:100%;height:720px;border:0"></iframe>')

    def __repr__(self):
        return f"Report({len(self.html)} letters)"
