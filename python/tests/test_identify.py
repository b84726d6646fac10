"""Identification: what numpy's regression finds, with its covariance; files and arrays alike; what is refused."""

import numpy as np

import mbsens

LINE = """
mbsens: 1
name: line
parameters: {x0: 0.5, v0: {value: 1, lower: -10, upper: 10}}
coordinates: {x: {inertia: 2}}
initial: {independent: [{coordinate: x, value: x0, velocity: v0}]}
outputs: {place: x}
simulation: {end: 2, step: 0.1, formulation: index1}
"""

model = mbsens.Model.from_text(LINE)
t = np.linspace(0.01, 1.97, 23)
y = 1.25 - 0.75 * t + np.random.default_rng(1).normal(0, 0.05, t.size)
found = model.identify({"t": t, "place": y}, wrt=["v0", "x0"])
expected, covariance = np.polyfit(t, y, 1, cov=True)
assert found.success and found.undetermined == ()
assert np.allclose(list(found.parameters.values()), expected, rtol=1e-6)
assert np.allclose(found.covariance, covariance, rtol=1e-6)
assert np.isclose(found.sigmas["place"], np.sqrt(np.sum((np.polyval(expected, t) - y) ** 2) / (t.size - 2)), rtol=1e-6)
lower, upper = found.intervals["v0"]
assert np.isclose(upper - lower, 2 * 2.0796138447 * np.sqrt(covariance[0, 0]), rtol=1e-6)  # Student, 21 degrees

# missing values, another name, sigma that is given
y[4] = np.nan
given = model.identify({"t": t, "film": y}, {"place": "film"}, sigma=0.05, wrt="v0")
assert np.isclose(given.standard_errors["v0"], 0.05 / np.sqrt(np.nansum(np.where(np.isnan(y), np.nan, t) ** 2)), rtol=1e-6)

# the files of the section, and the same files by name
path = "models/measured/five_bar.yaml"
five_bar = mbsens.Model.from_file(path)
by_section = five_bar.identify(wrt=["LA1", "mA1"])
by_name = five_bar.identify("models/measured/five_bar.csv", ["left", "x", "y"], wrt=["LA1", "mA1"])
assert by_section.parameters == by_name.parameters and by_section.success


def refused(part, *arguments, **options):
    try:
        model.identify(*arguments, **options)
    except mbsens.Error as error:
        assert part in str(error), error
        return
    raise AssertionError(f"expected: {part}")


refused('the times "t" are missing', {"place": y})
refused("23 times", {"t": t, "place": y[1:]})
refused('no "height" in the data', {"t": t, "place": y}, ["height"])
refused('did you mean "place"?', {"t": t, "plase": y})
refused("too few", {"t": t[:1], "place": y[:1]})
refused("was not measured", {"t": t, "place": y}, sigma={"place": 1, "other": 2})
refused("cannot open", "nothing.csv")
refused("no data files are given", None)
print("identify: holds")
