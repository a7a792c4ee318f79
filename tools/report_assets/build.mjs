// Writes libraries.js and LICENSES.txt of the report from the packages in node_modules.
import { build } from "esbuild";
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const assets = join(here, "../../src/placewise/reports/assets");

const result = await build({
  entryPoints: [join(here, "entry.mjs")],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2019",
  legalComments: "none",
  metafile: true,
  outfile: join(assets, "libraries.js"),
});

// The packages that are really in the bundle, those that others brought along included.
const used = new Set();
for (const file of Object.keys(result.metafile.inputs)) {
  const match = file.match(/.*node_modules\/((?:@[^/]+\/)?[^/]+)\//);
  if (match) used.add(match[1]);
}
const parts = [];
for (const name of [...used].sort()) {
  const folder = join(here, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const isText = (file) => /^(licen[cs]e|notice)/i.test(file) && statSync(join(folder, file)).isFile();
  const texts = readdirSync(folder).filter(isText).sort();
  const body = texts.map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n");
  parts.push(`${name} ${version} (${license})\n${"=".repeat(72)}\n${body || "see " + license}`);
}
writeFileSync(join(assets, "LICENSES.txt"), parts.join("\n\n\n") + "\n");
console.log([...used].sort().join(" "));
