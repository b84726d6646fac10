# needs: scipy
"""Terms as arrays and sparse matrices: against their definitions, against finite motion, products against matrices."""

import unittest
from pathlib import Path

import mbsens
import numpy as np
from scipy.sparse import csc_matrix, issparse
from scipy.sparse.linalg import spsolve

MODELS = Path(__file__).resolve().parents[2] / "models"
CASES = [("five_bar", "natural"), ("five_bar", "relative"), ("rssr", "natural"), ("rssr", "relative")]


def terms_of(name, coordinates, **options):
    return mbsens.Terms(mbsens.Model.from_file(MODELS / f"{name}.yaml"), coordinates=coordinates, **options)


class TestTerms(unittest.TestCase):
    def test_definitions(self):
        random = np.random.default_rng(2)
        for name, coordinates in CASES:
            terms = terms_of(name, coordinates)
            t, q, v = terms.state
            n = len(terms.coordinates)
            M, Phi_q = terms.M, terms.Phi_q
            self.assertTrue(issparse(M) and M.shape == (n, n))
            self.assertEqual(Phi_q.shape, (len(terms.constraints), n))
            # the kinetic energy is half of v' M v
            w = random.normal(size=n)
            terms.set_state(t, q, w)
            self.assertAlmostEqual(terms.energies()[0], 0.5 * w @ (M @ w), delta=1e-12 * abs(w @ (M @ w)))
            # constraints change along a motion as their Jacobian says
            eps = 1e-6
            ahead, behind = (self.at(terms, q + s * eps * w) for s in (1, -1))
            np.testing.assert_allclose((ahead - behind) / (2 * eps), Phi_q @ w, atol=1e-8)
            # M a + h + Phi_q' lambda = Q of the motion
            terms.set_state(t, q, v)
            left = M @ terms.accelerations + terms.bias + Phi_q.T @ terms.multipliers - terms.Q
            np.testing.assert_allclose(left, 0, atol=1e-10 * np.abs(terms.Q).max())
            self.assertGreater(np.abs(terms.accelerations).max(), 0.1)
            np.testing.assert_allclose(Phi_q @ terms.accelerations, terms.gamma, atol=1e-9)

    @staticmethod
    def at(terms, q):
        terms.set_state(0, q, np.zeros_like(q))
        return terms.Phi

    def test_products_and_differences(self):
        random = np.random.default_rng(4)
        for name, coordinates in CASES:
            terms = terms_of(name, coordinates)
            t, q, v = terms.state
            v = v + 0.1 * terms.matrix("positions", "independent_positions") @ random.normal(
                size=len(terms.independent_positions))
            terms.set_state(t, q, v)
            for of in ("accelerations", "balance", "outputs"):
                for by in ("positions", "velocities", "parameters"):
                    J = terms.matrix(of, by)
                    if J.shape[0] == 0 or J.nnz == 0:
                        continue
                    u, w = random.normal(size=J.shape[1]), random.normal(size=J.shape[0])
                    scale = 1e-12 * (np.abs(w) @ np.abs(J) @ np.abs(u))
                    np.testing.assert_allclose(terms.jvp(of, by, u), J @ u, atol=1e-12 * (np.abs(J) @ np.abs(u)).max())
                    self.assertLessEqual(abs(w @ terms.jvp(of, by, u) - terms.vjp(of, by, w) @ u), scale)
            x = random.normal(size=len(terms.wrt)) * 1e-3
            p = np.array([terms.model.parameters[parameter] for parameter in terms.wrt])
            a = []
            slope = terms.jvp("accelerations", "parameters", x)
            for sign in (1, -1):
                terms.set_parameters(p + sign * 1e-3 * x)
                terms.set_state(t, q, v)
                a.append(terms.accelerations)
            np.testing.assert_allclose((a[0] - a[1]) / 2e-3, slope, rtol=1e-5, atol=1e-6 * np.abs(slope).max())

    def test_matrices_are_your_own(self):
        terms = terms_of("five_bar", "natural")
        first = terms.Phi_q
        kept = first.toarray()
        first.data[:] = 0
        first.eliminate_zeros()
        np.testing.assert_array_equal(terms.Phi_q.toarray(), kept)
        self.assertIsInstance(first, csc_matrix)
        from mbsens.terms import Columns
        whole = terms.Phi_q
        np.testing.assert_array_equal(Columns(whole.data, whole.indices, whole.indptr, whole.shape).toarray(), kept)

    def test_points_and_coordinates(self):
        natural, relative = terms_of("five_bar", "natural"), None
        relative = mbsens.Terms(natural.model, coordinates="relative")
        relative.take_state(natural)
        place, jacobian = natural.point("L12", [np.sqrt(3.25), 0])
        np.testing.assert_allclose(place, natural.state.position[2:4], atol=1e-14)
        np.testing.assert_allclose(relative.point("L12", [np.sqrt(3.25), 0])[0], place, atol=1e-12)
        self.assertEqual(jacobian.shape, (2, 6))
        reactions = natural.reactions()
        self.assertEqual(reactions["revolute 1"].shape, (2, 3))
        for joint, reaction in relative.reactions().items():
            np.testing.assert_allclose(reaction, reactions[joint], atol=1e-8)
        # the motion by hand: M and Phi_q in one system
        n, m = len(natural.coordinates), len(natural.constraints)
        from scipy.sparse import bmat
        both = bmat([[natural.M, natural.Phi_q.T], [natural.Phi_q, None]], format="csc")
        solved = spsolve(both, np.concatenate([natural.Q, natural.gamma]))
        np.testing.assert_allclose(solved[:n], natural.accelerations, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(solved[n:], natural.multipliers, rtol=1e-9, atol=1e-9)

    def test_refused(self):
        terms = terms_of("five_bar", "natural")
        for words, call in {
            "no vector 'mass'": lambda: terms.vector("mass"),
            "no argument 'times'": lambda: terms.matrix("phi", "times"),
            "shape 6, got 1": lambda: terms.set_state(0, [1], [1]),
            "finite": lambda: terms.set_state(0, [np.nan] * 6, [0] * 6),
            "one number": lambda: terms.set_state([0], [0] * 6, [0] * 6),
            "the direction of the positions must have the shape 6": lambda: terms.jvp("phi", "positions", [1]),
            "body": lambda: terms.set_point("nobody", [0, 0]),
            "other Terms": lambda: terms.take_state(terms),
            "Terms needs a Model": lambda: mbsens.Terms("five_bar"),
        }.items():
            with self.assertRaises(mbsens.Error) as caught:
                call()
            self.assertIn(words, str(caught.exception))
        terms.close()
        with self.assertRaises(mbsens.UsageError):
            terms.M


if __name__ == "__main__":
    unittest.main()
