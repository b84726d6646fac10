"""Calls that add the entries of a model.

Made by `mbsens list python` from the field tables that the reader itself uses: do not edit,
`make generated` writes it again.
"""

from __future__ import annotations

from typing import Mapping, Sequence, Union

Number = Union[float, str]  # or an expression of parameters
Numbers = Union[Number, Sequence[Number], Sequence[Sequence[Number]]]


class Elements:
    """Each method stands for an entry of a model file, with its keys: docs/elements.md."""

    def add_body(
        self, name: str, *, mass: Number | None = None, com: Numbers | None = None,
        inertia: Numbers | None = None, points: Mapping[str, Numbers] | None = None,
        vectors: Mapping[str, Numbers] | None = None, position: Numbers | None = None,
        angle: Number | None = None, rotation: Numbers | None = None,
    ) -> None:
        """body: a rigid body or a point mass.

        - mass (number, kg, default 0): mass
        - com (vector, m, default 0): centre of mass in body axes
        - inertia (number or tensor, kg m2): moment of inertia about the centre of mass; in space
          [xx, yy, zz] or [xx, yy, zz, xy, xz, yz] (xy = -integral of x y dm) in body axes, or one
          number for a thin rod; a body without it is a point mass
        - points ({name: vector, ...}, m): points in body axes, by name
        - vectors ({name: vector, ...}): directions in body axes, by name (any length but zero):
          unit vectors
        - position (vector, m): where to start the assembly: position of the body's origin
        - angle (number, rad): where to start the assembly, in the plane: angle of the body's x axis
        - rotation (vector, rad): where to start the assembly, in space: rotation vector of the
          body's axes
        """
        self._add_element("bodies", None, name, {
            "mass": mass, "com": com, "inertia": inertia, "points": points, "vectors": vectors,
            "position": position, "angle": angle, "rotation": rotation,
        })

    def add_coordinate(
        self, name: str, *, inertia: Number | None = None, guess: Number | None = None,
    ) -> None:
        """coordinate: a coordinate of the model's own: a number that moves.

        - inertia (number, default 0): J of its kinetic energy 1/2 J rate^2; zero where a constraint
          determines the coordinate
        - guess (number, default 0): where to start the assembly: its value
        """
        self._add_element("coordinates", None, name, {
            "inertia": inertia, "guess": guess,
        })

    def add_state(
        self, name: str, rate: Number, *, initial: Number | None = None,
    ) -> None:
        """state: a state of first order: a number whose rate is given.

        - rate (expression, required): its rate: an expression of positions, velocities, states, t
          and parameters
        - initial (number, default 0): its value at the start
        """
        self._add_element("states", None, name, {
            "rate": rate, "initial": initial,
        })

    def add_constraint_joint(
        self, expression: Number, *, name: str | None = None,
    ) -> None:
        """constraint joint: an expression of positions, time and parameters that is kept at zero.

        - expression (expression, required): an expression of positions, angles, t and parameters
          that is kept at zero
        """
        self._add_element("joints", "constraint", name, {
            "constraint": expression,
        })

    def add_cylindrical_joint(
        self, ends: Sequence[str], axis: Numbers, *, name: str | None = None,
        axis2: Numbers | None = None,
    ) -> None:
        """cylindrical joint: one body turns about and slides along a line of another.

        - ends ([point, point], required): a point of the line on the first body, and the point of
          the second body that stays on it
        - axis (vector or name, required): direction of the line in the axes of the first body (any
          length but zero)
        - axis2 (vector or name): the same direction in the axes of the second body (default: the
          numbers of axis)
        """
        self._add_element("joints", "cylindrical", name, {
            "cylindrical": ends, "axis": axis, "axis2": axis2,
        })

    def add_distance_joint(
        self, ends: Sequence[str], length: Number, *, name: str | None = None,
    ) -> None:
        """distance joint: two points keep their distance, as if tied by a massless rod.

        - ends ([point, point], required): the two points
        - length (number, m, required): their distance
        """
        self._add_element("joints", "distance", name, {
            "distance": ends, "length": length,
        })

    def add_driver_joint(
        self, expression: Number, value: Number, *, name: str | None = None,
    ) -> None:
        """driver joint: a coordinate follows a function of time and parameters.

        - expression (expression, required): the coordinate: angle(crank), distance(A, B),
          slide(guide), r(P).x, ...
        - value (expression, required): its value over time: an expression of t and parameters
        """
        self._add_element("joints", "driver", name, {
            "driver": expression, "value": value,
        })

    def add_fixed_joint(
        self, ends: Sequence[str], *, name: str | None = None, angle: Number | None = None,
        x_axis: Numbers | None = None, y_axis: Numbers | None = None,
    ) -> None:
        """fixed joint: two bodies move as one.

        - ends ([point, point], required): the point on each body that they share
        - angle (number, rad, default 0): in the plane: angle of the second body's x axis from the
          first body's
        - x_axis (vector or name): in space: the second body's x axis in the axes of the first
          (default: the first body's own)
        - y_axis (vector or name): in space: the second body's y axis in the axes of the first
          (default: the first body's own)
        """
        self._add_element("joints", "fixed", name, {
            "fixed": ends, "angle": angle, "x_axis": x_axis, "y_axis": y_axis,
        })

    def add_gear_joint(
        self, subject: Sequence[str], ratio: Number, *, name: str | None = None,
        offset: Number | None = None,
    ) -> None:
        """gear joint: couples the angles of two joints.

        - subject ([joint, joint], required): two revolute joints, by name
        - ratio (number, required): turns of the second joint per turn of the first (negative:
          opposite sense)
        - offset (number, rad, default 0): angle of the second joint where the first has none
        """
        self._add_element("joints", "gear", name, {
            "gear": subject, "ratio": ratio, "offset": offset,
        })

    def add_knife_edge_joint(
        self, ends: Sequence[str], edge: Numbers, *, name: str | None = None,
        normal: Numbers | None = None,
    ) -> None:
        """knife_edge joint: a point of one body moves on another along an edge only, not sideways.

        - ends ([point, point], required): any point of the body it moves on, and the point of the
          second body that does not move sideways
        - edge (vector or name, required): direction of the edge in the axes of the second body (any
          length but zero)
        - normal (vector or name): in space: normal of the surface in the axes of the first body;
          sideways is normal to it and to the edge
        """
        self._add_element("joints", "knife_edge", name, {
            "knife_edge": ends, "edge": edge, "normal": normal,
        })

    def add_planar_joint(
        self, ends: Sequence[str], normal: Numbers, *, name: str | None = None,
        normal2: Numbers | None = None,
    ) -> None:
        """planar joint: one body moves in a plane of another.

        - ends ([point, point], required): a point of the plane on the first body, and the point of
          the second body that stays in it
        - normal (vector or name, required): normal of the plane in the axes of the first body (any
          length but zero)
        - normal2 (vector or name): the same direction in the axes of the second body (default: the
          numbers of normal)
        """
        self._add_element("joints", "planar", name, {
            "planar": ends, "normal": normal, "normal2": normal2,
        })

    def add_point_on_line_joint(
        self, ends: Sequence[str], axis: Numbers, *, name: str | None = None,
    ) -> None:
        """point_on_line joint: a point of one body stays on a line of another.

        - ends ([point, point], required): a point of the line on the first body, and the point of
          the second body that stays on it
        - axis (vector or name, required): direction of the line in the axes of the first body (any
          length but zero)
        """
        self._add_element("joints", "point_on_line", name, {
            "point_on_line": ends, "axis": axis,
        })

    def add_point_on_plane_joint(
        self, ends: Sequence[str], normal: Numbers, *, name: str | None = None,
        offset: Number | None = None,
    ) -> None:
        """point_on_plane joint: a point of one body stays in a plane of another.

        - ends ([point, point], required): a point of the plane on the first body, and the point of
          the second body that stays in it
        - normal (vector or name, required): normal of the plane in the axes of the first body (any
          length but zero)
        - offset (number, m, default 0): distance from the plane, along the normal
        """
        self._add_element("joints", "point_on_plane", name, {
            "point_on_plane": ends, "normal": normal, "offset": offset,
        })

    def add_prismatic_joint(
        self, ends: Sequence[str], axis: Numbers, *, name: str | None = None,
        axis2: Numbers | None = None, reference: Numbers | None = None,
        reference2: Numbers | None = None,
    ) -> None:
        """prismatic joint: one body slides along a line of another without turning.

        - ends ([point, point], required): a point of the line on the first body, and the point of
          the second body that slides on it
        - axis (vector or name, required): direction of the line in the axes of the first body (any
          length but zero)
        - axis2 (vector or name): the same direction in the axes of the second body (default: the
          numbers of axis)
        - reference (vector or name): in space: a direction of the first body, not along the axis,
          that stays in one plane with the axis and reference2 (default: one normal to the axis,
          with the same numbers on both)
        - reference2 (vector or name): in space: the corresponding direction of the second body
          (default: the numbers of reference)
        """
        self._add_element("joints", "prismatic", name, {
            "prismatic": ends, "axis": axis, "axis2": axis2, "reference": reference,
            "reference2": reference2,
        })

    def add_rack_joint(
        self, subject: Sequence[str], radius: Number, *, name: str | None = None,
        offset: Number | None = None,
    ) -> None:
        """rack joint: couples the slide of a joint to the angle of another.

        - subject ([joint, joint], required): the pinion's revolute joint and the rack's prismatic
          joint, by name
        - radius (number, m/rad, required): way of the rack per angle of the pinion (negative:
          opposite sense)
        - offset (number, m, default 0): slide of the rack where the pinion's angle is zero
        """
        self._add_element("joints", "rack", name, {
            "rack": subject, "radius": radius, "offset": offset,
        })

    def add_revolute_joint(
        self, ends: Sequence[str], *, name: str | None = None, axis: Numbers | None = None,
        axis2: Numbers | None = None,
    ) -> None:
        """revolute joint: two bodies turn about a common point, in space about a common axis.

        - ends ([point, point], required): the point on each body that they share
        - axis (vector or name): in space: direction of the axis in the axes of the first body (any
          length but zero)
        - axis2 (vector or name): the same direction in the axes of the second body (default: the
          numbers of axis)
        """
        self._add_element("joints", "revolute", name, {
            "revolute": ends, "axis": axis, "axis2": axis2,
        })

    def add_rolling_joint(
        self, ends: Sequence[str], normal: Numbers, radius: Number, *, name: str | None = None,
        axle: Numbers | None = None,
    ) -> None:
        """rolling joint: a disc of one body rolls without slipping on a plane of another.

        - ends ([point, point], required): a point of the plane on the first body, and the centre of
          the disc on the second
        - normal (vector or name, required): normal of the plane in the axes of the first body, to
          the side where the disc is (any length but zero); in the plane: of the line
        - axle (vector or name): in space: direction of the axle in the axes of the second body (any
          length but zero)
        - radius (number, m, required): radius of the disc
        """
        self._add_element("joints", "rolling", name, {
            "rolling": ends, "normal": normal, "axle": axle, "radius": radius,
        })

    def add_screw_joint(
        self, ends: Sequence[str], axis: Numbers, pitch: Number, *, name: str | None = None,
        offset: Number | None = None, axis2: Numbers | None = None,
    ) -> None:
        """screw joint: one body turns about a line of another and goes along it by a pitch.

        - ends ([point, point], required): a point of the line on the first body, and the point of
          the second body that stays on it
        - axis (vector or name, required): direction of the line in the axes of the first body (any
          length but zero)
        - pitch (number, m/rev, required): way of the second body along the line per turn (negative:
          left-handed)
        - offset (number, m, default 0): way along the line where the angle is zero
        - axis2 (vector or name): the same direction in the axes of the second body (default: the
          numbers of axis)
        """
        self._add_element("joints", "screw", name, {
            "screw": ends, "axis": axis, "pitch": pitch, "offset": offset, "axis2": axis2,
        })

    def add_spherical_joint(
        self, ends: Sequence[str], *, name: str | None = None,
    ) -> None:
        """spherical joint: two bodies turn freely about a common point.

        - ends ([point, point], required): the point on each body that they share
        """
        self._add_element("joints", "spherical", name, {
            "spherical": ends,
        })

    def add_universal_joint(
        self, ends: Sequence[str], axis: Numbers, axis2: Numbers, *, name: str | None = None,
    ) -> None:
        """universal joint: two bodies share a point, and an axis of one stays normal to an axis of
        the other.

        - ends ([point, point], required): the point on each body that they share
        - axis (vector or name, required): the arm of the cross on the first body, in its axes (any
          length but zero)
        - axis2 (vector or name, required): the arm of the cross on the second body, in its axes:
          normal to the first
        """
        self._add_element("joints", "universal", name, {
            "universal": ends, "axis": axis, "axis2": axis2,
        })

    def add_velocity_constraint_joint(
        self, expression: Number, *, name: str | None = None,
    ) -> None:
        """velocity_constraint joint: an expression, linear in velocities, that is kept at zero.

        - expression (expression, required): an expression, linear in velocities, of v(), omega(),
          positions, t and parameters that is kept at zero
        """
        self._add_element("joints", "velocity_constraint", name, {
            "velocity_constraint": expression,
        })

    def add_air_drag(
        self, point: str, coefficient: Number, area: Number, *, name: str | None = None,
        density: Number | None = None, wind: Numbers | None = None,
    ) -> None:
        """air_drag: drag of the air on a point, against its velocity.

        - point (point, required): the point it acts on
        - coefficient (number, required): drag coefficient
        - area (number, m2, required): the area that the coefficient is for
        - density (number, kg/m3, default 1.2): of the air
        - wind (vector expression, m/s): velocity of the air: expressions of t, positions and
          parameters (default: none)
        """
        self._add_element("forces", "air_drag", name, {
            "air_drag": point, "coefficient": coefficient, "area": area, "density": density,
            "wind": wind,
        })

    def add_bushing(
        self, ends: Sequence[str], *, name: str | None = None, stiffness: Numbers | None = None,
        damping: Numbers | None = None, preload: Numbers | None = None, law: Numbers | None = None,
        turning_stiffness: Numbers | None = None, turning_damping: Numbers | None = None,
        turning_preload: Numbers | None = None, turning_law: Numbers | None = None,
        x_axis: Numbers | None = None, y_axis: Numbers | None = None,
        x_axis2: Numbers | None = None, y_axis2: Numbers | None = None,
    ) -> None:
        """bushing: holds two bodies together elastically, along and about axes of its own.

        - ends ([point, point], required): the point on each body that it connects; its axes are on
          the first
        - stiffness (vector, N/m, default 0): stiffness along each of its axes
        - damping (vector, N s/m, default 0): damping along each of its axes, of the velocity as
          seen from the first body
        - preload (vector, N, default 0): force on the second body along each of its axes when
          nothing is displaced
        - law (vector expression, N): the force that pulls the second body back, for each axis an
          expression of displacement, rate, t, parameters and signals, instead of the three
        - turning_stiffness (number, in space vector, N m/rad, default 0): stiffness of rotation
          (plane), or about each of its axes
        - turning_damping (number, in space vector, N m s/rad, default 0): damping of the same
        - turning_preload (number, in space vector, N m, default 0): torque on the second body when
          nothing is turned
        - turning_law (expression, in space vector, N m): the torque that turns the second body
          back: an expression of angle, rate, t, parameters and signals, in space for each axis,
          instead of the three
        - x_axis (vector or name): its x axis, in the axes of the first body (default: the first
          body's own)
        - y_axis (vector or name): in space, with x_axis: a direction of the first body on the side
          of its y axis; the y axis is normal to the x axis
        - x_axis2 (vector or name): where its x axis is in the second body when it is relaxed
          (default: the numbers of x_axis)
        - y_axis2 (vector or name): in space, with x_axis2: likewise, as y_axis (default: that of
          y_axis)
        """
        self._add_element("forces", "bushing", name, {
            "bushing": ends, "stiffness": stiffness, "damping": damping, "preload": preload,
            "law": law, "turning_stiffness": turning_stiffness, "turning_damping": turning_damping,
            "turning_preload": turning_preload, "turning_law": turning_law, "x_axis": x_axis,
            "y_axis": y_axis, "x_axis2": x_axis2, "y_axis2": y_axis2,
        })

    def add_contact(
        self, ends: Sequence[str], normal: Numbers, stiffness: Number, *, name: str | None = None,
        radius: Number | None = None, exponent: Number | None = None, damping: Number | None = None,
        mu_dynamic: Number | None = None, mu_static: Number | None = None,
        stiction_velocity: Number | None = None,
    ) -> None:
        """contact: contact of a point or a sphere with a plane, with friction if wanted.

        - ends ([point, point], required): a point of the plane on the first body, and the point (or
          centre of a sphere) of the second body
        - normal (vector or name, required): normal of the plane in the axes of the first body (any
          length but zero), to the side where the second body is free
        - radius (number, m, default 0): of a sphere (in the plane: a disc); 0: a point
        - stiffness (number, required): k: the force is k d^exponent at a depth d
        - exponent (number, default 1.5): of the depth: 1.5 for a sphere (Hertz)
        - damping (number, s/m, default 0): c of Hunt and Crossley: the force is larger by c times
          the rate of the depth
        - mu_dynamic (number): coefficient of friction where it slides (default: none)
        - mu_static (number): the largest coefficient of friction, at the stiction velocity
          (default: mu_dynamic)
        - stiction_velocity (number, m/s, default 0.01): below which it creeps instead of sticking
        """
        self._add_element("forces", "contact", name, {
            "contact": ends, "normal": normal, "radius": radius, "stiffness": stiffness,
            "exponent": exponent, "damping": damping, "mu_dynamic": mu_dynamic,
            "mu_static": mu_static, "stiction_velocity": stiction_velocity,
        })

    def add_coordinate_force(
        self, expression: Number, value: Number, *, name: str | None = None,
    ) -> None:
        """coordinate_force: a force along any coordinate: an angle, a distance, a slide, ....

        - expression (expression, required): the coordinate it acts along: an expression of
          positions and t such as angle(J), distance(P, Q), or x of the model's own
        - value (expression, required): the force that does work along it: an expression of its
          value and rate, t, signals and parameters, such as -k*(value - x0) - c*rate
        """
        self._add_element("forces", "coordinate_force", name, {
            "coordinate_force": expression, "value": value,
        })

    def add_friction(
        self, expression: Number, normal: Number, mu_dynamic: Number, stiction_velocity: Number,
        *, name: str | None = None, mu_static: Number | None = None, radius: Number | None = None,
        viscous: Number | None = None,
    ) -> None:
        """friction: friction along a coordinate: a slide, an angle.

        - expression (expression, required): the coordinate that it acts along: an expression of
          positions and t such as slide(J) or angle(J)
        - normal (expression, N, required): the normal force, an expression of positions,
          velocities, states, t and parameters (its magnitude counts); not of reactions
        - mu_dynamic (number, required): coefficient of friction where it slides
        - mu_static (number): the largest coefficient, at the stiction velocity (default:
          mu_dynamic)
        - stiction_velocity (number, m/s, required): below which it creeps instead of sticking
        - radius (number, m, default 1): of an angle: where it acts; velocity and torque are that of
          the coordinate times it
        - viscous (number, N s/m, default 0): a force besides, proportional to the velocity
        """
        self._add_element("forces", "friction", name, {
            "friction": expression, "normal": normal, "mu_dynamic": mu_dynamic,
            "mu_static": mu_static, "stiction_velocity": stiction_velocity, "radius": radius,
            "viscous": viscous,
        })

    def add_point_force(
        self, point: str, value: Numbers, *, name: str | None = None, axes: str | None = None,
        against: str | None = None,
    ) -> None:
        """point_force: a force on a point, or between two, by expressions.

        - point (point, required): the point it acts on
        - value (vector expression, N, required): the force: expressions of t, signals and
          parameters
        - axes (global or body, default global): the axes of its components; with those of the
          point's body it follows the body
        - against (point): the point of another body that the opposite force acts on; the two make a
          couple unless the force is along their line
        """
        self._add_element("forces", "point_force", name, {
            "point_force": point, "value": value, "axes": axes, "against": against,
        })

    def add_spring(
        self, ends: Sequence[str], *, name: str | None = None, stiffness: Number | None = None,
        damping: Number | None = None, length: Number | None = None, law: Number | None = None,
    ) -> None:
        """spring: spring-damper between two points, with constants or a law.

        - ends ([point, point], required): the two points it pulls together
        - stiffness (number, N/m, default 0): stiffness
        - damping (number, N s/m, default 0): damping
        - length (number, m): natural length; needed unless there is a law
        - law (expression, N): tension as an expression of length, rate, t, parameters and signals,
          instead of the three numbers
        """
        self._add_element("forces", "spring", name, {
            "spring": ends, "stiffness": stiffness, "damping": damping, "length": length,
            "law": law,
        })

    def add_stop(
        self, expression: Number, stiffness: Number, *, name: str | None = None,
        lower: Number | None = None, upper: Number | None = None, exponent: Number | None = None,
        damping: Number | None = None,
    ) -> None:
        """stop: stops that bound a coordinate: bump stops, clearances.

        - expression (expression, required): the coordinate that it bounds: an expression of
          positions and t such as slide(J), angle(J) or distance(P, Q)
        - lower (number): where the lower stop begins (default: there is none)
        - upper (number): where the upper stop begins (default: there is none)
        - stiffness (number, required): k: the force is k d^exponent at a depth d beyond the stop
        - exponent (number, default 1.5): of the depth; 1: a linear spring, whose force has a kink
          where it begins
        - damping (number, s/m, default 0): c of Hunt and Crossley: the force is larger by c times
          the rate of the depth
        """
        self._add_element("forces", "stop", name, {
            "stop": expression, "lower": lower, "upper": upper, "stiffness": stiffness,
            "exponent": exponent, "damping": damping,
        })

    def add_torque(
        self, body: str, value: Numbers, *, name: str | None = None, axes: str | None = None,
        against: str | None = None,
    ) -> None:
        """torque: a torque on a body, or between two, by expressions.

        - body (body, required): the body it acts on
        - value (expression, in space vector, N m, required): the torque, in space a vector:
          expressions of t, signals and parameters
        - axes (global or body, default global): in space: the axes of its components; with those of
          the body it follows the body
        - against (body): the body that the opposite torque acts on
        """
        self._add_element("forces", "torque", name, {
            "torque": body, "value": value, "axes": axes, "against": against,
        })

    def add_torsional_spring(
        self, ends: Sequence[str], *, name: str | None = None, stiffness: Number | None = None,
        damping: Number | None = None, angle: Number | None = None, law: Number | None = None,
        axis: Numbers | None = None, axis2: Numbers | None = None,
    ) -> None:
        """torsional_spring: torsional spring-damper between two bodies, with constants or a law.

        - ends ([body, body], required): the two bodies
        - stiffness (number, N m/rad, default 0): stiffness
        - damping (number, N m s/rad, default 0): damping
        - angle (number, rad, default 0): angle of the second body's x axis from the first body's
          when relaxed
        - law (expression, N m): torque as an expression of angle, rate, t, parameters and signals,
          instead of the three numbers
        - axis (vector or name): in space: the direction they turn about, in the axes of the first
          body; a joint keeps it common
        - axis2 (vector or name): the same direction in the axes of the second body (default: the
          numbers of axis)
        """
        self._add_element("forces", "torsional_spring", name, {
            "torsional_spring": ends, "stiffness": stiffness, "damping": damping, "angle": angle,
            "law": law, "axis": axis, "axis2": axis2,
        })

    def add_table(
        self, name: str, x: Numbers, y: Numbers, *, z: Numbers | None = None,
        kind: str | None = None, outside: str | None = None, periodic: Number | None = None,
        file: str | None = None,
    ) -> None:
        """table: a curve y(x) or a map z(x, y) given by points.

        - x ([number, ...] or name, required): points, numbers that increase; with file: a column,
          by its name or number
        - y ([number, ...] or name, required): ordinates, one for each x: expressions of parameters,
          or the name of an array of parameters; of a map its points along the second argument
        - z ([[number, ...], ...] or name): of a map: its ordinates, for each x a list with one for
          each y
        - kind (linear or akima or monotone or spline or step, default linear): what is between the
          points: lines, cubics by Akima's, by monotone or by spline slopes, or steps (each ordinate
          holds from its x on)
        - outside (error or hold or linear, default error): what is beyond the ends: a run that goes
          there fails, or the ordinate at the end holds, or the curve goes on in a straight line
        - periodic (number): period of x: the curve goes around
        - file (text): CSV file with the columns, beside the model
        """
        self._add_element("tables", None, name, {
            "x": x, "y": y, "z": z, "kind": kind, "outside": outside, "periodic": periodic,
            "file": file,
        })

    def add_event(
        self, name: str, when: Number, *, direction: str | None = None,
        velocities: Sequence[Mapping[str, Number]] | None = None, restitution: Number | None = None,
        law: str | None = None, friction: Sequence[Mapping[str, Number]] | None = None,
        set: Mapping[str, Number] | None = None, add: str | Sequence[str] | None = None,
        remove: str | Sequence[str] | None = None, stop: str | None = None,
    ) -> None:
        """event: what happens where an expression passes zero.

        - when (expression, required): the guard: the event happens where this expression of
          positions, velocities and time passes zero
        - direction (both or falling or rising, default both): which way the guard passes zero
        - velocities ([{velocity}, ...]): rates that the event sets; all other velocities follow
          from constraints and masses
        - restitution (number): an impact: the guard is a gap, whose rate becomes minus this times
          what it was, by an impulse along the gap
        - law (newton or poisson or energetic, default newton): what restitution is the ratio of,
          between the second part of an impact and the first: rates of the gap, normal impulses, or
          (its square) work of the normal impulse; without friction all three are the same
        - friction ([{friction}, ...]): friction in the impact, with the law poisson or energetic;
          one direction
        - set ({name: expression, ...}): variables and states that the event sets, each to an
          expression of what is there before it
        - add ([joint, ...]): joints that act from there on, whose points and directions must be in
          place; an impulse brings velocities to what they allow
        - remove ([joint, ...]): joints that do not act from there on
        - stop (no or yes, default no): yes: the run ends there
        """
        self._add_element("events", None, name, {
            "when": when, "direction": direction, "velocities": velocities,
            "restitution": restitution, "law": law, "friction": friction, "set": set, "add": add,
            "remove": remove, "stop": stop,
        })

    def add_event_velocity(
        self, event: str, coordinate: Number, velocity: Number,
    ) -> None:
        """velocity: a rate that an event sets.

        - coordinate (expression, required): a function of the position, such as r(P2).y
        - velocity (expression, required): its rate after the event, an expression of the state
          before it
        """
        self._add_element("events.velocities", None, event, {
            "coordinate": coordinate, "velocity": velocity,
        })

    def add_event_friction(
        self, event: str, coefficient: Number, along: Number,
    ) -> None:
        """friction: friction in an impact.

        - coefficient (number, required): Coulomb's: the friction impulse is at most this times the
          normal one
        - along (expression, required): a function of the position whose rate is the velocity of
          slip, such as r(P).x
        """
        self._add_element("events.friction", None, event, {
            "coefficient": coefficient, "along": along,
        })

    def add_independent_coordinate(
        self, coordinate: Number, *, value: Number | None = None, velocity: Number | None = None,
    ) -> None:
        """independent coordinate: fixes one degree of freedom at the start.

        - coordinate (expression, required): a function of the position, such as r(P2).x, angle(A1)
          or distance(A, P2)
        - value (number): its value at the start (default: as bodies, points and coordinates are
          placed)
        - velocity (number, default 0): its rate at the start
        """
        self._add_element("initial.independent", None, None, {
            "coordinate": coordinate, "value": value, "velocity": velocity,
        })

    def add_held_coordinate(
        self, coordinate: Number,
    ) -> None:
        """held coordinate: what an equilibrium leaves where it is.

        - coordinate (expression, required): a function of the position that stays as it is at the
          start, such as r(car.O).x
        """
        self._add_element("equilibrium.hold", None, None, {
            "coordinate": coordinate,
        })

    def add_trim_condition(
        self, expression: Number, *, value: Number | None = None,
    ) -> None:
        """trim condition: what an equilibrium is to meet besides.

        - expression (expression, required): of positions, forces, reactions and parameters: what
          has the value in equilibrium
        - value (number, default 0): that it has
        """
        self._add_element("equilibrium.conditions", None, None, {
            "expression": expression, "value": value,
        })

    def add_objective(
        self, name: str, *, integral: Number | None = None, final: Number | None = None,
        value: Number | None = None, rms: Number | None = None, pnorm: Number | None = None,
        p: Number | None = None, violation: Number | None = None, above: Number | None = None,
        below: Number | None = None, maximum: Number | None = None, minimum: Number | None = None,
        at: Number | None = None, time: Number | None = None, event: str | None = None,
        event_time: str | None = None, number: int | None = None, side: str | None = None,
        settling: Number | None = None, target: Number | None = None, band: Number | None = None,
        equilibrium: Number | None = None, eigenvalue: str | None = None, mode: int | None = None,
    ) -> None:
        """objective: a number to differentiate: of one kind, with what belongs to that.

        - integral (expression): integral over time of this expression
        - final (expression): this expression at the end
        - value (expression): an expression of parameters and of other objectives
        - rms (expression): root mean square of this expression over the run, sqrt(1/T integral x^2)
        - pnorm (expression): (1/T integral abs(x)^p)^(1/p): with a large p a smooth measure of the
          largest abs(x)
        - p (number, default 8): of pnorm: the exponent
        - violation (expression): integral of the square by which this expression is above, or
          below, a limit
        - above (expression): of violation: the limit that is not to be passed
        - below (expression): of violation: the limit that is to be kept up to
        - maximum (expression): largest value over the run of this expression, between steps too
        - minimum (expression): the smallest, likewise
        - at (expression): this expression at a time, or at an event
        - time (number, s): of at: when; may depend on parameters
        - event (text): of at: the name of an event
        - event_time (text): the time of an event, by name
        - number (whole number, default 1): of event and event_time: the how manieth of that name
        - side (before or after, default before): of event: the state before it, or after it
        - settling (expression): the last time at which this expression of positions, velocities and
          time comes into a band around a target; the end, if it is outside there
        - target (number, default 0): of settling: that target
        - band (number): of settling: half the width of the band
        - equilibrium (expression): this expression in equilibrium: of the command equilibrium, and
          of runs that start there
        - eigenvalue (real or imag or frequency or damping): of a mode of the motion near the start,
          or the equilibrium: its real or imaginary part, 1/s, natural frequency, Hz, or damping
          ratio
        - mode (whole number, default 1): of eigenvalue: which, as mbsens linearize numbers them; it
          is followed by its shape
        """
        self._add_element("objectives", None, name, {
            "integral": integral, "final": final, "value": value, "rms": rms, "pnorm": pnorm,
            "p": p, "violation": violation, "above": above, "below": below, "maximum": maximum,
            "minimum": minimum, "at": at, "time": time, "event": event, "event_time": event_time,
            "number": number, "side": side, "settling": settling, "target": target, "band": band,
            "equilibrium": equilibrium, "eigenvalue": eigenvalue, "mode": mode,
        })

    def add_output(
        self, name: str, value: Number, *, unit: str | None = None, description: str | None = None,
    ) -> None:
        """output: a signal with a name, for histories and results.

        - value (expression, required): a number or a vector: any expression that an integral may
          have
        - unit (text): written with it, such as N; nothing is converted
        - description (text): what it is, in words
        """
        self._add_element("outputs", None, name, {
            "value": value, "unit": unit, "description": description,
        })

    def add_validity(
        self, name: str, positive: Number, *, message: str | None = None,
        otherwise: str | None = None,
    ) -> None:
        """validity: where the model holds: elsewhere a run stops, or warns.

        - positive (expression, required): an expression of positions, velocities, states and time
          that is positive where the model holds
        - message (text, default the model does not hold there): what is wrong where it is not
        - otherwise (stop or warn, default stop): where it is not: the run stops, or it goes on and
          its result has a warning that says when
        """
        self._add_element("validity", None, name, {
            "positive": positive, "message": message, "otherwise": otherwise,
        })

    def add_shape(
        self, at: str, kind: str, *, to: str | Sequence[str] | None = None,
        axis: Numbers | None = None, size: Numbers | None = None, radius: Number | None = None,
        width: Number | None = None, offset: Numbers | None = None, file: str | None = None,
        scale: Number | None = None, mirror: str | None = None, curve: Numbers | None = None,
        range: Numbers | None = None, pieces: int | None = None, colour: str | None = None,
        opacity: Number | None = None,
    ) -> None:
        """shape: what a body looks like in a report; changes no result.

        - at (point, required): the point where it is; its body carries it
        - kind (box or sphere or cylinder or wheel or spring or line or mesh, required): box,
          sphere, cylinder and mesh stand for the body, in place of what its points suggest; wheel,
          spring and line, and a cylinder between two points, are drawn besides
        - to (point or [point, ...]): of a spring, line or cylinder: the other end, on any body; of
          a line also a list of points that it goes through
        - axis (vector or name): of a wheel or cylinder in space: its axis, in axes of the body or
          the name of a vector
        - size (vector, m): of a box: how long it is along each axis of the body
        - radius (number, m): of a sphere, cylinder, wheel or spring
        - width (number, m): of a wheel or a cylinder with an axis: along it (default: of a wheel
          0.6 radius)
        - offset (vector, m, default 0): how far its middle is from the point, in axes of the body
        - file (text): of a mesh: an .stl or .obj file, beside the model
        - scale (number, default 1): of a mesh: metres of one unit of the file
        - mirror (x or y or z or xy or xz or yz or xyz): of a mesh: the axes of the file whose sign
          changes; in a mirrored assembly those of the mirror besides
        - curve (vector expression, m): of a line, in place of to: its points from `at` on, in axes
          of the body, as expressions of `s` and of parameters: [s, road(s)]
        - range ([number, ...] or name): of a curve: the first and the last s
        - pieces (whole number, default 200): of a curve: how many straight ones, to 1000
        - colour (text): "#rrggbb" (default: that of the body)
        - opacity (number, default 1): 0 to 1
        """
        self._add_element("shapes", None, None, {
            "at": at, "kind": kind, "to": to, "axis": axis, "size": size, "radius": radius,
            "width": width, "offset": offset, "file": file, "scale": scale, "mirror": mirror,
            "curve": curve, "range": range, "pieces": pieces, "colour": colour, "opacity": opacity,
        })

    def add_design_range(
        self, parameter: str, *, lower: Number | None = None, upper: Number | None = None,
        scale: Number | None = None,
    ) -> None:
        """design range: bounds of what has no place for them of its own, such as components of
        hardpoints.

        - parameter (text, required): a parameter, an array, a component of a hardpoint P.x, or
          ordinates f.y
        - lower (number): it stays above this
        - upper (number): and below this
        - scale (number): how much of it is a large change
        """
        self._add_element("optimization.bounds", None, None, {
            "parameter": parameter, "lower": lower, "upper": upper, "scale": scale,
        })

    def add_design_constraint(
        self, objective: str, *, below: Number | None = None, above: Number | None = None,
        equals: Number | None = None, scale: Number | None = None,
    ) -> None:
        """design constraint: a limit that an objective must keep.

        - objective (text, required): which one, by name
        - below (number): it is to stay below this
        - above (number): it is to stay above this
        - equals (number): it is to be this
        - scale (number): what a large violation is (default: the size of the limit, or of the
          objective at the start)
        """
        self._add_element("optimization.constraints", None, None, {
            "objective": objective, "below": below, "above": above, "equals": equals,
            "scale": scale,
        })

    def add_measured_output(
        self, output: str, *, column: str | None = None, sigma: Number | None = None,
    ) -> None:
        """measured output: what a column of the data is in the model.

        - output (text, required): an output of the model, or another column of its histories: P.x,
          theta'
        - column (text): of the data files, by the name in the first line (default: called like the
          output)
        - sigma (number): standard deviation of a measurement (default: estimated from what is left)
        """
        self._add_element("identification.outputs", None, None, {
            "output": output, "column": column, "sigma": sigma,
        })

    def add_known_value(
        self, data: str, parameter: str, value: Number,
    ) -> None:
        """known value: a parameter that is another one in the run of one data file.

        - data (text, required): one of the data files
        - parameter (text, required): a parameter that is a number, and not to be found
        - value (number, required): what it is in that run
        """
        self._add_element("identification.known", None, None, {
            "data": data, "parameter": parameter, "value": value,
        })
