"use strict";
// A design in motion: groups of three.js, one for each body, placed as the run says at any time.

class Mechanism {
  constructor(design, size, isGhost) {
    this.design = design;
    this.isGhost = isGhost;
    this.size = size;
    this.time = doubles(design.time);
    this.frames = floats(design.frames);
    this.dimension = design.dimension;
    this.width = this.dimension === 2 ? 3 : 7;
    this.count = design.bodies.length - 1;
    this.group = new Group();
    this.bodies = [new Group()];
    this.points = new Map();     // "body.point": {body, local, moves}
    this.firstByName = new Map();  // "point" of the first body that has one
    this.vectors = [];
    this.moving = [];
    design.bodies.forEach((body, b) => this.addPoints(body, b));
  }

  addPoints(body, b) {
    for (const point of body.points) {
      const entry = {body: b, name: `${body.name}.${point.name}`, local: vector(point.at),
        moves: point.moves ? floats(point.moves) : null};
      this.points.set(entry.name, entry);
      if (!this.firstByName.has(point.name)) {
        this.firstByName.set(point.name, entry);
      }
    }
  }

  find(name) {
    return this.points.get(name) || this.firstByName.get(name) || null;
  }

  // pose of body b (1, ...) in row i
  pose(b, i, position, rotation) {
    const F = this.frames, k = (i * this.count + b - 1) * this.width;
    if (this.dimension === 2) {
      position.set(F[k], F[k + 1], 0);
      rotation.set(0, 0, Math.sin(F[k + 2] / 2), Math.cos(F[k + 2] / 2));
    } else {
      position.set(F[k], F[k + 1], F[k + 2]);
      rotation.set(F[k + 3], F[k + 4], F[k + 5], F[k + 6]);
    }
  }

  // where a point is in row i
  pointInRow(entry, i, result) {
    if (entry.body === 0) {
      return this.movedGround(entry, i, result);
    }
    const position = new Vector3(), rotation = new Quaternion();
    this.pose(entry.body, i, position, rotation);
    return result.copy(entry.local).applyQuaternion(rotation).add(position);
  }

  movedGround(entry, i, result) {
    const d = this.dimension, m = this.isStill ? null : entry.moves;
    return m ? result.set(m[d * i], m[d * i + 1], d === 3 ? m[d * i + 2] : 0) : result.copy(entry.local);
  }

  // where a point is now, after `place`
  pointNow(entry, result) {
    if (entry.body === 0) {
      this.movedGround(entry, this.row, result);
      if (entry.moves && !this.isStill && this.part > 0) {
        result.lerp(this.movedGround(entry, this.row + 1, new Vector3()), this.part);
      }
      return result;
    }
    const group = this.bodies[entry.body];
    return result.copy(entry.local).applyQuaternion(group.quaternion).add(group.position);
  }

  // the box of all points and masses in some rows
  box(rows) {
    const box = new libraries.Box3(), p = new Vector3(), position = new Vector3(), rotation = new Quaternion();
    for (const i of rows) {
      for (const entry of this.points.values()) {
        box.expandByPoint(this.pointInRow(entry, i, p));
      }
      for (let b = 1; b <= this.count; ++b) {
        this.pose(b, i, position, rotation);
        box.expandByPoint(p.copy(vector(this.design.bodies[b].com)).applyQuaternion(rotation).add(position));
      }
    }
    return box;
  }

  build() {
    const opacity = this.isGhost ? 0.28 : 1;
    this.design.bodies.forEach((body, b) => {
      if (b > 0) {
        const colour = this.isGhost ? 0x888888 : bodyColours[(b - 1) % bodyColours.length];
        const group = new Group(), own = this.shapesOf(b);
        const isRound = body.points.length < 2 && own.some(shape => !isBetween(shape));  // an ellipsoid would hide it
        if (!own.some(isStandIn) && !isRound) {
          group.add(deriveShape(body, this.dimension, this.size, {colour, opacity, areMany: this.points.size > 60, grow: 1 + 0.06 * (b % 3)}));
        }
        own.filter(shape => !isBetween(shape)).forEach(shape => group.add(this.fixed(shape, colour)));
        this.bodies.push(group);
        this.group.add(group);
      }
    });
    this.shapesOf(0).filter(shape => !isBetween(shape)).forEach(shape => this.group.add(this.fixed(shape, 0x7d8790)));
    this.springs = [];
    (this.design.shapes || []).filter(isBetween).forEach(shape => shape.to.forEach((name, i) => this.addBetween(
      betweenShape(shape, this.size, this.look(shape, 0x7d8790)), [this.find(i > 0 ? shape.to[i - 1] : shape.at), this.find(name)])));
    if (!this.isGhost) {
      this.addSupports();
      this.addSprings();
    }
  }

  shapesOf(b) {
    return (this.design.shapes || []).filter(shape => this.find(shape.at) && this.find(shape.at).body === b);
  }

  look(shape, colour) {
    return {colour: this.isGhost ? 0x888888 : shape.colour || colour, opacity: (this.isGhost ? 0.28 : 1) * shape.opacity};
  }

  fixed(shape, colour) {
    return fixedShape(shape, this.find(shape.at).local, this.dimension, this.size, this.look(shape, colour));
  }

  addBetween(line, ends) {
    if (ends[0] && ends[1]) {
      this.group.add(line);
      this.springs.push({line, ends});
    }
  }

  addSupports() {
    const w = 0.012 * this.size, entries = items => new Set(items.flatMap(item => item.ends || [item.at]).map(name => this.find(name)));
    const shown = entries(this.design.shapes || []), held = entries([...this.design.joints, ...this.design.forces]);
    // but not below a point that is there for a road alone
    const ground = [...this.points.values()].filter(entry => entry.body === 0 && (held.has(entry) || !shown.has(entry)));
    this.supports = ground.map(entry => {
      const mesh = support(entry.local, this.dimension, w, 0x7d8790);
      this.group.add(mesh);
      return {entry, mesh, offset: mesh.position.clone().sub(entry.local)};
    });
  }

  addSprings() {
    for (const force of this.design.forces) {
      const ends = force.ends.map(name => this.find(name));
      if (force.type === "spring" && ends.length === 2) {
        this.addBetween(new Line(coil(8, 0.018 * this.size), new LineBasicMaterial({color: 0x7d8790})), ends);
      }
    }
  }

  place(t) {
    const [i, part] = place(this.time, t);
    this.row = i;
    this.part = part;
    const position = this.p || (this.p = new Vector3()), rotation = this.q || (this.q = new Quaternion());
    for (let b = 1; b <= this.count; ++b) {
      const group = this.bodies[b];
      this.pose(b, i, group.position, group.quaternion);
      if (part > 0) {
        this.pose(b, i + 1, position, rotation);
        group.position.lerp(position, part);
        this.turn(b, i, part, group.quaternion, rotation);
      }
    }
    this.placeRest();
  }

  // in the plane the angle is what is between two rows, however many turns that may be
  turn(b, i, part, quaternion, next) {
    if (this.dimension === 2) {
      const F = this.frames, k = (i * this.count + b - 1) * 3 + 2, step = this.count * 3;
      const angle = F[k] + part * (F[k + step] - F[k]);
      quaternion.set(0, 0, Math.sin(angle / 2), Math.cos(angle / 2));
    } else {
      quaternion.slerp(next, part);
    }
  }

  placeRest() {
    const a = new Vector3(), b = new Vector3();
    for (const {entry, mesh, offset} of this.supports || []) {
      if (entry.moves) {
        mesh.position.copy(this.pointNow(entry, a)).add(offset);
      }
    }
    for (const {line, ends} of this.springs || []) {
      this.pointNow(ends[0], a);
      this.pointNow(ends[1], b).sub(a);
      const length = b.length();
      line.position.copy(a);
      line.scale.set(1, Math.max(length, 1e-9), 1);
      line.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), b.normalize());
    }
  }
}
