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
  section.append(make("h2", {}, "Objectives"), table("Objectives", ["objective", "value"],
    objectives.map(([name, objective]) => [name, short(objective.value, 10)])));
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
    ["command", `mbsens report ${report.command.map(quoted).join(" ")}`], ["version", `mbsens ${report.version}`],
    ["model", `${report.title} (${report.model.file})`], ["formulation", result.formulation], ["coordinates", result.coordinates],
    ["integrator", result.integrator], ["method", result.method], ["step [s]", result.step], ["end [s]", result.end]]));
  section.append(make("h3", {}, "Model"));
  if (report.model.is_left_out) {
    section.append(make("p", {class: "hint"}, "The model file is left out: it is too long."));
  } else {
    section.append(make("pre", {tabindex: "0", role: "region", "aria-label": "Model file"}, report.model.text));
  }
}
