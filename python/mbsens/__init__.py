"""mbsens: constrained multibody systems and exact gradients of what they do.

    import mbsens
    model = mbsens.Model.from_file("models/five_bar.yaml")
    print(model.gradient(["psi1"], ["Ls1", "Ls2"]).to_frame())

:class:`Model` reads, builds and runs models; :class:`Simulation` holds one compiled, to run or step many times. Errors
are exceptions, all of them :class:`Error`. SI units, radians. The tutorial is docs/python.md.
"""

from ._library import path as library_path
from ._library import version as __version__
from .errors import (
    Error,
    FileError,
    InputError,
    InternalError,
    Interrupted,
    LibraryError,
    NotOfferedError,
    NumericalError,
    OutOfMemoryError,
    Place,
    UsageError,
)
from ._command import run as command
from .equilibria import Equilibria
from .hessian import Hessian
from .history import History
from .identification import Identification
from .linear import Linearization, Mode
from .model import Model
from .optimization import Optimum
from .result import Result
from .results import Results, read_results
from .simulation import Function, Simulation, State
from .step import StepMap, Trajectory
from .sweep import Sweep
from .terms import Terms

__all__ = [
    "Equilibria", "Error", "FileError", "Function", "Hessian", "History", "Identification", "InputError", "InternalError",
    "Interrupted", "LibraryError", "Linearization", "Mode", "Model", "NotOfferedError", "NumericalError", "Optimum",
    "OutOfMemoryError", "Place", "Result", "Results", "Simulation", "State", "StepMap", "Sweep", "Terms", "Trajectory",
    "UsageError", "command", "read_results",
]
