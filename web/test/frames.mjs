// usage: node web/test/frames.mjs REPORT.html [WIDTHxHEIGHT] [SECONDS]
// How many pictures a second a report draws while it plays, with the software renderer: calls of requestAnimationFrame, which wait
// for the renderer; what of a picture is script; and what all processes of the browser compute for one, which is the same on a busy machine.
import {execFileSync} from "node:child_process";
import {readFileSync} from "node:fs";
import {open} from "./browser.mjs";

// seconds that a process and all below it have computed
function processorTime(process) {
  const rows = execFileSync("ps", ["-e", "-o", "pid=,ppid="], {encoding: "utf8"}).trim().split("\n").map(row => row.trim().split(/\s+/).map(Number));
  const family = [process];
  for (let i = 0; i < family.length; ++i) {
    family.push(...rows.filter(([, parent]) => parent === family[i]).map(([pid]) => pid));
  }
  return family.reduce((sum, pid) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/.*\) /, "").split(" ");
      return sum + (Number(fields[11]) + Number(fields[12])) / 100;
    } catch {
      return sum;  // it has ended meanwhile
    }
  }, 0);
}

export async function frames(browser, tab, seconds) {
  await tab.evaluate(() => setPlaying(true));
  await new Promise(done => setTimeout(done, 1000));
  const began = processorTime(browser.process);
  const counted = await tab.evaluate(seconds => new Promise(done => {
    const start = performance.now();
    let count = 0;
    player.milliseconds.length = 0;
    const next = now => {
      ++count;
      const passed = now - start;
      if (passed < 1000 * seconds) {
        requestAnimationFrame(next);
      } else {
        done({bodies: player.picture.main.count, rate: 1000 * count / passed, count,
          script: player.milliseconds.reduce((a, b) => a + b, 0) / player.milliseconds.length});
      }
    };
    requestAnimationFrame(next);
  }), seconds);
  return {...counted, processor: 1000 * (processorTime(browser.process) - began) / counted.count};
}

if (import.meta.filename === process.argv[1]) {
  const [page, size = "1400x900", seconds = "3"] = process.argv.slice(2), [width, height] = size.split("x").map(Number);
  const browser = await open();
  try {
    const tab = await browser.page(page, {width, height});
    const {bodies, rate, script, processor} = await frames(browser, tab, Number(seconds));
    console.log(`${bodies} bodies: ${rate.toFixed(1)} pictures a second; of each ${script.toFixed(1)} ms of script, ${processor.toFixed(1)} ms of the processors`);
  } finally {
    await browser.close();
  }
}
