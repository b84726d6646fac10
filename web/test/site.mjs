// usage: node web/test/site.mjs FOLDER
// The documentation as `make docs` writes it, in a headless Chromium without a network: every page meets axe's rules for what WCAG 2.2 says
// on levels A and AA, light and (some) dark and on a phone, is no wider than the window, and fetches nothing from elsewhere.
import {readFileSync, readdirSync} from "node:fs";
import {createRequire} from "node:module";
import {join} from "node:path";
import {open} from "./browser.mjs";

const folder = process.argv[2], axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const pages = ["index.html", ...readdirSync(join(folder, "docs"), {recursive: true}).filter(name => name.endsWith(".html")).map(name => join("docs", name))];
const looks = [["light", 1200, 900], ["dark", 1200, 900], ["light", 375, 720]];
const browser = await open();
let checks = 0;

async function check(page, scheme, width, height) {
  const tab = await browser.page(join(folder, page), {scheme, width, height});
  const where = `${page}, ${scheme}, ${width} wide`;
  const session = await tab.createCDPSession();
  await session.send("Runtime.evaluate", {expression: axe});
  const found = await tab.evaluate(async () => (await axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
    resultTypes: ["violations"], preload: false})).violations.map(v => `${v.id}: ${v.nodes.slice(0, 3).map(n => n.html.slice(0, 120)).join(" | ")}`));
  const wide = await tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  const foreign = tab.requests.filter(url => !/^(file|data):/.test(url));
  if (found.length > 0 || wide > 0 || foreign.length > 0 || tab.messages.length > 0) {
    throw new Error(`${where}: ${[...found, wide > 0 ? `${wide} wider than the window` : "", ...foreign, ...tab.messages].filter(Boolean).join("; ")}`);
  }
  ++checks;
  await tab.close();
}

try {
  for (const page of pages) {
    await check(page, ...looks[0]);
  }
  for (const page of ["index.html", "docs/sensitivities.html", "docs/gallery.html", "docs/elements.html", "docs/tutorial.html"]) {
    await check(page, ...looks[1]);
    await check(page, ...looks[2]);
  }
  console.log(`site.mjs: ${checks} looks at ${pages.length} pages, no rule broken`);
} finally {
  await browser.close();
}
