"use strict";
// What bodies look like where the model does not say: links between their points, plates of three and more, ellipsoids
// of inertia where there is one point or none.

const {BufferAttribute, BufferGeometry, BoxGeometry, CylinderGeometry, DoubleSide, EdgesGeometry, ExtrudeGeometry,
  Group, Line, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshLambertMaterial, Quaternion, Shape, SphereGeometry,
  TorusGeometry, Vector2, Vector3} = libraries;

const bodyColours = [0x4c83b6, 0xc98b3c, 0x5a9e7c, 0xb0718f, 0x8a83c4, 0xa9a13f, 0x6fb0c9, 0xc2705a];
const vector = p => new Vector3(p[0], p[1], p[2] || 0);

// The inside of what is closed and opaque is not seen, and so not drawn.
function solid(geometry, look, isClosed = true) {
  const material = new MeshLambertMaterial({color: look.colour, transparent: look.opacity < 1, opacity: look.opacity,
    depthWrite: look.opacity === 1, ...(isClosed && look.opacity === 1 ? {} : {side: DoubleSide})});
  return new Mesh(geometry, material);
}

// a cylinder from a to b
function bar(a, b, radius, look) {
  const length = a.distanceTo(b), mesh = solid(new CylinderGeometry(radius, radius, length, 14), look);
  mesh.position.copy(a).add(b).multiplyScalar(0.5);
  mesh.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), b.clone().sub(a).normalize());
  return mesh;
}

// Most triangles of a picture are those of balls, so where these are many, each has few: without a graphics processor
// a triangle costs about 1.5 microseconds.
const balls = {fine: new SphereGeometry(1, 18, 12), coarse: new SphereGeometry(1, 10, 6)};

function ball(p, radius, look) {
  const mesh = solid(look.areMany ? balls.coarse : balls.fine, look);
  mesh.scale.setScalar(radius);
  mesh.position.copy(p);
  return mesh;
}

// Points that differ by more than a small distance.
function distinct(points, least) {
  const kept = [];
  for (const p of points) {
    if (!kept.some(q => q.distanceTo(p) < least)) {
      kept.push(p);
    }
  }
  return kept;
}

// Convex hull of points of a plane, counter-clockwise (Andrew's chain).
function hull(points) {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  const turn = (o, a, b) => (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
  const half = list => {
    const chain = [];
    for (const p of list) {
      while (chain.length > 1 && turn(chain[chain.length - 2], chain[chain.length - 1], p) <= 0) {
        chain.pop();
      }
      chain.push(p);
    }
    chain.pop();
    return chain;
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

// A plate around points of a plane, given in its axes.
function plate(points, thickness, look) {
  const shape = new Shape(hull(points)), geometry = new ExtrudeGeometry(shape, {depth: thickness, bevelEnabled: false});
  geometry.translate(0, 0, -thickness / 2);
  return solid(geometry, look);
}

// Axes of a plane that all points are in; null: there is none, or they are on a line.
function planeOf(points) {
  const origin = points[0];
  const first = points.reduce((best, p) => p.distanceTo(origin) > best.distanceTo(origin) ? p : best, origin);
  const x = first.clone().sub(origin), size = x.length();
  x.normalize();
  let normal = new Vector3();
  for (const p of points) {
    const n = x.clone().cross(p.clone().sub(origin));
    normal = n.length() > normal.length() ? n : normal;
  }
  if (normal.length() < 1e-3 * size) {
    return {isLine: true};
  }
  normal.normalize();
  const isFlat = points.every(p => Math.abs(p.clone().sub(origin).dot(normal)) < 1e-3 * size);
  return isFlat ? {origin, x, y: normal.clone().cross(x), normal} : null;
}

// Eigenvalues and vectors of a symmetric 3 x 3 matrix, by Jacobi's rotations.
function principal(A) {
  const V = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  for (let sweep = 0; sweep < 30; ++sweep) {
    for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) {
      if (Math.abs(A[p][q]) < 1e-300) {
        continue;
      }
      const theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
      const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.hypot(theta, 1)), c = 1 / Math.hypot(t, 1), s = t * c;
      for (let k = 0; k < 3; ++k) {
        [A[k][p], A[k][q]] = [c * A[k][p] - s * A[k][q], s * A[k][p] + c * A[k][q]];
      }
      for (let k = 0; k < 3; ++k) {
        [A[p][k], A[q][k]] = [c * A[p][k] - s * A[q][k], s * A[p][k] + c * A[q][k]];
        [V[k][p], V[k][q]] = [c * V[k][p] - s * V[k][q], s * V[k][p] + c * V[k][q]];
      }
    }
  }
  return {values: [A[0][0], A[1][1], A[2][2]], V};
}

// The homogeneous ellipsoid of a mass and an inertia tensor: a^2 = 5/(2 m) (Iyy + Izz - Ixx), ...
function ellipsoid(body, least, most, look) {
  const I = body.inertia, m = body.mass;
  const J = I.length >= 3 ? [[I[0], I[3] || 0, I[4] || 0], [I[3] || 0, I[1], I[5] || 0], [I[4] || 0, I[5] || 0, I[2]]]
    : [[I[0] / 2, 0, 0], [0, I[0] / 2, 0], [0, 0, I[0]]];
  const {values: [a, b, c], V} = principal(J);
  const radius = x => Math.min(most, Math.max(least, Math.sqrt(Math.max(0, 2.5 / m * x))));
  const mesh = solid(new SphereGeometry(1, 24, 16), look);
  const axes = new Matrix4().set(V[0][0], V[0][1], V[0][2], 0, V[1][0], V[1][1], V[1][2], 0, V[2][0], V[2][1], V[2][2], 0,
    0, 0, 0, 1);
  if (axes.determinant() < 0) {
    axes.scale(new Vector3(1, 1, -1));
  }
  mesh.quaternion.setFromRotationMatrix(axes);
  mesh.scale.set(radius(b + c - a), radius(a + c - b), radius(a + b - c));
  mesh.position.copy(vector(body.com));
  return mesh;
}

// A disc of a mass and a moment of inertia in the plane: 1/2 m R^2 = I
function disc(body, least, most, look) {
  const radius = Math.min(most, Math.max(least, Math.sqrt(2 * body.inertia[0] / body.mass)));
  const mesh = solid(new CylinderGeometry(radius, radius, least, 40), look);
  mesh.rotation.x = Math.PI / 2;
  const spoke = bar(new Vector3(), new Vector3(radius, 0, 0), least / 4, {...look, opacity: 1});
  const group = new Group();
  group.add(mesh, spoke);
  group.position.copy(vector(body.com));
  return group;
}

// A body from its points and its inertia; `size` is that of the whole mechanism.
function deriveShape(body, dimension, size, {colour, opacity, areMany, grow}) {
  const group = new Group(), w = 0.012 * size, look = {colour, opacity, areMany};
  const points = distinct(body.points.map(p => vector(p.at)), 1e-3 * size);
  const isSolid = body.mass > 0 && body.inertia.some(x => x > 0) && (body.inertia.length !== 1 || dimension === 2);
  const com = vector(body.com);
  if (points.length >= 2) {
    const plane = points.length > 2 ? planeOf(points) : {isLine: true};
    if (plane && !plane.isLine) {
      const flat = points.map(p => {
        const d = p.clone().sub(plane.origin);
        return new Vector2(d.dot(plane.x), d.dot(plane.y));
      });
      const mesh = plate(flat, 0.8 * w, {colour, opacity: 0.75 * opacity});
      mesh.applyMatrix4(new Matrix4().makeBasis(plane.x, plane.y, plane.normal).setPosition(plane.origin));
      group.add(mesh);
      const around = hull(flat).map(p => plane.origin.clone().addScaledVector(plane.x, p.x).addScaledVector(plane.y, p.y));
      around.forEach((p, i) => group.add(bar(p, around[(i + 1) % around.length], 0.45 * w, look)));
    } else if (plane) {
      const far = points.reduce((best, p) => p.distanceTo(points[0]) > best.distanceTo(points[0]) ? p : best, points[0]);
      const other = points.reduce((best, p) => p.distanceTo(far) > best.distanceTo(far) ? p : best, far);
      group.add(bar(far, other, w, look));
    } else {
      const geometry = new libraries.ConvexGeometry(points), edges = new LineSegments(new EdgesGeometry(geometry, 5),
        new LineBasicMaterial({color: colour, transparent: opacity < 1, opacity}));
      group.add(solid(geometry, {colour, opacity: 0.35 * opacity}), edges);
    }
    points.forEach(p => group.add(ball(p, 1.25 * grow * w, look)));  // of two at one place one is larger, or they would flicker
  } else if (isSolid) {
    group.add(dimension === 2 ? disc(body, 1.5 * w, 0.25 * size, {colour, opacity: 0.8 * opacity})
      : ellipsoid(body, 1.5 * w, 0.25 * size, {colour, opacity: 0.9 * opacity}));
    if (points.length === 1 && points[0].distanceTo(com) > 2 * w) {
      group.add(bar(points[0], com, 0.5 * w, look));
    }
  } else {
    group.add(ball(points[0] || com, 2 * w, look));
  }
  return group;
}

// A coil between the origin and (0, 1, 0), to be stretched.
function coil(turns, radius) {
  const count = turns * 16, positions = new Float32Array(3 * (count + 1));
  for (let i = 0; i <= count; ++i) {
    const s = i / count, isEnd = s < 0.1 || s > 0.9, angle = 2 * Math.PI * turns * s;
    positions.set([isEnd ? 0 : radius * Math.cos(angle), s, isEnd ? 0 : radius * Math.sin(angle)], 3 * i);
  }
  return new BufferGeometry().setAttribute("position", new BufferAttribute(positions, 3));
}

// A fixed point: a small pyramid below it.
function support(p, dimension, w, colour) {
  const mesh = solid(new CylinderGeometry(0, 2.6 * w, 4 * w, 4), {colour, opacity: 1});
  if (dimension === 3) {
    mesh.rotation.x = Math.PI / 2;
    mesh.position.copy(p).add(new Vector3(0, 0, -2 * w));
  } else {
    mesh.position.copy(p).add(new Vector3(0, -2 * w, 0));
  }
  return mesh;
}

// ---- shapes that the model gives ----
const standIns = ["box", "sphere", "cylinder", "mesh"];
const isBetween = shape => Boolean(shape.to);
// does it stand for what would be derived?
const isStandIn = shape => standIns.includes(shape.kind) && !isBetween(shape);

function wheel(radius, width, look) {
  const group = new Group(), tyre = radius - Math.min(width, radius) / 2;
  const rubber = solid(new TorusGeometry(tyre, Math.min(width, radius) / 2, 14, 48), {colour: 0x3a3f45, opacity: look.opacity});
  rubber.scale.z = width / Math.min(width, radius);
  const rim = solid(new CylinderGeometry(tyre, tyre, 0.4 * width, 40), look);
  rim.rotation.x = Math.PI / 2;
  group.add(rubber, rim);
  for (let i = 0; i < 5; ++i) {  // so that it is seen to turn
    const angle = 2 * Math.PI * i / 5;
    group.add(bar(new Vector3(), new Vector3(0.9 * tyre * Math.cos(angle), 0.9 * tyre * Math.sin(angle), 0), 0.24 * width, {colour: 0xc9ced4, opacity: look.opacity}));
  }
  return group;
}

const lineRadius = 0.004;  // of the size of the mechanism

// A tube of six sides along a curve, which may have corners: each ring is the one before, turned as little as the
// direction asks for.
function tube(curve, radius, look) {
  const count = curve.length / 3, at = i => new Vector3().fromArray(curve, 3 * Math.min(Math.max(i, 0), count - 1));
  const positions = [], faces = [], sides = 6, along = new Vector3(0, 0, 1), turn = new Quaternion();
  for (let i = 0; i < count; ++i) {
    const direction = at(i + 1).sub(at(i - 1)).normalize();
    if (direction.lengthSq() > 0) {
      turn.premultiply(new Quaternion().setFromUnitVectors(along, direction));
      along.copy(direction);
    }
    for (let k = 0; k < sides; ++k) {
      const angle = 2 * Math.PI * k / sides, j = i * sides + k, next = i * sides + (k + 1) % sides;
      positions.push(...new Vector3(radius * Math.cos(angle), radius * Math.sin(angle), 0).applyQuaternion(turn).add(at(i)).toArray());
      if (i > 0) {
        faces.push(j - sides, next - sides, next, j - sides, next, j);
      }
    }
  }
  const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
  geometry.setIndex(faces);
  geometry.computeVertexNormals();
  return solid(geometry, look);
}

function mesh(shape, look) {
  const positions = floats(shape.mesh).map(x => x * shape.scale);
  const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(positions, 3));
  geometry.computeVertexNormals();
  return solid(geometry, look, false);
}

// A shape fixed to its body, in the body's axes; `local` is its point.
function fixedShape(shape, local, dimension, size, look) {
  const w = 0.012 * size, axis = dimension === 2 ? new Vector3(0, 0, 1) : vector(shape.axis).normalize();
  let part;
  if (shape.kind === "box") {
    part = solid(new BoxGeometry(shape.size[0], shape.size[1], dimension === 2 ? w : shape.size[2]), look);
  } else if (shape.kind === "sphere") {
    part = solid(dimension === 2 ? new CylinderGeometry(shape.radius, shape.radius, w, 40) : new SphereGeometry(shape.radius, 32, 20), look);
    part.rotation.x = dimension === 2 ? Math.PI / 2 : 0;
  } else if (shape.kind === "cylinder") {
    part = solid(new CylinderGeometry(shape.radius, shape.radius, shape.width, 40), look);
    part.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), axis);
  } else if (shape.kind === "wheel") {
    part = wheel(shape.radius, shape.width || 0.6 * shape.radius, look);
    part.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), axis);
  } else if (shape.curve) {
    part = tube(floats(shape.curve), lineRadius * size, look);
  } else {
    part = mesh(shape, look);
  }
  part.position.copy(local).add(vector(shape.offset));
  return part;
}

// What reaches from one point to another: one metre along y, to be turned and stretched.
function betweenShape(shape, size, look) {
  if (shape.kind === "spring") {
    return new Line(coil(8, shape.radius || 0.018 * size), new LineBasicMaterial({color: look.colour, transparent: look.opacity < 1, opacity: look.opacity}));
  }
  const radius = shape.kind === "line" ? lineRadius * size : shape.radius, geometry = new CylinderGeometry(radius, radius, 1, 16);
  geometry.translate(0, 0.5, 0);
  return solid(geometry, look);
}
