// Bundles what reports use of three.js and uPlot: `make web`. Its results stay in the repository, so that building the
// command and opening a report need neither npm nor a network.
import {readFileSync, writeFileSync} from "node:fs";
import {build} from "esbuild";

const folder = new URL("./", import.meta.url).pathname;
const versions = name => JSON.parse(readFileSync(`${folder}node_modules/${name}/package.json`, "utf8")).version;
const used = ["three", "uplot"];
const licences = used.map(name => `${name} ${versions(name)}\n\n${readFileSync(`${folder}node_modules/${name}/LICENSE`, "utf8")}`).join("\n");

await build({
  entryPoints: [`${folder}libraries.js`],
  bundle: true,
  minify: true,
  format: "iife",
  globalName: "libraries",
  target: "es2020",
  legalComments: "none",
  banner: {js: `/*\n${licences}*/`},  // they go along with every copy, and so with every report
  outfile: `${folder}vendor/libraries.min.js`,
});
// an inline script ends at this text, wherever it stands
const script = readFileSync(`${folder}vendor/libraries.min.js`, "utf8");
if (/<\/script|<!--/i.test(script)) {
  throw new Error("the bundle has a text that would end or hide an inline script");
}
writeFileSync(`${folder}vendor/uPlot.min.css`, readFileSync(`${folder}node_modules/uplot/dist/uPlot.min.css`));
writeFileSync(`${folder}vendor/LICENSES.txt`, licences);
