"""Simulations as functions that PyTorch differentiates.

    values = mbsens.torch.run(simulation, parameters)      values of the objectives, a tensor
    values.sum().backward()                                parameters.grad: exact, through impacts and other events

    q, v, outputs = mbsens.torch.steps(map, q, v, u)       steps of a StepMap as a layer, for policies in closed loop
    rows = mbsens.torch.trajectory(map, q, v, u, steps=k)  all states and outputs on the way, for losses of trajectories

The forward pass is a run of the simulation, which has the gradients with it (method direct or adjoint); the backward pass
multiplies with them. Second derivatives are not offered.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch.autograd.function import once_differentiable

from .errors import UsageError
from .simulation import Simulation
from .step import StepMap


class _Run(torch.autograd.Function):
    @staticmethod
    def forward(context, simulation, hold, parameters, inputs):
        values = simulation.run(_numbers(parameters), _numbers(inputs), hold=hold)
        # both now: the simulation may run with other numbers before the backward pass
        if context.needs_input_grad[2]:
            context.by_parameters = _like(simulation.gradient, parameters)
        if context.needs_input_grad[3]:
            context.by_inputs = _like(_padded(simulation.input_gradient, len(values), inputs.shape), inputs)
        given = parameters if parameters is not None else inputs
        return _like(values, given)

    @staticmethod
    @once_differentiable
    def backward(context, seed):
        needs = context.needs_input_grad
        return (
            None,
            None,
            seed.to(context.by_parameters) @ context.by_parameters if needs[2] else None,
            torch.tensordot(seed.to(context.by_inputs), context.by_inputs, 1) if needs[3] else None,
        )


def run(simulation: Simulation, parameters=None, inputs=None, *, hold: float | None = None):
    """A run whose objectives are a tensor, to be differentiated by the tensors that go in.

    - parameters: numbers for ``simulation.wrt``, in its order; None: as they are
    - inputs: settings x inputs, as in :meth:`mbsens.Simulation.run`; to differentiate by them the method is adjoint
    """
    if not isinstance(simulation, Simulation):
        raise UsageError(f"a run needs a Simulation, got {type(simulation).__name__}")
    for tensor, what in ((parameters, "parameters"), (inputs, "inputs")):
        if tensor is not None and not torch.is_tensor(tensor):
            raise UsageError(f"the {what} must be a tensor, got {type(tensor).__name__}")
    if parameters is None and inputs is None:
        raise UsageError("there is nothing to differentiate by: give parameters or inputs")
    wants = [tensor is not None and tensor.requires_grad and torch.is_grad_enabled() for tensor in (parameters, inputs)]
    if any(wants) and simulation.method == "none":
        raise UsageError("the simulation was made with method None, and has no gradients")
    if wants[1] and simulation.method != "adjoint":
        raise UsageError(f"derivatives by inputs need method adjoint, the simulation has {simulation.method}")
    return _Run.apply(simulation, hold, parameters, inputs)


class _Steps(torch.autograd.Function):
    @staticmethod
    def forward(context, map, is_along, time, steps, position, velocity, inputs, parameters):
        context.map, context.is_along = map, is_along
        arguments = (time, steps, *(_numbers(tensor) for tensor in (position, velocity, inputs, parameters)))
        context.like = (position, velocity, inputs, parameters)
        if is_along:
            rows = _walk(map, map.trajectory, *arguments)
            numbers = (rows.position, rows.velocity, rows.acceleration, rows.outputs, rows.objectives)
        else:
            end = _walk(map, map.run, *arguments)
            numbers = (end.position, end.velocity, map.outputs())
        # with the parameters of now: others may be set before the backward pass
        context.arguments, context.run = (*arguments[:-1], np.array(list(map.parameters.values()))), map._run
        like = next(tensor for tensor in context.like if tensor is not None)
        return tuple(_like(array, like) for array in numbers)

    @staticmethod
    @once_differentiable
    def backward(context, *seeds):
        map = context.map
        if map._run != context.run:  # it has been somewhere else since then
            _walk(map, map.run, *context.arguments)
            context.run = map._run
        names = ("position", "velocity", "acceleration", "outputs", "objectives")
        if not context.is_along:
            names = ("position", "velocity", "outputs")
        weights = {name: _numbers(seed) for name, seed in zip(names, seeds)}
        received = (map.trajectory_vjp if context.is_along else map.vjp)(**weights)
        given = (received.position, received.velocity, received.inputs, received.parameters)
        return (None, None, None, None, *(
            _like(numbers, like).reshape(like.shape) if like is not None and needs else None
            for numbers, like, needs in zip(given, context.like, context.needs_input_grad[4:])
        ))


def _walk(map, function, time, steps, position, velocity, inputs, parameters):
    if parameters is not None:
        map.set_parameters(parameters)
    return function(position, velocity, time=time, steps=steps, inputs=inputs)


def steps(map: StepMap, position, velocity, inputs=None, parameters=None, *, time: float = 0.0, steps: int = 1):
    """So many steps from a state, as a layer: the position, the velocity and the outputs after them.

    What goes in are tensors, and each may be differentiated by; inputs: steps x inputs. A chain of these with a policy
    between them is a closed loop that PyTorch trains.
    """
    _check(map, position, velocity, inputs, parameters, ("position", "velocity"))
    return _Steps.apply(map, False, float(time), steps, position, velocity, inputs, parameters)


class Rows(NamedTuple):
    """Tensors of steps + 1 rows: at the start and after each step; and the objectives of the whole."""

    position: torch.Tensor
    velocity: torch.Tensor
    acceleration: torch.Tensor
    outputs: torch.Tensor
    objectives: torch.Tensor


def trajectory(map: StepMap, position=None, velocity=None, inputs=None, parameters=None, *, time: float = 0.0,
               steps: int = 1) -> Rows:
    """All states and outputs of so many steps, as in :meth:`mbsens.StepMap.trajectory`, to be differentiated by the
    tensors that go in: a loss may look at any of the rows, and takes one way back. Without a position and a velocity it
    begins at the model's start, which depends on the parameters."""
    _check(map, position, velocity, inputs, parameters, ())
    if all(tensor is None for tensor in (position, inputs, parameters)):
        raise UsageError("there is nothing to differentiate by: give a state, inputs or parameters")
    return Rows(*_Steps.apply(map, True, float(time), steps, position, velocity, inputs, parameters))


def _check(map, position, velocity, inputs, parameters, needed):
    if not isinstance(map, StepMap):
        raise UsageError(f"steps need a StepMap, got {type(map).__name__}")
    for tensor, what in ((position, "position"), (velocity, "velocity"), (inputs, "inputs"), (parameters, "parameters")):
        if not torch.is_tensor(tensor) and (tensor is not None or what in needed):
            raise UsageError(f"the {what} must be a tensor, got {type(tensor).__name__}")


def _numbers(tensor):
    return None if tensor is None else tensor.detach().cpu().numpy().astype(np.float64)


def _like(numbers, tensor):
    return torch.as_tensor(numbers, dtype=tensor.dtype if tensor.is_floating_point() else torch.float64,
                           device=tensor.device)


def _padded(by_inputs, count, shape):
    """Rows that came after the end were not set, and change nothing."""
    padded = np.zeros((count, *shape))
    if by_inputs is not None:
        padded[:, : by_inputs.shape[1]] = by_inputs
    return padded
