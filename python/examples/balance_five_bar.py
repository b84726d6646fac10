# needs: scipy
"""The five-bar linkage balanced: natural lengths of its two springs with which a point, let go, stays where it is.

psi1 is the integral of the squared distance of that point from where it was. The optimiser gets exact gradients.
"""

from pathlib import Path

import mbsens
from scipy.optimize import minimize

MODEL = Path(__file__).resolve().parents[2] / "models" / "five_bar.yaml"


def main():
    simulation = mbsens.Model.from_file(MODEL).simulation(wrt=["Ls1", "Ls2"], end=1)
    psi1 = simulation.function("psi1")
    found = minimize(psi1, psi1.x0, jac=psi1.jac, method="BFGS", options={"gtol": 1e-12})

    print(f"before: Ls1, Ls2 = {psi1.x0[0]:.5f}, {psi1.x0[1]:.5f}   psi1 = {psi1(psi1.x0):.3e}")
    print(f"after:  Ls1, Ls2 = {found.x[0]:.5f}, {found.x[1]:.5f}   psi1 = {found.fun:.3e}, {psi1.runs} runs")
    assert found.fun < 1e-10
    assert abs(found.x[0] - 2.43192) < 1e-5 and abs(found.x[1] - 1.84487) < 1e-5


if __name__ == "__main__":
    main()
