"""Makes wheels of the package (PEP 517, and PEP 660 for `pip install -e`) with the shared library and its headers inside,
and with the command mbsens, if it is built.

The library is that of the build folder of these sources, or the file that MBSENS_LIBRARY names; the command stands beside
it, or MBSENS_COMMAND names it. The wheel needs what these need: libfyaml, KLU of SuiteSparse, ..., which the system has.
"""

import base64
import hashlib
import os
import re
import sysconfig
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parent
HEADERS = SOURCES / "include" / "mbsens"

METADATA = """Metadata-Version: 2.1
Name: mbsens
Version: {version}
Summary: constrained multibody systems and exact gradients of what they do
License: MIT
Requires-Python: >=3.9
Requires-Dist: numpy
"""


def _version():
    return re.search(r'#define MBS_VERSION "(.*)"', (HEADERS / "mbsens.h").read_text()).group(1)


def _library():
    named = os.environ.get("MBSENS_LIBRARY")
    library = Path(named) if named else SOURCES / "build" / "libmbsens.so"
    if not library.is_file():
        raise SystemExit(f"there is no {library}: build it first, with \"make library\", or name it in MBSENS_LIBRARY")
    return library


def _command():
    named = os.environ.get("MBSENS_COMMAND")
    command = Path(named) if named else _library().parent / "mbsens"
    return command if command.is_file() else None


def _tag():
    return "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


def _write(folder, files):
    """files: name in the wheel, contents."""
    version, tag = _version(), _tag()
    info = f"mbsens-{version}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: mbsens\nRoot-Is-Purelib: false\nTag: {tag}\n"
    files = files + [
        (f"{info}/METADATA", METADATA.format(version=version).encode()),
        (f"{info}/WHEEL", wheel.encode()),
        (f"{info}/LICENSE", (SOURCES / "LICENSE").read_bytes()),
    ]
    record = []
    name = f"mbsens-{version}-{tag}.whl"
    with zipfile.ZipFile(Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, contents in files:
            digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(contents)}")
            entry = zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if "/scripts/" in path else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, contents)
        record.append(f"{info}/RECORD,,\n")
        archive.writestr(zipfile.ZipInfo(f"{info}/RECORD", (2020, 1, 1, 0, 0, 0)), "\n".join(record))
    return name


# ---- what pip calls ----
def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    files = [(f"mbsens/{path.name}", path.read_bytes()) for path in sorted((HERE / "mbsens").glob("*.py"))]
    files += [("mbsens/py.typed", b"")]
    files += [(f"mbsens/include/mbsens/{path.name}", path.read_bytes()) for path in sorted(HEADERS.glob("*.h"))]
    files += [("mbsens/libmbsens.so", _library().read_bytes())]
    if _command():
        files += [(f"mbsens-{_version()}.data/scripts/mbsens", _command().read_bytes())]
    return _write(wheel_directory, files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _write(wheel_directory, [("mbsens.pth", f"{HERE}\n".encode())])


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_editable = get_requires_for_build_wheel


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("the package belongs to the sources of mbsens and is made from there: there is no sdist of it alone")
