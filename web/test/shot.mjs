// usage: node web/test/shot.mjs REPORT.html PICTURE.png [WIDTHxHEIGHT] [light|dark] [code run in the page]
// A report as a browser shows it: for looking at it, and for the pictures of docs/reports.md.
import {open} from "./browser.mjs";
const [page, picture, size = "1400x900", scheme = "light", code] = process.argv.slice(2);
const [width, height] = size.split("x").map(Number);
const browser = await open();
try {
  const tab = await browser.page(page, {width, height, scheme});
  if (code) {
    await tab.evaluate(code);
  }
  await new Promise(resolve => setTimeout(resolve, 700));
  await tab.screenshot({path: picture});
  for (const message of tab.messages) {
    console.log(message);
  }
} finally {
  await browser.close();
}
