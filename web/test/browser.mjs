// A headless Chromium with a report in it, with the network cut off.
import {existsSync} from "node:fs";
import {pathToFileURL} from "node:url";
import puppeteer from "puppeteer-core";

const programs = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export async function open() {
  const program = programs.find(path => path && existsSync(path));
  if (!program) {
    throw new Error("no Chromium; say where with CHROMIUM=PATH");
  }
  const browser = await puppeteer.launch({executablePath: program, headless: true, args: ["--no-sandbox",
    "--use-angle=swiftshader", "--use-gl=angle", "--enable-unsafe-swiftshader", "--hide-scrollbars", "--disable-dev-shm-usage"]});
  return {
    close: () => browser.close(),
    process: browser.process().pid,
    async page(file, {width = 1400, height = 900, scheme = "light", motion = "no-preference"} = {}) {
      const tab = await browser.newPage();
      tab.messages = [];
      tab.requests = [];
      tab.on("console", message => ["error", "warn"].includes(message.type()) && tab.messages.push(message.text()));
      tab.on("pageerror", error => tab.messages.push(`error: ${error.message}`));
      tab.on("request", request => tab.requests.push(request.url().slice(0, 80)));
      await tab.setOfflineMode(true);
      await tab.setViewport({width, height});
      await tab.emulateMediaFeatures([{name: "prefers-color-scheme", value: scheme}, {name: "prefers-reduced-motion", value: motion}]);
      await tab.goto(pathToFileURL(file).href);
      return tab;
    },
  };
}
