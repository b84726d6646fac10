"use strict";
// The page: one time, which the picture and all plots show, and what changes it.

const speeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
const player = {time: 0, isPlaying: false, speed: 1, before: 0, milliseconds: [], picture: null, plots: null};

function drawingTimes() {
  const own = report.designs.length > 0 ? doubles(report.designs[0].time) : null;
  return own && own.length > 0 ? own : doubles(report.signals.time);
}
const times = drawingTimes();
player.first = times[0];
player.last = times[times.length - 1];
player.time = player.first;

// One of the natural modes in place of the run; null: the run again.
function setMode(mode) {
  player.phase = 0;
  player.mode = mode ? {...mode, period: doubles(mode.time).at(-1)} : null;
  player.picture.setMotion(mode);
  at("clock").textContent = "";
  if (mode) {
    player.picture.setTime(0);
    setPlaying(true);
  } else {
    setPlaying(false);
    setTime(player.time);
  }
}

function modeLabel(mode) {
  return mode.imag > 0 ? `mode ${mode.number}: ${short(mode.frequency, 4)} Hz, damping ${short(mode.damping, 3)}`
    : `mode ${mode.number}: ${short(mode.real, 4)} 1/s`;
}

function setTime(t) {
  if (player.mode) {
    at("mode").value = "";
    setMode(null);
  }
  player.time = Math.min(Math.max(t, player.first), player.last);
  at("time").value = player.time;
  at("time").setAttribute("aria-valuetext", `${short(player.time, 4)} seconds`);
  at("clock").textContent = `t = ${player.time.toFixed(decimals)} s`;
  player.plots.setTime(player.time);
  if (player.picture) {
    player.picture.setTime(player.time);
  }
}
const decimals = Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(Math.max(player.last - player.first, 1e-6)))));

function setPlaying(isPlaying) {
  player.isPlaying = isPlaying;
  at("play").textContent = isPlaying ? "Pause" : "Play";
  at("play").setAttribute("aria-pressed", String(isPlaying));
  if (isPlaying && player.time >= player.last) {
    setTime(player.first);
  }
}

function step(direction) {
  setPlaying(false);
  const [i, part] = place(times, player.time);
  const next = direction > 0 ? i + 1 : part > 0 ? i : i - 1;
  setTime(times[Math.min(Math.max(next, 0), times.length - 1)]);
}

function frame(now) {
  const began = performance.now();
  if (player.isPlaying && player.mode) {
    player.phase = (player.phase + Math.min(now - player.before, 200) / 1000) % player.mode.period;
    player.picture.setTime(player.phase);
  } else if (player.isPlaying) {
    const seconds = Math.min(now - player.before, 200) / 1000;
    const t = player.time + seconds * player.speed;
    setTime(t > player.last ? player.first : t);
  }
  player.before = now;
  if (player.picture) {
    player.picture.drawNow();
  }
  player.milliseconds.push(performance.now() - began);
  if (player.milliseconds.length > 600) {
    player.milliseconds.shift();
  }
  requestAnimationFrame(frame);
}

// ---- what is there ----
function startPicture() {
  const design = report.designs[0];
  if (!design || (design.bodies.length < 2 && design.bodies.every(body => body.points.length === 0))) {
    refusePicture("This model has no bodies to draw.");
    return;
  }
  try {
    player.picture = new Picture(at("picture"), report.designs);
  } catch (error) {
    refusePicture(`This browser cannot draw the motion (${error.message}). The plots and numbers are all there.`);
    return;
  }
  at("picture").setAttribute("aria-label", `The mechanism in motion: ${report.title}`);
  addShowOptions(player.picture);
}

function refusePicture(text) {
  at("stage-notice").textContent = text;
  at("stage-notice").hidden = false;
  at("picture").hidden = true;
  at("show").hidden = true;
  at("reset-view").hidden = true;
}

function checkbox(label, isOn, onchange) {
  const box = make("input", {type: "checkbox", onchange: () => onchange(box.checked)});
  box.checked = isOn;
  return make("label", {}, box, ` ${label}`);
}

function addShowOptions(picture) {
  const options = at("show-options"), start = picture.defaultTrace();
  if ((report.modes || []).length > 0) {
    const select = make("select", {id: "mode", onchange: () => setMode(report.modes[select.value] || null)}, make("option", {value: ""}, "the run"),
      ...report.modes.map((mode, i) => make("option", {value: String(i)}, modeLabel(mode))));
    options.append(make("label", {}, "Motion: ", select));
  }
  if (picture.arrows.length > 0) {
    options.append(checkbox("Forces", false, isOn => {
      picture.hasArrows = isOn;
      picture.placeArrows();
      picture.draw();
    }));
  }
  if (picture.mechanisms.length > 1) {
    options.append(checkbox(`Ghost: ${report.designs[1].label.slice(0, 60)}`, true, isOn => {
      picture.showGhost(isOn);
    }));
  }
  options.append(checkbox("Follow", picture.follows, isOn => {
    picture.follows = isOn;
    picture.followed = null;
  }));
  options.append(checkbox("Grid", true, isOn => {
    picture.grid.visible = isOn;
    picture.draw();
  }));
  const moving = [...picture.main.points.values()].filter(entry => entry.body > 0 || entry.moves).slice(0, 400);
  if (moving.length > 0) {
    options.append(make("fieldset", {}, make("legend", {}, "Paths of points"),
      ...moving.map(entry => checkbox(entry.name, entry.name === start, isOn => picture.setTrace(entry.name, isOn)))));
  }
  if (start) {
    picture.setTrace(start, true);
  }
}

function startControls() {
  const slider = at("time"), speed = at("speed"), duration = player.last - player.first;
  slider.min = player.first;
  slider.max = player.last;
  slider.step = "any";
  slider.addEventListener("input", () => {
    setPlaying(false);
    setTime(Number(slider.value));
  });
  slider.addEventListener("keydown", event => {
    const steps = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10}[event.key];
    if (steps) {
      event.preventDefault();
      setPlaying(false);
      setTime(player.time + steps * duration / 100);
    }
  });
  const wanted = duration > 20 ? duration / 15 : duration < 2 ? duration / 4 : 1;
  player.speed = speeds.reduce((best, s) => Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best, 1);
  speed.append(...speeds.map(s => make("option", {value: s}, `${s}×`)));
  speed.value = String(player.speed);
  speed.addEventListener("change", () => { player.speed = Number(speed.value); });
  at("play").addEventListener("click", () => setPlaying(!player.isPlaying));
  at("back").addEventListener("click", () => step(-1));
  at("forth").addEventListener("click", () => step(1));
  at("reset-view").addEventListener("click", () => {
    player.picture.resetView();
    setTime(player.time);
  });
  document.addEventListener("keydown", event => {
    const isTyped = /^(INPUT|SELECT|TEXTAREA|BUTTON|SUMMARY)$/.test(event.target.tagName);
    if (event.key === " " && !isTyped) {
      event.preventDefault();
      setPlaying(!player.isPlaying);
    } else if ((event.key === "," || event.key === ".") && !/^(SELECT|TEXTAREA)$/.test(event.target.tagName)) {
      step(event.key === "," ? -1 : 1);
    }
  });
  for (const event of (report.result.events || []).slice(0, 500)) {
    const mark = make("span", {});
    mark.style.left = `${100 * (event.time - player.first) / (duration || 1)}%`;
    at("event-marks").append(mark);
  }
}

function startPage() {
  const result = report.result, scrub = t => {
    setPlaying(false);
    setTime(t);
  };
  at("title").textContent = report.title;
  at("subtitle").textContent = [result.formulation, result.coordinates && `${result.coordinates} coordinates`, result.integrator,
    result.step && `h = ${short(result.step)} s`, `${short(player.first)} to ${short(player.last)} s`].filter(Boolean).join(", ");
  startPicture();
  player.plots = new Plots(at("plots"), {onscrub: scrub, events: (result.events || []).slice(0, 200)});
  startControls();
  addSearch(at("tables"), player.plots);
  addObjectives(at("tables"));
  addEvents(at("tables"), scrub);
  addStatistics(at("tables"));
  addOrigin(at("origin"));
  setTime(player.first);
  requestAnimationFrame(frame);
}

startPage();
