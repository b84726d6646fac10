"use strict";
// Curves over time, each plot with a cursor at the time of the picture: click or drag in a plot, and it goes there.

class Plot {
  constructor(title, times, curves, options) {
    this.times = times;
    this.curves = curves;
    this.options = options;
    this.box = make("div", {});
    this.legend = make("ul", {class: "legend"});
    this.element = make("div", {class: "plot", role: "group", "aria-label": title}, make("h3", {}, title), this.box, this.legend);
    this.outputs = [];
    this.sizes = curves.map(curve => curve.values.reduce((m, x) => Number.isFinite(x) ? Math.max(m, Math.abs(x)) : m, 0));
    this.visible = curves.map((curve, i) => (curve.of ?? i) < 12);
    this.addLegend();
    darkness.addEventListener("change", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  addLegend() {
    this.curves.forEach((curve, i) => {
      const output = make("output", {}), sample = make("i", {"aria-hidden": "true"});
      const button = make("button", {type: "button", "aria-pressed": String(this.visible[i]), onclick: () => this.toggle(i)},
        sample, curve.label, output);
      this.outputs.push({output, button, sample});
      this.legend.append(make("li", {}, button));
    });
  }

  toggle(i) {
    this.visible[i] = !this.visible[i];
    this.outputs[i].button.setAttribute("aria-pressed", String(this.visible[i]));
    this.plot.setSeries(i + 1, {show: this.visible[i]});
  }

  draw() {
    const width = Math.floor(this.element.clientWidth) - 14;
    if (width < 60 || (width === this.drawnWidth && darkness.matches === this.drawnDark)) {
      return;
    }
    [this.drawnWidth, this.drawnDark] = [width, darkness.matches];
    if (this.plot) {
      this.plot.destroy();
    }
    this.plot = new libraries.uPlot(this.describe(width), [this.times, ...this.curves.map(curve => curve.values)], this.box);
    this.cursor = make("div", {class: "cursor", "aria-hidden": "true"});
    this.plot.over.append(this.cursor);
    this.outputs.forEach(({sample}, i) => {
      sample.style.color = this.look(i).stroke;
      sample.style.borderTopStyle = this.look(i).dash ? "dashed" : "solid";
    });
    if (this.options.isOverTime === false) {
      this.cursor.hidden = true;
    } else {
      this.listen();
      this.setTime(this.time ?? this.times[0]);
    }
  }

  // a colour for each curve; one of a ghost has that of its curve, paler
  look(i) {
    const {of} = this.curves[i], k = of ?? i;
    return {stroke: colours()[k % 8] + (of === undefined ? "" : "99"), dash: of !== undefined ? [4, 4] : i >= 8 ? [6, 3] : undefined};
  }

  describe(width) {
    const ink = styleColour("--soft"), line = styleColour("--line"), units = [...new Set(this.curves.map(c => c.unit || ""))];
    const axis = {stroke: ink, grid: {stroke: line, width: 1}, ticks: {stroke: line, width: 1}, font: "12px system-ui, sans-serif",
      labelFont: "12px system-ui, sans-serif"};
    const isOverTime = this.options.isOverTime !== false;
    // of a logarithmic axis every power of ten has a line while they are few; uPlot's own do not end where numbers are tiny
    const all = (_, splits) => splits;
    const powers = (_, axis, min, max) => {
      const [low, high] = [Math.ceil(Math.log10(min) - 1e-9), Math.floor(Math.log10(max) + 1e-9)], step = Math.max(1, Math.ceil((high - low) / 6));
      const first = step * Math.ceil(low / step), count = Math.max(0, Math.floor((high - first) / step) + 1);
      return Array.from({length: count}, (_, k) => Number(`1e${first + k * step}`));
    };
    const number = (_, splits) => splits.map(x => x === null ? "" : short(x, 5));
    return {
      width, height: this.options.height || 200, legend: {show: false}, padding: [8, 10, 0, 0],
      scales: {x: {time: false, range: [this.times[0], this.times[this.times.length - 1]]}, y: {distr: this.options.isLog ? 3 : 1}},
      cursor: {show: false, drag: {x: false, y: false}},
      axes: [{...axis, label: this.options.label || "t [s]", labelSize: 16, size: 32, values: number,
        ...(isOverTime ? {} : {incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]})},
        {...axis, ...(this.options.isLog ? {splits: powers, filter: all, grid: {...axis.grid, filter: all}, ticks: {...axis.ticks, filter: all}} : {}), size: 66, values: number, label: units.length === 1 && units[0] ? `[${units[0]}]` : undefined, labelSize: 16}],
      series: [{}, ...this.curves.map((curve, i) => ({...this.look(i), width: 1.6, show: this.visible[i],
        points: {show: this.options.isOverTime === false}, label: curve.label}))],
      hooks: {draw: [plot => this.markEvents(plot)]},
    };
  }

  markEvents(plot) {
    const context = plot.ctx, {left, top, width, height} = plot.bbox;
    context.save();
    const events = this.options.events || [], areMany = events.length > report.most_event_lines;  // they are ticks at the bottom
    context.strokeStyle = styleColour("--mark");
    context.lineWidth = devicePixelRatio;
    context.setLineDash(areMany ? [] : [4, 4]);
    for (const event of events) {
      const x = plot.valToPos(event.time, "x", true);
      if (x >= left && x <= left + width) {
        context.beginPath();
        context.moveTo(x, areMany ? top + height - 6 * devicePixelRatio : top);
        context.lineTo(x, top + height);
        context.stroke();
      }
    }
    context.restore();
  }

  listen() {
    const go = event => {
      const x = event.clientX - this.plot.over.getBoundingClientRect().left;
      this.options.onscrub(Math.min(Math.max(this.plot.posToVal(x, "x"), this.times[0]), this.times[this.times.length - 1]));
    };
    this.plot.over.addEventListener("pointerdown", event => {
      this.plot.over.setPointerCapture(event.pointerId);
      go(event);
    });
    this.plot.over.addEventListener("pointermove", event => event.buttons & 1 && go(event));
  }

  setTime(t) {
    this.time = t;
    if (!this.plot || this.options.isOverTime === false) {
      return;
    }
    this.cursor.style.transform = `translateX(${this.plot.valToPos(t, "x")}px)`;
    const [i, part] = place(this.times, t);
    this.curves.forEach((curve, k) => {
      const a = curve.values[i], b = part > 0 ? curve.values[i + 1] : a;
      const value = part > 0 ? a + part * (b - a) : a, isRounding = Math.abs(value) < 1e-12 * this.sizes[k];
      this.outputs[k].output.textContent = this.visible[k] ? short(isRounding ? 0 : value, 5) : "";
    });
  }
}

// Values at some times as values at others; nothing outside.
function resampled(times, values, wanted) {
  return Float32Array.from(wanted, t => {
    const [i, part] = place(times, t);
    return t < times[0] || t > times[times.length - 1] ? NaN : part > 0 ? values[i] + part * (values[i + 1] - values[i]) : values[i];
  });
}

// ---- which plots there are ----
// "d(P.x)/d(L)" with the base "P.x"
function derivativeOf(label, bases) {
  for (const base of bases) {
    const head = `d(${base})/d(`;
    if (label.startsWith(head) && label.endsWith(")")) {
      return {base, parameter: label.slice(head.length, -1)};
    }
  }
  return null;
}

class Plots {
  constructor(section, options) {
    this.section = section;
    this.options = options;
    this.plots = [];
    this.addSignals(report.signals);
    this.addChecks(report.checks);
  }

  // curves of the other design, beside those of the same name
  withGhosts(times, group) {
    const signals = report.ghost ? report.ghost.signals : null, own = signals ? doubles(signals.time) : null;
    const ghosts = group.flatMap((curve, of) => (signals ? signals.curves : []).filter(other => other.label === curve.label).slice(0, 1)
      .map(other => ({label: `${other.label}, ${report.ghost.label}`, unit: other.unit, of, values: resampled(own, floats(other.values), times)})));
    return [...group, ...ghosts];
  }

  add(title, times, curves, parent = this.section, options = {}) {
    const plot = new Plot(title, times, curves, {...this.options, ...options});
    this.plots.push(plot);
    parent.append(plot.element);
    plot.setTime(this.time ?? times[0]);
    plot.draw();
    return plot;
  }

  remove(plot) {
    this.plots = this.plots.filter(other => other !== plot);
    plot.element.remove();
  }

  setTime(t) {
    this.time = t;
    this.plots.forEach(plot => plot.setTime(t));
  }

  addSignals(signals) {
    const times = doubles(signals.time);
    const curves = signals.curves.map(curve => ({...curve, values: floats(curve.values)}));
    // the shortest names first: d(d(x)) is none of x
    const plain = curves.filter(curve => !/^d\(.*\)\/d\(.*\)$/s.test(curve.label)), names = plain.map(curve => curve.label);
    const panels = new Map();
    for (const curve of plain) {
      panels.set(curve.panel, [...(panels.get(curve.panel) || []), curve]);
    }
    for (const group of panels.values()) {
      this.add(group.map(curve => curve.label).slice(0, 6).join(", ") + (group.length > 6 ? ", …" : ""), times, this.withGhosts(times, group));
    }
    const derivatives = curves.filter(curve => !plain.includes(curve))
      .map(curve => ({curve, ...(derivativeOf(curve.label, names) || {base: curve.label, parameter: ""})}));
    if (derivatives.length > 0) {
      this.addSensitivities(times, derivatives);
    } else if (signals.derivatives_left_out) {
      this.section.append(make("p", {class: "hint"}, "Sensitivities over time are left out: there are too many. --y and --wrt choose some."));
    }
  }

  // of one signal, by the parameters that change it most
  addSensitivities(times, derivatives) {
    const bases = [...new Set(derivatives.map(d => d.base))], holder = make("div", {});
    const select = make("select", {}, ...bases.map(base => make("option", {value: base}, base)));
    const scale = make("input", {type: "checkbox"});
    const values = report.result.parameters || {};
    let plot = null;
    const show = () => {
      if (plot) {
        this.remove(plot);
      }
      const own = derivatives.filter(d => d.base === select.value).map(({curve, parameter}) => {
        const factor = scale.checked ? values[parameter] ?? 1 : 1;
        const scaled = scale.checked ? curve.values.map(x => factor * x) : curve.values;
        const most = scaled.reduce((m, x) => Number.isFinite(x) ? Math.max(m, Math.abs(x)) : m, 0);
        return {label: parameter || curve.label, values: scaled, most};
      }).sort((a, b) => b.most - a.most);
      const title = scale.checked ? `p d(${select.value})/dp` : `d(${select.value})/dp`;
      plot = this.add(title, times, own, holder);
      own.forEach((_, i) => i >= 5 && plot.visible[i] && plot.toggle(i));
    };
    select.addEventListener("change", show);
    scale.addEventListener("change", show);
    this.section.append(make("h2", {}, "Sensitivities over time"),
      make("div", {class: "choice"}, make("label", {}, "of ", select), make("label", {}, scale, " times the parameter: comparable")), holder);
    show();
  }

  addChecks(checks) {
    const times = doubles(checks.time);
    const curves = checks.curves.map(curve => ({...curve, values: floats(curve.values)}));
    const of = panel => curves.filter(curve => curve.panel === panel), [energies, reactions, residuals] = [of(0), of(1), of(2)];
    if (energies.length === 2) {
      const sum = energies[0].values.map((x, i) => x + energies[1].values[i]);
      this.section.append(make("h2", {}, "Energy"));
      this.add("Kinetic and potential energy", times, [...energies, {label: "sum", unit: "J", values: sum}]);
      energies[0].label = "kinetic energy";
    }
    if (residuals.length > 0) {
      // what is smaller is nothing, and zero has no place on a logarithmic axis
      const shown = residuals.map(curve => ({...curve, label: curve.label.replace("residual ", ""), values: Array.from(curve.values, x => x > 1e-24 ? x : null)}));
      const isLog = shown.some(curve => curve.values.some(x => x !== null));
      this.section.append(make("h2", {}, "Constraints"));
      this.add("Largest residual of all constraints", times, isLog ? shown : residuals, this.section, {isLog});
    }
    if (reactions.length > 0) {
      this.addReactions(times, reactions);
    }
  }

  addReactions(times, reactions) {
    const of = curve => curve.label.replace(/\.[xyz]$/, ""), names = [...new Set(reactions.map(of))], holder = make("div", {});
    const select = make("select", {}, ...names.map(name => make("option", {value: name}, name)));
    let plot = null;
    const show = () => {
      if (plot) {
        this.remove(plot);
      }
      plot = this.add(select.value, times, reactions.filter(curve => of(curve) === select.value), holder);
    };
    select.addEventListener("change", show);
    this.section.append(make("h2", {}, "Reactions"), make("div", {class: "choice"}, make("label", {}, "Joint ", select)), holder);
    show();
  }
}
