"""The recipe for JAX of docs/python.md, with JAX where it is there, else with a stand-in of the names that it uses: one that
insists on the shapes and types that callbacks announce, and hides from the functions what a traced array would not have."""

import importlib.util
import re
import sys
import types
import unittest
from pathlib import Path

import mbsens
import numpy as np

ROOT = Path(__file__).resolve().parents[2]


def stand_in():
    jax = types.ModuleType("jax")
    jax.config = types.SimpleNamespace(update=lambda name, value: None)

    class ShapeDtypeStruct:
        def __init__(self, shape, dtype):
            self.shape, self.dtype = tuple(shape), np.dtype(dtype)

    def meets(value, announced):
        if isinstance(announced, tuple):
            assert isinstance(value, tuple) and len(value) == len(announced)
            return tuple(meets(*pair) for pair in zip(value, announced))
        assert isinstance(value, np.ndarray) and value.shape == announced.shape and value.dtype == announced.dtype
        return value

    def pure_callback(callback, result_shape_dtypes, *args, sharding=None, vmap_method=None, **kwargs):
        given = [np.array(arg) for arg in args]
        for array in given:
            array.flags.writeable = False  # arrays of JAX are constant
        return meets(callback(*given, **kwargs), result_shape_dtypes)

    class custom_vjp:
        def __init__(self, fun):
            self.fun = fun

        def defvjp(self, fwd, bwd):
            self.fwd, self.bwd = fwd, bwd

        def __call__(self, *args):
            return self.fun(*args)

    def vjp(function, *primals):
        out, residuals = function.fwd(*primals)

        def pull(bar):
            found = function.bwd(residuals, bar)
            assert isinstance(found, tuple) and len(found) == len(primals)
            return found

        return out, pull

    jax.ShapeDtypeStruct, jax.pure_callback, jax.custom_vjp, jax.vjp = ShapeDtypeStruct, pure_callback, custom_vjp, vjp
    return jax


def load():
    """The functions of the page, and jax."""
    if "jax" not in sys.modules and importlib.util.find_spec("jax") is None:
        sys.modules["jax"] = stand_in()
    block, = (block for block in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text(), re.S)
              if "import jax" in block)
    names = {}
    exec(compile(block, "docs/python.md", "exec"), names)
    return names


class TestRecipe(unittest.TestCase):
    def test_objectives(self):
        names = load()
        model = mbsens.Model.from_file(ROOT / "models" / "five_bar.yaml")
        for method in ("direct", "adjoint"):
            simulation = model.simulation(objectives=["psi1", "psi3"], wrt=["Ls1", "mA1"], end=0.2, method=method)
            run, x, bar = names["objectives_of"](simulation), np.array([2.2, 1.1]), np.array([2.0, -0.5])
            np.testing.assert_array_equal(run(x), simulation.run(x))
            expected = bar @ simulation.gradient
            values, pull = names["jax"].vjp(run, x)
            simulation.run([2.0, 1.0])  # between the two passes
            np.testing.assert_allclose(np.asarray(pull(bar)[0]), expected, rtol=1e-14)

    def test_rows(self):
        """The gradient of a loss of all rows, through an impact, against differences."""
        names = load()
        text = (ROOT / "models" / "bouncing_ball.yaml").read_text()
        model = mbsens.Model.from_text(text + "outputs: {px: r(P).x, py: r(P).y}\n")
        map = mbsens.StepMap(model, objectives=[], step=0.02)
        rows = names["outputs_of"](map, 40)
        x = np.array(list(map.parameters.values()))
        self.assertEqual(np.asarray(rows(x)).shape, (41, 2))
        found, pull = names["jax"].vjp(rows, x)
        map.run(steps=3)
        gradient = np.asarray(pull(2 * np.asarray(found))[0])
        loss = lambda x: np.sum(np.asarray(rows(x)) ** 2)
        for k in range(len(x)):
            e = np.zeros(len(x))
            e[k] = 1e-6 * max(1, abs(x[k]))
            slope = (loss(x + e) - loss(x - e)) / (2 * e[k])
            self.assertAlmostEqual(gradient[k], slope, delta=1e-6 * max(1, abs(slope)))
        self.assertGreater(np.abs(gradient).max(), 0.1)


if __name__ == "__main__":
    unittest.main()
