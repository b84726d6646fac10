"use strict";
// Numbers: objectives with gradients, ranked sensitivities, events, how exact the run was, and where all comes from.

function table(caption, head, rows) {
  return make("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption}, make("table", {},
    make("caption", {class: "unseen"}, caption),
    make("thead", {}, make("tr", {}, ...head.map(text => make("th", {scope: "col"}, text)))),
    make("tbody", {}, ...rows.map(row => make("tr", {}, ...row.map((cell, i) =>
      make(i === 0 ? "th" : "td", i === 0 ? {scope: "row"} : {}, cell)))))));
}

function addObjectives(section) {
  const objectives = Object.entries(report.result.objectives || {}), parameters = Object.entries(report.result.parameters || {});
  if (objectives.length === 0) {
    return;
  }
  const ghost = report.ghost;
  section.append(make("h2", {}, "Objectives"), table("Objectives", ["objective", "value", ...(ghost ? [ghost.label] : [])],
    objectives.map(([name, objective]) => [name, short(objective.value, 10),
      ...(ghost ? [short(ghost.objectives[name] ?? null, 10)] : [])])));
  if (!objectives.some(([, objective]) => objective.gradient)) {
    return;
  }
  section.append(make("h3", {}, "Gradients"), table("Gradients of objectives by parameters",
    ["parameter", "value", ...objectives.map(([name]) => `d(${name})/dp`)],
    parameters.map(([p, value]) => [p, short(value), ...objectives.map(([, o]) => short(o.gradient ? o.gradient[p] : null, 8))])));
  addBars(section, objectives, parameters);
}

// (p / psi) dpsi/dp, the largest first
function addBars(section, objectives, parameters) {
  const most = 15;
  section.append(make("h2", {}, "What matters most"));
  for (const [name, objective] of objectives) {
    if (!objective.gradient) {
      continue;
    }
    const isRelative = objective.value !== 0 && objective.value !== null;
    const bars = parameters.filter(([, value]) => value !== 0).map(([p, value]) => ({
      p, value: value * objective.gradient[p] / (isRelative ? objective.value : 1)}))
      .filter(bar => Number.isFinite(bar.value)).sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
    if (bars.length > 0) {
      const title = isRelative ? `(p / ${name}) d${name}/dp` : `p d${name}/dp (${name} is 0)`;
      section.append(make("h3", {}, title), barTable(title, bars.slice(0, most)));
      if (bars.length > most) {
        section.append(make("details", {}, make("summary", {}, `${bars.length - most} more`), barTable(`${title}, smaller ones`, bars.slice(most), bars)));
      }
    }
  }
}

function barTable(title, bars, all = bars) {
  const least = Math.min(0, ...all.map(bar => bar.value)), greatest = Math.max(0, ...all.map(bar => bar.value));
  const range = greatest - least || 1;
  return make("table", {class: "bars"}, make("caption", {class: "unseen"}, title),
    make("thead", {class: "unseen"}, make("tr", {}, ...["parameter", "bar", "relative sensitivity"].map(text => make("th", {scope: "col"}, text)))),
    make("tbody", {}, ...bars.map(bar => {
      const div = make("div", {class: bar.value < 0 ? "negative" : ""});
      div.style.left = `${100 * (Math.min(bar.value, 0) - least) / range}%`;
      div.style.width = `${100 * Math.abs(bar.value) / range}%`;
      return make("tr", {}, make("th", {scope: "row"}, bar.p), make("td", {class: "bar"}, div), make("td", {}, short(bar.value, 4)));
    })));
}

// How a search went, and what it found.
function addSearch(section, plots) {
  const search = report.search;
  if (!search) {
    return;
  }
  const number = (_, i) => i, steps = search.steps.filter(step => step.value !== null), at = Float64Array.from(steps, number);
  const values = Float32Array.from(steps, step => step.value), scales = search.parameters.map(p => Math.abs(p.start) || 1);
  const bound = x => x === undefined ? "" : short(x);
  section.append(make("h2", {}, "The search"), make("p", {class: search.success ? "" : "warning"},
    `${search.algorithm}, ${search.evaluations} evaluations: ${search.message}.`));
  const options = {isOverTime: false, label: "better designs", events: []};
  if (steps.length > 1) {
    const isLog = values.every(x => x > 0) && Math.max(...values) > 100 * Math.min(...values);
    plots.add(`what is ${search.is_maximized ? "maximised" : "minimised"}`, at, [{label: "value", values}], section, {...options, isLog});
    plots.add("parameters, relative to where they started", at, search.parameters.slice(0, 24).map((p, k) => ({label: p.name,
      values: Float32Array.from(steps, step => (step.parameters[k] - (p.start === 0 ? -1 : 0)) / (p.start === 0 ? 1 : Math.sign(p.start) * scales[k]))})),
    section, options);
    if (steps.some(step => step.violation > 0)) {
      plots.add("violation of the worst constraint, in its scale", at, [{label: "violation", values: Float32Array.from(steps, step => step.violation)}], section, options);
    }
  }
  section.append(table("Parameters of the search", ["parameter", "before", "found", "lower", "upper"],
    search.parameters.map(p => [p.name, short(p.start, 8), short(p.value, 8), bound(p.lower), bound(p.upper)])));
  section.append(table("Objectives of the search", ["objective", "before", "found"],
    search.objectives.map(o => [o.name, short(o.start, 8), short(o.value, 8)])));
  if (search.constraints.length > 0) {
    section.append(table("Constraints of the search", ["constraint", "limit", "before", "found", "multiplier"],
      search.constraints.map(c => [`${c.objective} ${c.kind}`, short(c.limit, 8), short(c.start, 8), short(c.value, 8), bound(c.multiplier)])));
  }
}

function addEvents(section, onscrub) {
  const events = report.result.events || [];
  if (events.length === 0) {
    return;
  }
  const shown = events.slice(0, 500);
  section.append(make("h2", {}, "Events"), table("Events", ["event", "time [s]", "energy lost [J]"], shown.map(event =>
    [make("button", {type: "button", onclick: () => onscrub(event.time)}, event.name), short(event.time, 9), short(event.energy_lost)])));
  if (shown.length < events.length) {
    section.append(make("p", {class: "hint"}, `the first ${shown.length} of ${events.length}`));
  }
}

function list(entries) {
  return make("dl", {}, ...entries.filter(([, value]) => value !== undefined && value !== null && value !== "")
    .flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, typeof value === "number" ? short(value) : String(value))]));
}

function addStatistics(section) {
  const statistics = report.result.statistics || {}, residual = statistics.residual || {}, seconds = statistics.seconds || {};
  section.append(make("h2", {}, "How exact the run was"), list([
    ["steps", statistics.steps], ["iterations", statistics.iterations],
    ["largest residual, positions", residual.position], ["largest residual, velocities", residual.velocity],
    ["largest residual, accelerations", residual.acceleration],
    ["energy drift", statistics.energy_drift], ["time of computing, dynamics [s]", seconds.dynamics],
    ["time of computing, sensitivities [s]", seconds.sensitivity]]));
  for (const warning of report.result.warnings || []) {
    section.append(make("p", {class: "warning"}, warning));
  }
}

function addOrigin(section) {
  const result = report.result;
  const quoted = word => /^[\w@%+=:,.\/-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
  section.append(list([
    ["command", `mbsens ${report.command.map(quoted).join(" ")}`], ["version", `mbsens ${report.version}`],
    ["model", `${report.title} (${report.model.file})`], ["formulation", result.formulation], ["coordinates", result.coordinates],
    ["integrator", result.integrator], ["method", result.method], ["step [s]", result.step], ["end [s]", result.end]]));
  section.append(make("h3", {}, "Model"));
  if (report.model.is_left_out) {
    section.append(make("p", {class: "hint"}, "The model file is left out: it is too long."));
  } else {
    section.append(make("pre", {tabindex: "0", role: "region", "aria-label": "Model file"}, report.model.text));
  }
}
