# needs: torch
"""PyTorch differentiates through simulations: gradcheck, by parameters and by inputs, through an impact."""

import unittest
from pathlib import Path

import mbsens
import mbsens.torch
import numpy as np
import torch

MODELS = Path(__file__).resolve().parents[2] / "models"
# a ball that is pushed, and bounces at 0.45 s and later
PUSHED_BALL = """
mbsens: 1
gravity: [0, -10]
parameters: {e: 0.7, m: 1}
inputs: {u: 0}
bodies: {ball: {mass: m, points: {P: [0, 0]}, position: [0, 1]}}
forces: [{point_force: ball.P, value: [0.3*u, u]}]
events: {floor: {when: r(P).y, direction: falling, restitution: e}}
outputs: {height: r(P).y}
objectives: {x: {final: r(P).x}, y: {final: r(P).y}, work: {integral: u*v(P).y}}
simulation: {end: 1, step: 0.01}
"""


def double(values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


class TestTorch(unittest.TestCase):
    def test_parameters(self):
        for method in ("direct", "adjoint"):
            model = mbsens.Model.from_file(MODELS / "five_bar.yaml")
            simulation = model.simulation(method=method, objectives=["psi1", "psi2"], wrt=["Ls1", "mA1"], end=0.4)
            x = double([2.2, 1.1])
            values = mbsens.torch.run(simulation, x)
            self.assertGreater(float(values.detach().abs().min()), 1e-6)
            self.assertTrue(torch.autograd.gradcheck(lambda p: mbsens.torch.run(simulation, p), (x,), eps=1e-6,
                                                     atol=1e-8, rtol=1e-6))

    def test_inputs_through_an_impact(self):
        simulation = mbsens.Model.from_text(PUSHED_BALL).simulation(method="adjoint")
        x, u = double([0.75, 1.2]), double([[0.5], [-1.0], [2.0], [0.25]])
        run = lambda p, w: mbsens.torch.run(simulation, p, w, hold=0.25)
        values = run(x, u)
        self.assertEqual([event.name for event in simulation.result().events], ["floor"])
        self.assertTrue(torch.autograd.gradcheck(run, (x, u), eps=1e-6, atol=1e-7, rtol=1e-5))
        values.square().sum().backward()
        expected = 2 * (simulation.run(x.detach().numpy(), u.detach().numpy(), hold=0.25) @ simulation.gradient)
        np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-13)

    def test_rows_after_the_end_change_nothing(self):
        simulation = mbsens.Model.from_text(PUSHED_BALL).simulation(method="adjoint")
        u = double(np.ones((6, 1)))
        mbsens.torch.run(simulation, None, u, hold=0.25).sum().backward()
        self.assertEqual((u.grad[:, 0] != 0).tolist(), [True] * 4 + [False] * 2)

    def test_runs_between(self):
        """The backward pass belongs to its forward pass, whatever ran since then."""
        simulation = mbsens.Model.from_file(MODELS / "pendulum.yaml").simulation(wrt="phi0", end=0.1)
        a, b = double([0.3]), double([0.9])
        first, second = mbsens.torch.run(simulation, a), mbsens.torch.run(simulation, b)
        first[0].backward()
        second[0].backward()
        self.assertEqual(float(a.grad), simulation.jacobian([0.3])[0, 0])
        self.assertEqual(float(b.grad), simulation.jacobian([0.9])[0, 0])
        single = torch.tensor([0.3], requires_grad=True)
        mbsens.torch.run(simulation, single)[0].backward()
        self.assertEqual(single.grad.dtype, torch.float32)

    def test_steps(self):
        """A policy in closed loop, through an impact: each step a layer, against differences of the whole chain."""
        map = mbsens.StepMap(mbsens.Model.from_text(PUSHED_BALL), objectives=[], step=0.05)
        q0, v0 = double([0.0, 0.3]), double([0.2, -2.0])

        def chain(gain, p, q, v):
            total = 0
            for k in range(8):
                u = torch.tanh(gain[0] * q[1] + gain[1] * v[1]).reshape(1)
                q, v, _ = mbsens.torch.steps(map, q, v, u, p, time=0.05 * k)
                total = total + (q[1] - 0.5) ** 2 + 0.1 * u.sum() ** 2
            return total

        gain, p = double([0.4, -0.3]), double([0.75, 1.2])
        self.assertTrue(torch.autograd.gradcheck(chain, (gain, p, q0, v0), eps=1e-6, atol=1e-7, rtol=1e-5))
        together = mbsens.torch.steps(map, q0, v0, torch.zeros(8, 1, dtype=torch.float64), p, steps=8)
        q, v = q0, v0
        for k in range(8):
            q, v, _ = mbsens.torch.steps(map, q, v, torch.zeros(1, dtype=torch.float64), p, time=0.05 * k)
        np.testing.assert_allclose(q.detach(), together[0].detach(), atol=1e-9)
        self.assertGreater(float(v[1].detach()), -1)  # it has bounced: without that it would be -6

    def test_trajectory(self):
        """A loss of a whole trajectory, through an impact, by state, inputs and parameters; and of one from the start."""
        map = mbsens.StepMap(mbsens.Model.from_text(PUSHED_BALL), objectives=["work"], step=0.05)
        q0, v0, p = double([0.0, 0.3]), double([0.2, -2.0]), double([0.75, 1.2])
        u = double(np.linspace(-1, 1, 8)[:, None])
        rows = lambda *x: mbsens.torch.trajectory(map, *x, steps=8)
        self.assertEqual([tuple(tensor.shape) for tensor in rows(q0, v0, u, p)], [(9, 2)] * 3 + [(9, 1), (1,)])
        self.assertTrue(torch.autograd.gradcheck(rows, (q0, v0, u, p), eps=1e-6, atol=1e-6, rtol=1e-5))
        from_start = lambda p: mbsens.torch.trajectory(map, None, None, None, p, steps=15).position
        self.assertTrue(torch.autograd.gradcheck(from_start, (p,), eps=1e-6, atol=1e-6, rtol=1e-5))
        # another run, and other parameters, between the two passes
        loss = (rows(q0, v0, u)[0][:, 1] - 0.5).square().sum()
        map.set_parameters([0.6, 2.0])
        map.run(steps=2)
        loss.backward()
        again = double([0.2, -2.0])
        map.set_parameters([0.6, 2.0])
        got = v0.grad.clone()
        (rows(double([0.0, 0.3]), again, u, double([0.6, 2.0]))[0][:, 1] - 0.5).square().sum().backward()
        self.assertGreater(float((again.grad - got).abs().max()), 1e-3)
        for words, arguments in {"nothing to differentiate": (map,), "a StepMap": (1, q0, v0),
                                 "must be a tensor": (map, [0.0, 1.0], v0)}.items():
            with self.assertRaises(mbsens.UsageError) as caught:
                mbsens.torch.trajectory(*arguments)
            self.assertIn(words, str(caught.exception))

    def test_refused(self):
        model = mbsens.Model.from_file(MODELS / "pendulum.yaml")
        still, simulation = model.simulation(method=None, end=0.1), model.simulation(wrt="m", end=0.1)
        for words, arguments in {
            "method None": (still, double([1.0, 1, 1, 1, 1])),
            "method adjoint": (simulation, double([1.0]), double([[1.0]])),
            "must be a tensor": (simulation, [1.0]),
            "a Simulation": (model, double([1.0])),
            "nothing to differentiate": (simulation,),
            "shape 1, got 2": (simulation, double([1.0, 2.0])),
        }.items():
            with self.assertRaises(mbsens.UsageError) as caught:
                mbsens.torch.run(*arguments)
            self.assertIn(words, str(caught.exception))
        with self.assertRaises(RuntimeError):  # of second derivatives
            x = double([2.0])
            slope, = torch.autograd.grad(mbsens.torch.run(simulation, x)[0], x, create_graph=True)
            slope.backward()


if __name__ == "__main__":
    unittest.main()
