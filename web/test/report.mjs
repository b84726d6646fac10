// usage: node web/test/report.mjs COMMAND
// Reports in a headless Chromium without a network: they show what the run gave, can be played, scrubbed and turned by
// mouse and keys, run no text of a model, and meet axe's rules in light, dark and on a phone. Run it in the folder of
// the repository: make test-browser.
import {execFileSync} from "node:child_process";
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {createRequire} from "node:module";
import {open} from "./browser.mjs";

const command = process.argv[2], folder = mkdtempSync(join(tmpdir(), "mbsens-report-"));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let checks = 0;

function ensure(holds, sentence) {
  if (!holds) {
    throw new Error(sentence);
  }
  ++checks;
}
const near = (a, b, tolerance, sentence) => ensure(Math.abs(a - b) <= tolerance, `${sentence}: ${a}, expected ${b}`);
const mbsens = (...words) => execFileSync(command, words, {encoding: "utf8"});

function write(model, ...words) {
  const file = join(folder, `${checks}.html`);
  mbsens("report", model, "-o", file, "--quiet", ...words);
  return file;
}

function history(model, ...words) {
  const file = join(folder, "history.csv");
  mbsens("simulate", model, "-o", file, "--quiet", ...words);
  const [head, ...rows] = readFileSync(file, "utf8").trim().split("\n").map(line => line.split(","));
  return {names: head.map(name => name.replace(/ \[.*/, "")), rows: rows.map(row => row.map(Number))};
}

const settle = tab => tab.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
const picture = async tab => (await settle(tab), (await tab.$("#picture")).screenshot({encoding: "base64"}));

// no message, and nothing fetched but the file itself
function isQuiet(tab) {
  ensure(tab.messages.length === 0, `the page complains: ${tab.messages.join("; ")}`);
  ensure(tab.requests.every(url => url.startsWith("file:") || url.startsWith("data:") || url.startsWith("blob:")) &&
    tab.requests.filter(url => url.startsWith("file:")).length === 1, `the page fetches: ${tab.requests.join(", ")}`);
}

// axe's rules for what WCAG 2.2 says on levels A and AA
async function isAccessible(tab, where) {
  const session = await tab.createCDPSession();
  await session.send("Page.setBypassCSP", {enabled: true});  // for the checker alone
  await tab.reload();
  await settle(tab);
  await tab.evaluate(axe);
  const found = await tab.evaluate(() => axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}));
  const told = found.violations.map(v => `${v.id}: ${v.help} (${v.nodes.slice(0, 3).map(n => n.html.slice(0, 90)).join(" | ")})`);
  ensure(told.length === 0, `axe, ${where}: ${told.join("\n")}`);
}

// ---- what is drawn is what the run gave: points by another way, columns of points of another run ----
async function showsTheRun(browser) {
  const model = "models/five_bar.yaml", tab = await browser.page(write(model));
  isQuiet(tab);
  const {names, rows} = history(model, "--columns", "points");
  for (const [row, point] of [[0, "L12.P2"], [137, "L12.P2"], [500, "L23.P3"]]) {
    const name = point.split(".")[1], column = names.indexOf(`${name}.x`), [t, x, y] = [rows[row][0], rows[row][column], rows[row][column + 1]];
    const at = await tab.evaluate((point, t) => {
      setTime(t);
      return player.picture.main.pointNow(player.picture.main.find(point), new libraries.Vector3()).toArray();
    }, point, t);
    near(at[0], x, 1e-5, `${point} x at ${t}`);
    near(at[1], y, 1e-5, `${point} y at ${t}`);
    const shown = await tab.evaluate(name => player.plots.plots[0].outputs[player.plots.plots[0].curves.findIndex(c => c.label === name)].output.textContent, `${name}.x`);
    near(Number(shown.replace("−", "-")), x, 2e-4 * Math.abs(x) + 1e-6, `the legend of ${name}.x at ${t}`);
  }
  const result = JSON.parse(mbsens("gradient", model, "--json"));
  const cells = await tab.$$eval("#tables table", tables => [...tables].find(t => t.caption.textContent.startsWith("Gradients")).innerText);
  const [line] = cells.split("\n").filter(text => text.startsWith("Ls1"));
  const residuals = history(model, "--columns", "residuals"), drawn = await tab.evaluate(() => {
    const plot = player.plots.plots.find(plot => plot.element.ariaLabel === "Largest residual of all constraints");
    return plot.curves.map(curve => curve.values);
  });
  [0, 1, 2].forEach(level => near(Math.max(...drawn[level]) / Math.max(...residuals.rows.map(row => row[1 + level])), 1, 1e-6, `residuals, level ${level}`));
  near(Number(line.split("\t")[2].replace("−", "-")), result.objectives.psi1.gradient.Ls1, 1e-6, "d(psi1)/d(Ls1) in the table");
  return tab;
}

// ---- events are lines; very many of them are ticks at the bottom, and hide nothing ----
// pixels of the colour of events in the upper half of the first plot, and in the lower
async function eventPixels(browser, model) {
  const tab = await browser.page(write(model));
  isQuiet(tab);
  const counts = await tab.evaluate(() => {
    const {ctx, bbox: {left, top, width, height}} = player.plots.plots[0].plot, colour = styleColour("--mark").match(/\w\w/g).map(part => parseInt(part, 16));
    const count = from => {
      const {data} = ctx.getImageData(left + 5, from, width - 10, height / 2);
      let found = 0;
      for (let i = 0; i < data.length; i += 4) {
        found += colour.every((part, k) => Math.abs(data[i + k] - part) < 40);
      }
      return found;
    };
    return [count(top), count(top + height / 2)];
  });
  await tab.close();
  return counts;
}

async function marksEvents(browser) {
  const few = await eventPixels(browser, "models/bouncing_ball.yaml"), many = await eventPixels(browser, "models/designs/crane_control.yaml");
  ensure(few[0] > 20, `events are lines from top to bottom: ${few} pixels`);
  ensure(many[0] === 0 && many[1] > 100, `very many are ticks at the bottom: ${many} pixels`);
}

// ---- play, scrub, keys, camera ----
async function canBeUsed(tab) {
  const time = () => tab.evaluate(() => player.time);
  await tab.evaluate(() => setTime(0));
  const before = await picture(tab);
  await tab.click("#play");
  await new Promise(done => setTimeout(done, 500));
  await tab.click("#play");
  const stopped = await time();
  ensure(stopped > 0.1, `playing moves on, to ${stopped}`);
  ensure(await picture(tab) !== before, "and changes the picture");
  await new Promise(done => setTimeout(done, 150));
  ensure(await time() === stopped, "and stops");
  const over = await tab.$(".plot .u-over"), box = await over.boundingBox();
  await tab.mouse.click(box.x + 0.4 * box.width, box.y + 50);
  near(await time(), 2, 0.02, "a click at 0.4 of a plot of 5 s");
  await tab.mouse.move(box.x + 0.4 * box.width, box.y + 50);
  await tab.mouse.down();
  await tab.mouse.move(box.x + 0.8 * box.width, box.y + 60, {steps: 4});
  await tab.mouse.up();
  near(await time(), 4, 0.02, "dragged to 0.8");
  const cursor = await tab.$eval(".plot:nth-of-type(2) .cursor", element => new DOMMatrix(getComputedStyle(element).transform).e);
  near(cursor / box.width, 0.8, 0.05, "the cursor of another plot is there too");
  await tab.focus("#time");
  await tab.keyboard.press("Home");
  near(await time(), 0, 0, "Home on the slider");
  await tab.keyboard.press("ArrowRight");
  near(await time(), 0.05, 1e-9, "an arrow on it is a hundredth");
  await tab.focus("#picture");
  await tab.keyboard.press("Period");
  near(await time(), 0.06, 1e-6, "a full stop is one picture");
  await tab.keyboard.press("Space");
  ensure(await tab.$eval("#play", button => button.getAttribute("aria-pressed")) === "true", "Space plays");
  await tab.keyboard.press("Space");
  await tab.evaluate(() => setTime(1));
  const plain = await picture(tab);
  await tab.keyboard.press("+");
  const near_ = await picture(tab);
  ensure(near_ !== plain, "+ zooms");
  await tab.keyboard.press("Home");
  ensure(await picture(tab) === plain, "Home goes back to the same picture");
  await tab.evaluate(() => [...document.querySelectorAll("#show-options label")].find(l => l.textContent.includes("Forces")).click());
  ensure(await picture(tab) !== plain, "forces are drawn");
}

async function turnsInSpace(browser) {
  const tab = await browser.page(write("models/rssr.yaml", "--end", "0.5"));
  isQuiet(tab);
  const plain = await picture(tab), canvas = await tab.$("#picture"), box = await canvas.boundingBox();
  await tab.mouse.move(box.x + 200, box.y + 200);
  await tab.mouse.down();
  await tab.mouse.move(box.x + 300, box.y + 220, {steps: 4});
  await tab.mouse.up();
  const turned = await picture(tab);
  ensure(turned !== plain, "dragging turns");
  await tab.click("#reset-view");
  ensure(await picture(tab) === plain, "and the view can be reset");
  await tab.focus("#picture");
  await tab.keyboard.press("ArrowLeft");
  ensure(await picture(tab) !== plain, "arrows turn");
  // a thin rod has no axes of its own, but both its ends must be where the others' are
  const gap = await tab.evaluate(() => {
    const m = player.picture.main, at = name => m.pointNow(m.find(name), new libraries.Vector3());
    setTime(0.37);
    return Math.max(at("crank.B").distanceTo(at("coupler.B")), at("coupler.C").distanceTo(at("rocker.C")));
  });
  ensure(gap < 2e-5, `the rod ends at its joints, off by ${gap}`);
}

// ---- texts of a model are texts ----
async function runsNoText(browser) {
  const text = "a\u2028b</script><script>window.hit = 1</script><img src=x onerror='window.hit = 2'>\"'`<!--";
  const model = join(folder, "hostile.yaml");
  writeFileSync(model, readFileSync("models/pendulum.yaml", "utf8").replace(/^name: .*/m, `name: ${JSON.stringify(text)}`) +
    `\noutputs: {angle_out: {value: t, unit: ${JSON.stringify(text)}, description: ${JSON.stringify(text)}}}\n# ${text}\n`);
  const tab = await browser.page(write(model));
  isQuiet(tab);
  ensure(await tab.evaluate(() => window.hit === undefined && document.querySelectorAll("img").length === 0), "nothing of it runs");
  ensure(await tab.$eval("#title", element => element.textContent) === text, "the title is the name");
  ensure(await tab.title() === text.replace(/\u2028/g, await tab.evaluate(() => "\u2028")), "and that of the page");
  ensure((await tab.$eval("pre", element => element.textContent)).includes("</script>"), "the model's text is there");
}

// ---- another design as a ghost, and a search with its history ----
async function showsTheSearch(browser) {
  const file = join(folder, "search.html");
  const lines = mbsens("optimize", "models/five_bar.yaml", "--objective", "psi1", "--wrt", "Ls1,Ls2", "--end", "1", "--json", "-o", file).trim().split("\n").map(JSON.parse);
  const found = lines[lines.length - 1], tab = await browser.page(file, {height: 1200});
  isQuiet(tab);
  ensure(await tab.evaluate(() => player.picture.mechanisms.length) === 2, "there is a ghost");
  const places = await tab.evaluate(() => {
    setTime(0.8);
    return player.picture.mechanisms.map(m => m.pointNow(m.find("L12.P2"), new libraries.Vector3()).toArray());
  });
  const {names, rows} = history("models/five_bar.yaml", "--end", "1", "--columns", "P2"), row = rows.find(r => Math.abs(r[0] - 0.8) < 1e-9);
  near(places[1][1], row[names.indexOf("P2.y")], 1e-5, "the ghost is where the first design is");
  near(places[0][1], -2, 1e-3, "and the design that was found stays at rest");
  const search = await tab.evaluate(() => player.plots.plots.filter(p => p.options.isOverTime === false).map(p => p.curves.map(c => [...c.values])));
  const better = lines.slice(0, -1).filter(line => !line.rejected);
  ensure(search.length === 2 && search[0][0].length === better.length, `${better.length} better designs are drawn`);
  better.forEach((line, i) => near(search[0][0][i], line.value, 1e-6 * line.value, `the value of better design ${i}`));
  near(search[1][0].at(-1), found.parameters.Ls1 / Math.sqrt(5), 1e-6, "Ls1 at the end, relative to the start");
  const before = await picture(tab);
  await tab.evaluate(() => [...document.querySelectorAll("#show-options label")].find(l => l.textContent.includes("Ghost: before")).click());
  ensure(await picture(tab) !== before, "the ghost can be hidden");
  await isAccessible(tab, "a search");
}

// ---- natural modes: chosen, they swing; a plot brings the run back ----
async function showsModes(browser) {
  const tab = await browser.page(write("models/half_car.yaml", "--modes", "--wrt", "none", "--end", "0.5"));
  isQuiet(tab);
  await tab.evaluate(() => setTime(0.2));
  const run = await picture(tab);
  await tab.select("#mode", "1");
  await new Promise(done => setTimeout(done, 400));
  ensure(await tab.evaluate(() => player.isPlaying && player.phase > 0), "a mode that is chosen swings");
  await tab.click("#play");
  const swung = await picture(tab);
  ensure(swung !== run, "it is another picture");
  // rotation of the body and how its middle goes: pitch, about a point near the middle
  const gap = await tab.evaluate(() => {
    const m = player.picture.main, at = name => m.pointNow(m.find(name), new libraries.Vector3());
    return Math.max(...Array.from({length: 8}, (_, i) => {
      player.picture.setTime(player.mode.period * i / 8);
      return Math.abs(at("body.F").distanceTo(at("body.R")) - 2.6);
    }));
  });
  ensure(gap < 1e-5, `bodies stay as they are, off by ${gap}`);
  await tab.evaluate(() => setTime(0.2));
  ensure(await picture(tab) === run, "the run comes back");
  ensure(await tab.$eval("#mode", select => select.value) === "", "and is chosen");
  await isAccessible(tab, "modes");
}

// ---- 10^6 steps: the page opens, moves, and shows a spike of one of them ----
async function opensLongRuns(browser) {
  const model = join(folder, "long.yaml");
  writeFileSync(model, readFileSync("models/pendulum.yaml", "utf8") +
    "\noutputs: {spike: \"if(and(t > 0.1234565, t < 0.1234575), 7, sin(9*t))\"}\n");
  const tab = await browser.page(write(model, "--end", "1", "--step", "1e-6", "--wrt", "none", "--objective", "none", "--y", "spike"));
  isQuiet(tab);
  const plain = await picture(tab), {rows, most} = await tab.evaluate(() => {
    setTime(0.9);
    const [curve] = player.plots.plots[0].curves;
    return {rows: player.picture.main.time.length, most: Math.max(...curve.values)};
  });
  ensure(rows > 200 && rows <= 4001 && most === 7, `10^6 steps: ${rows} pictures, and a spike of 7 is ${most}`);
  ensure(await picture(tab) !== plain, "a long run moves");
}

async function isFast(browser) {
  const file = write("models/n_four_bar_40.yaml", "--end", "1", "--step", "0.005", "--wrt", "none", "--objective", "none");
  const tab = await browser.page(file);
  isQuiet(tab);
  await tab.evaluate(() => setPlaying(true));
  await new Promise(done => setTimeout(done, 1500));
  const {mean, count, bodies} = await tab.evaluate(() => ({bodies: player.picture.main.count, count: player.milliseconds.length,
    mean: player.milliseconds.slice(-60).reduce((a, b) => a + b, 0) / 60}));
  console.log(`${bodies} bodies: ${mean.toFixed(1)} ms of script and of handing over to GL for a picture, ${count} pictures so far`);
  ensure(mean < 1000 / 30, `a picture of ${bodies} bodies takes ${mean} ms`);
}

const browser = await open();
try {
  const tab = await showsTheRun(browser);
  await canBeUsed(tab);
  isQuiet(tab);
  await turnsInSpace(browser);
  await marksEvents(browser);
  await runsNoText(browser);
  await showsTheSearch(browser);
  await showsModes(browser);
  await opensLongRuns(browser);
  await isFast(browser);
  const impact = write("models/five_bar_impact.yaml", "--end", "1");
  for (const [scheme, width, height] of [["light", 1400, 900], ["dark", 1400, 900], ["light", 375, 720]]) {
    const other = await browser.page(impact, {scheme, width, height, motion: "reduce"});
    await isAccessible(other, `${scheme}, ${width} wide`);
    const wide = await other.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    ensure(wide <= 0, `${width} wide: the page is ${wide} wider than that`);
    ensure(await other.evaluate(() => !player.isPlaying), "nothing moves until it is asked to");
  }
  console.log(`report.mjs: ${checks} checks hold`);
} finally {
  await browser.close();
  rmSync(folder, {recursive: true});
}
