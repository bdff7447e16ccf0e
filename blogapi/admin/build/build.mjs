// Builds the bundles in ../static/vendor from the packages of package-lock.json, always with the same bytes.
//
// `npm ci` installs the packages; `node build.mjs` writes the bundles, and `node build.mjs --check` compares
// them with those that are in the repository.
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = new URL("./", import.meta.url);
const target = new URL("../static/vendor/", here);
const read = (path) => readFile(new URL(path, here), "utf8");

// style-mod adds a <style> element to a document, which the Content-Security-Policy forbids. For shadow roots
// it uses constructed style sheets, which the policy allows; every current browser has them in documents too.
const STYLE_MOD = { find: "if (!root.head && root.adoptedStyleSheets", replace: "if (root.adoptedStyleSheets" };

const patchStyleMod = {
  name: "style-mod",
  setup(build) {
    build.onLoad({ filter: /style-mod\.js$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const contents = source.replace(STYLE_MOD.find, STYLE_MOD.replace);
      if (contents === source) throw new Error(`${path} has changed: look for ${STYLE_MOD.find}`);
      return { contents };
    });
  },
};

/** Return the code of a bundle, and the names of the packages whose code is in it. */
async function bundle(name) {
  const { outputFiles, metafile } = await esbuild.build({
    entryPoints: [`src/${name}.js`],
    absWorkingDir: fileURLToPath(here),
    bundle: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    minify: true,
    legalComments: "none",
    metafile: true,
    write: false,
    plugins: [patchStyleMod],
  });
  const [{ inputs }] = Object.values(metafile.outputs);
  const used = Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  const packages = used.map(([path]) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1]);
  return { content: outputFiles[0].text, packages: [...new Set(packages.filter(Boolean))].sort() };
}

const STROKE =
  'viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round"';

/** Return the icons as one SVG with a symbol for each. */
async function drawIcons() {
  const names = (await read("src/icons.txt")).trim().split("\n");
  const symbols = names.map(async (name) => {
    const source = await read(`node_modules/lucide-static/icons/${name}.svg`);
    const shapes = source.slice(source.indexOf(">", source.indexOf("<svg")) + 1, source.indexOf("</svg>"));
    return `<symbol id="${name}" ${STROKE}>${shapes.replace(/\s*\n\s*/g, "").replace(/ \/>/g, "/>")}</symbol>\n`;
  });
  const content = `<svg xmlns="http://www.w3.org/2000/svg">\n${(await Promise.all(symbols)).join("")}</svg>\n`;
  return { content, packages: ["lucide-static"] };
}

/** Return the versions, licences and digests as TOML, and the texts of the licences. */
async function describe(files) {
  const { packages } = JSON.parse(await read("package-lock.json"));
  const names = [...new Set(Object.values(files).flatMap((file) => file.packages))].sort();
  let toml = "# Written by blogapi/admin/build/build.mjs: what the files of this folder are made of.\n";
  for (const [name, { content, packages: used }] of Object.entries(files)) {
    const digest = createHash("sha256").update(content).digest("hex");
    toml += `\n["${name}"]\nsha256 = "${digest}"\npackages = ${JSON.stringify(used)}\n`;
  }
  let licences = "";
  for (const name of names) {
    const { version, license } = packages[`node_modules/${name}`];
    toml += `\n[packages."${name}"]\nversion = "${version}"\nlicence = "${license}"\n`;
    const licence = await read(`node_modules/${name}/LICENSE`).catch(() => read(`node_modules/${name}/LICENSE.md`));
    licences += `${name} ${version}\n\n${licence.trim()}\n\n\n`;
  }
  return { "VENDOR.toml": toml, "licences.txt": `${licences.trim()}\n` };
}

const files = {};
for (const name of ["diff", "diff3", "editor", "lit", "turndown"]) files[`${name}.js`] = await bundle(name);
files["icons.svg"] = await drawIcons();
const texts = Object.fromEntries(Object.entries(files).map(([name, { content }]) => [name, content]));
Object.assign(texts, await describe(files));

for (const [name, text] of Object.entries(texts)) {
  const path = new URL(name, target);
  if (!process.argv.includes("--check")) await writeFile(path, text);
  else if ((await readFile(path, "utf8").catch(() => "")) !== text) {
    console.error(`static/vendor/${name} differs from what build.mjs makes; run \`npm run build\``);
    process.exitCode = 1;
  }
}
