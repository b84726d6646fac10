"use strict";
// The picture: camera and its controls by mouse, fingers and keys, the ground, paths of points, arrows of forces.

class Picture {
  constructor(canvas, designs) {
    this.canvas = canvas;
    this.scene = new libraries.Scene();
    this.isPlanar = designs[0].dimension === 2;
    const plain = designs.map(design => new Mechanism(design, 1, false));
    const union = boxes => boxes.reduce((all, box) => all.union(box));
    this.start = union(plain.map(mechanism => mechanism.box([0])));
    this.whole = union(plain.map(mechanism => mechanism.box(sampled(mechanism.time.length, 60))));
    this.hasGhost = true;
    this.isOfRun = true;
    const extent = box => Math.max(box.getSize(new Vector3()).length(), 1e-9);
    this.size = extent(this.start) > 1e-6 ? extent(this.start) : extent(this.whole);
    this.travels = extent(this.whole) > 4 * this.size;
    this.mechanisms = designs.map((design, i) => new Mechanism(design, this.size, i > 0));
    this.mechanisms.forEach(mechanism => {
      mechanism.build();
      this.scene.add(mechanism.group);
    });
    this.traces = new Map();
    this.arrows = [];
    this.follows = this.travels;
    this.renderer = new libraries.WebGLRenderer({canvas, antialias: true, alpha: true});
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.addLights();
    this.addGround();
    this.addArrows();
    this.makeCamera();
    this.needsDrawing = true;
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    darkness.addEventListener("change", () => {
      this.addGround();
      this.draw();
    });
    this.resize();
  }

  get main() {
    return this.mechanisms[0];
  }

  addLights() {
    const sun = new libraries.DirectionalLight(0xffffff, 1.7);
    sun.position.set(0.5, this.isPlanar ? 0.8 : -0.7, 1.2);
    this.scene.add(new libraries.HemisphereLight(0xffffff, 0xb8c2cc, 1.9), sun);
  }

  // a grid with squares of 1, 2 or 5 times a power of ten
  addGround() {
    if (this.grid) {
      this.scene.remove(this.grid);
    }
    const box = this.travels ? this.whole : this.start.clone().union(this.whole), size = box.getSize(new Vector3());
    const extent = 1.8 * Math.max(size.x, size.y, 0.2 * this.size);
    const raw = extent / 14, power = 10 ** Math.floor(Math.log10(raw));
    const square = power * (raw > 5 * power ? 10 : raw > 2 * power ? 5 : raw > power ? 2 : 1);
    const count = Math.min(2 * Math.ceil(extent / square / 2), 200), colour = new libraries.Color(styleColour("--grid"));
    this.grid = new libraries.GridHelper(count * square, count, colour, colour);
    this.grid.rotation.x = Math.PI / 2;
    const centre = box.getCenter(new Vector3()), snap = x => Math.round(x / square) * square;
    this.grid.position.set(snap(centre.x), snap(centre.y), this.isPlanar ? -0.06 * this.size : box.min.z - 0.01 * this.size);
    this.square = square;
    this.scene.add(this.grid);
  }

  // ---- camera ----
  makeCamera() {
    this.camera = this.isPlanar ? new libraries.OrthographicCamera(-1, 1, 1, -1, 0.01 * this.size, 100 * this.size)
      : new libraries.PerspectiveCamera(35, 1, 0.005 * this.size, 400 * this.size);
    this.camera.up.set(0, this.isPlanar ? 1 : 0, this.isPlanar ? 0 : 1);
    this.controls = new libraries.OrbitControls(this.camera, this.canvas);  // which looks at `up` once, here
    if (this.isPlanar) {
      this.controls.enableRotate = false;
      this.controls.mouseButtons.LEFT = libraries.MOUSE.PAN;
      this.controls.touches.ONE = libraries.TOUCH.PAN;
    }
    this.controls.zoomToCursor = this.isPlanar;
    this.controls.addEventListener("change", () => this.draw());
    this.canvas.addEventListener("keydown", event => this.key(event));
    this.resetView();
  }

  resetView() {
    const box = (this.travels ? this.start : this.start.clone().union(this.whole));
    const centre = box.getCenter(new Vector3()), radius = Math.max(box.getSize(new Vector3()).length() / 2, 0.3 * this.size);
    this.radius = radius;
    this.controls.target.copy(centre);
    this.followed = null;
    if (this.isPlanar) {
      this.camera.position.copy(centre).add(new Vector3(0, 0, 50 * this.size));
      this.camera.zoom = 1;
      this.half = box.getSize(new Vector3()).multiplyScalar(0.6).addScalar(0.1 * radius);
    } else {
      const distance = radius / Math.sin(this.camera.fov / 2 * Math.PI / 180);
      this.camera.position.copy(centre).add(new Vector3(0.62, -1, 0.42).normalize().multiplyScalar(distance));
    }
    this.resize();
    this.controls.update();
  }

  resize() {
    const width = Math.max(this.canvas.clientWidth, 1), height = Math.max(this.canvas.clientHeight, 1), aspect = width / height;
    this.renderer.setSize(width, height, false);
    if (this.isPlanar) {
      const half = Math.max(this.half.y, this.half.x / aspect);
      Object.assign(this.camera, {left: -half * aspect, right: half * aspect, top: half, bottom: -half});
    } else {
      this.camera.aspect = aspect;
      this.fitAspect(aspect);
    }
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  // a narrow picture shows as much to the side as a wide one shows up
  fitAspect(aspect) {
    const wanted = 35 * Math.PI / 180;
    this.camera.fov = aspect >= 1 ? 35 : 2 * Math.atan(Math.tan(wanted / 2) / aspect) * 180 / Math.PI;
  }

  key(event) {
    const turn = !this.isPlanar && !event.shiftKey, step = 0.08;
    const sides = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};
    if (sides[event.key]) {
      const [x, y] = sides[event.key];
      turn ? this.turn(x * step, y * step) : this.pan(x * step, y * step);
    } else if (event.key === "+" || event.key === "=" || event.key === "-") {
      this.zoom(event.key === "-" ? 1.15 : 1 / 1.15);
    } else if (event.key === "Home") {
      this.resetView();
    } else {
      return;
    }
    event.preventDefault();
    this.controls.update();
    this.draw();
  }

  turn(x, y) {
    const offset = this.camera.position.clone().sub(this.controls.target), distance = offset.length();
    const height = Math.min(1.5, Math.max(-1.5, Math.asin(offset.z / distance) + y)), angle = Math.atan2(offset.y, offset.x) + x;
    offset.set(Math.cos(angle) * Math.cos(height), Math.sin(angle) * Math.cos(height), Math.sin(height));
    this.camera.position.copy(this.controls.target).addScaledVector(offset, distance);
  }

  pan(x, y) {
    const right = new Vector3().setFromMatrixColumn(this.camera.matrix, 0), up = new Vector3().setFromMatrixColumn(this.camera.matrix, 1);
    const move = right.multiplyScalar(x * this.radius).addScaledVector(up, y * this.radius);
    this.camera.position.add(move);
    this.controls.target.add(move);
  }

  zoom(factor) {
    if (this.isPlanar) {
      this.camera.zoom /= factor;
      this.camera.updateProjectionMatrix();
    } else {
      this.camera.position.sub(this.controls.target).multiplyScalar(factor).add(this.controls.target);
    }
  }

  // the camera goes along with the middle of all bodies
  follow() {
    const middle = new Vector3(), groups = this.main.bodies.slice(1);
    groups.forEach(group => middle.add(group.position));
    middle.multiplyScalar(1 / Math.max(groups.length, 1));
    if (this.followed && this.follows) {
      const move = middle.clone().sub(this.followed);
      this.camera.position.add(move);
      this.controls.target.add(move);
      this.camera.lookAt(this.controls.target);
    }
    this.followed = middle;
  }

  // of a mode, or of the run again; its paths and forces are hidden meanwhile
  setMotion(mode) {
    const main = this.main, source = mode || main.design;
    main.time = doubles(source.time);
    main.frames = floats(source.frames);
    main.isStill = Boolean(mode);
    this.isOfRun = !mode;
    this.mechanisms.slice(1).forEach(mechanism => { mechanism.group.visible = !mode && this.hasGhost; });
    this.traces.forEach(({group}) => { group.visible = !mode; });
    this.followed = null;
  }

  showGhost(isOn) {
    this.hasGhost = isOn;
    this.mechanisms.slice(1).forEach(mechanism => { mechanism.group.visible = isOn; });
    this.traces.forEach(({group}) => group.children.slice(1).forEach(line => { line.visible = isOn; }));
    this.draw();
  }

  // ---- paths ----
  setTrace(name, isOn) {
    if (this.traces.has(name)) {
      this.scene.remove(this.traces.get(name).group);
      this.traces.delete(name);
    }
    if (isOn) {
      const group = new Group(), index = this.traces.size;
      this.mechanisms.forEach((mechanism, m) => this.addTrace(mechanism, name, m > 0, index, group));
      this.traces.set(name, {group});
      this.scene.add(group);
    }
    this.draw();
  }

  addTrace(mechanism, name, isGhost, index, group) {
    const entry = mechanism.find(name), count = mechanism.time.length, p = new Vector3();
    if (!entry) {
      return;
    }
    const positions = new Float32Array(3 * count);
    for (let i = 0; i < count; ++i) {
      mechanism.pointInRow(entry, i, p).toArray(positions, 3 * i);
    }
    const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(positions, 3));
    const colour = isGhost ? 0x888888 : new libraries.Color(colours()[(index + 1) % 8]);
    const line = new Line(geometry, new LineBasicMaterial({color: colour, transparent: isGhost, opacity: isGhost ? 0.5 : 1}));
    line.visible = !isGhost || this.hasGhost;
    group.add(line);
  }

  // the moving point with the longest path, up to 2 % of one before it
  defaultTrace() {
    return this.longestTrace(this.main) || (this.mechanisms.length > 1 ? this.longestTrace(this.mechanisms[1]) : null);
  }

  longestTrace(mechanism) {
    const rows = sampled(mechanism.time.length, 300), p = new Vector3(), before = new Vector3();
    let best = null, most = 0.02 * this.size;
    for (const entry of mechanism.points.values()) {
      let length = 0;
      rows.forEach((i, k) => {
        mechanism.pointInRow(entry, i, p);
        length += k > 0 ? p.distanceTo(before) : 0;
        before.copy(p);
      });
      if (length > 1.02 * most) {
        most = length;
        best = entry.name;
      }
    }
    return best;
  }

  // ---- forces ----
  addArrows() {
    const mechanism = this.main, d = mechanism.dimension;
    const add = (values, end, colour, other) => {
      const entry = end && mechanism.find(end);
      if (entry && values.some(x => x !== 0)) {
        this.arrows.push({values, entry, other: other && mechanism.find(other), mesh: this.makeArrow(colour)});
      }
    };
    for (const joint of mechanism.design.joints) {
      if (joint.force) {
        add(floats(joint.force), joint.ends[joint.ends.length - 1], 0xb34700);
      }
    }
    for (const force of mechanism.design.forces) {
      if (force.force) {
        add(floats(force.force), force.ends[0], 0x0072b2);
      } else if (force.tension && force.ends.length === 2) {
        add(floats(force.tension), force.ends[0], 0x007a5a, force.ends[1]);
        add(floats(force.tension), force.ends[1], 0x007a5a, force.ends[0]);
      }
    }
    const sizes = [];
    for (const {values, other} of this.arrows) {
      const width = other ? 1 : d;
      for (let i = 0; i + width <= values.length; i += width * Math.max(1, Math.floor(values.length / width / 200))) {
        sizes.push(Math.hypot(...values.subarray(i, i + width)));
      }
    }
    sizes.sort((a, b) => a - b);
    this.force = sizes[Math.floor(0.98 * (sizes.length - 1))] || 1;
    this.hasArrows = false;
  }

  makeArrow(colour) {
    const group = new Group(), w = 0.008 * this.size, look = {colour, opacity: 1};
    const shaft = solid(new CylinderGeometry(w, w, 1, 10), look), head = solid(new CylinderGeometry(0, 2.6 * w, 6 * w, 12), look);
    group.add(shaft, head);
    group.visible = false;
    this.scene.add(group);
    return {group, shaft, head};
  }

  placeArrows() {
    const {row, part, dimension: d} = this.main, a = new Vector3(), f = new Vector3(), g = new Vector3();
    const longest = 0.3 * this.size;
    for (const {values, entry, other, mesh} of this.arrows) {
      mesh.group.visible = this.hasArrows && this.isOfRun;
      if (!mesh.group.visible) {
        continue;
      }
      this.main.pointNow(entry, a);
      if (other) {
        const tension = values[row] + (part > 0 ? part * (values[row + 1] - values[row]) : 0);
        this.main.pointNow(other, f).sub(a).normalize().multiplyScalar(tension);
      } else {
        const read = (i, to) => to.set(values[d * i], values[d * i + 1], d === 3 ? values[d * i + 2] : 0);
        read(row, f);
        if (part > 0) {
          f.lerp(read(row + 1, g), part);
        }
      }
      const length = Math.min(f.length() / this.force, 1.5) * longest;
      mesh.group.visible = length > 0.01 * longest;
      mesh.group.position.copy(a);
      mesh.group.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), f.normalize());
      mesh.shaft.scale.y = length;
      mesh.shaft.position.y = length / 2;
      mesh.head.position.y = length;
    }
  }

  // ---- drawing ----
  setTime(t) {
    this.mechanisms.forEach(mechanism => mechanism.place(t));
    this.follow();
    this.placeArrows();
    this.draw();
  }

  draw() {
    this.needsDrawing = true;
  }

  drawNow() {
    if (this.needsDrawing) {
      this.needsDrawing = false;
      this.renderer.render(this.scene, this.camera);
    }
  }
}

// some of so many rows, the first and the last among them
function sampled(count, most) {
  const step = Math.max(1, Math.ceil(count / most)), rows = [];
  for (let i = 0; i < count - 1; i += step) {
    rows.push(i);
  }
  rows.push(count - 1);
  return rows;
}
