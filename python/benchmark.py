"""What the package costs beside the library, and what threads bring: docs/performance.md.

    sh python/tests/run.sh build/libmbsens.so build/mbsens python/benchmark.py
"""

import threading
import time
from pathlib import Path

import mbsens
from mbsens._library import lib

MODELS = Path(__file__).resolve().parents[1] / "models"


def least(work, repeats=7, clock=time.process_time):
    """The shortest of several, in time of the processor unless another clock is wanted."""
    times = []
    for _ in range(repeats):
        begin = clock()
        work()
        times.append(clock() - begin)
    return min(times)


def overhead():
    """A run of the package against the calls of the library that it makes, without Python around them: the run itself is the
    same, and short."""
    simulation = mbsens.Model.from_file(MODELS / "pendulum.yaml").simulation(end=0.001, step=0.001)
    x = simulation.parameters.array
    calls = 5000
    context, handle, count = simulation._context.handle, simulation._handle, len(x)
    run, set_parameters, address = lib.mbs_simulator_run, lib.mbs_simulator_set_parameters, x.ctypes.data

    def whole():
        for _ in range(calls):
            simulation.run(x)
            simulation.gradient

    def bare():
        for _ in range(calls):
            set_parameters(context, handle, count, address)
            run(context, handle)

    def step():
        simulation.start()
        saved = simulation.save()
        for _ in range(calls):
            simulation.restore(saved)
            simulation.step()

    def nothing():
        is_over = lib.mbs_simulator_is_over
        for _ in range(calls):
            is_over(handle)

    a, b, call = least(whole) / calls, least(bare) / calls, least(nothing) / calls
    # a call of ctypes is part of the price, too: `bare` makes two
    print(f"run with parameters and gradient: {1e6 * (a - b + 2 * call):.1f} us beside the {1e6 * (b - 2 * call):.1f} us of the run")
    print(f"restore and step: {1e6 * least(step) / calls:.1f} us with the step")
    print(f"a call of the library: {1e6 * call:.2f} us")


def threads():
    """The same designs by one thread, and divided among two."""
    model = mbsens.Model.from_file(MODELS / "five_bar.yaml")
    designs = [2.2 + 0.0001 * i for i in range(400)]

    def sweep(mine):
        simulation = model.simulation(wrt="Ls1")
        for value in mine:
            simulation.run([value])

    def divided(count):
        parts = [threading.Thread(target=sweep, args=(designs[i::count],)) for i in range(count)]
        for part in parts:
            part.start()
        for part in parts:
            part.join()

    one, two = (least(lambda: divided(n), 5, time.perf_counter) for n in (1, 2))
    print(f"{len(designs)} runs of the five-bar linkage: {one:.2f} s by one thread, {two:.2f} s by two: {one / two:.2f} times")


if __name__ == "__main__":
    overhead()
    threads()
