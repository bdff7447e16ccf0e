// Builds the bundles in ../static from the modules in ../source, and those in ../static/vendor from the
// packages of package-lock.json, always with the same bytes.
//
// `npm ci` installs the packages; `node build.mjs` writes the bundles, and `node build.mjs --check` compares
// them with the committed bundles.
import { createHash } from "node:crypto";
import { readdir, readFile, unlink, writeFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as esbuild from "esbuild";

const BUILD_FOLDER = new URL("./", import.meta.url);
const STATIC_FOLDER = new URL("../static/", BUILD_FOLDER);
const SOURCE_FOLDER = fileURLToPath(new URL("../source/", BUILD_FOLDER));
const readText = (path) => readFile(new URL(path, BUILD_FOLDER), "utf8");

// style-mod adds a <style> element to a document, which the Content-Security-Policy forbids. For shadow roots
// it uses constructed style sheets, which the policy allows; every current browser has them in documents too.
const STYLE_MOD_PATCH = { find: "if (!root.head && root.adoptedStyleSheets", replace: "if (root.adoptedStyleSheets" };

const styleModPlugin = {
  name: "style-mod",
  setup(build) {
    build.onLoad({ filter: /style-mod\.js$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const contents = source.replace(STYLE_MOD_PATCH.find, STYLE_MOD_PATCH.replace);
      if (contents === source) throw new Error(`${path} has changed: look for ${STYLE_MOD_PATCH.find}`);
      return { contents };
    });
  },
};

/** Return the code of a bundle, and the names of the packages whose code is in it. */
async function bundlePackage(name) {
  const { outputFiles, metafile } = await esbuild.build({
    entryPoints: [`src/${name}.js`],
    absWorkingDir: fileURLToPath(BUILD_FOLDER),
    bundle: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    minify: true,
    legalComments: "none",
    metafile: true,
    write: false,
    plugins: [styleModPlugin],
  });
  const [{ inputs }] = Object.values(metafile.outputs);
  const used = Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  const packages = used.map(([path]) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1]);
  return { content: outputFiles[0].text, packages: [...new Set(packages.filter(Boolean))].sort() };
}

const SYMBOL_ATTRIBUTES =
  'viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round"';

/** Return the icons as one SVG with a symbol for each. */
async function bundleIcons() {
  const names = (await readText("src/icons.txt")).trim().split("\n");
  const symbols = names.map(async (name) => {
    const source = await readText(`node_modules/lucide-static/icons/${name}.svg`);
    const shapes = source.slice(source.indexOf(">", source.indexOf("<svg")) + 1, source.indexOf("</svg>"));
    return `<symbol id="${name}" ${SYMBOL_ATTRIBUTES}>${shapes.replace(/\s*\n\s*/g, "").replace(/ \/>/g, "/>")}</symbol>\n`;
  });
  const content = `<svg xmlns="http://www.w3.org/2000/svg">\n${(await Promise.all(symbols)).join("")}</svg>\n`;
  return { content, packages: ["lucide-static"] };
}

/**
 * Return the two files about the packages: VENDOR.toml (versions, licences, digests), and the texts of the licences.
 */
async function describePackages(vendorFiles) {
  const { packages } = JSON.parse(await readText("package-lock.json"));
  const names = [...new Set(Object.values(vendorFiles).flatMap((file) => file.packages))].sort();
  let toml = "# Written by blogapi/admin/build/build.mjs: what the files of this folder are made of.\n";
  for (const [name, { content, packages: used }] of Object.entries(vendorFiles)) {
    const digest = createHash("sha256").update(content).digest("hex");
    toml += `\n["${name}"]\nsha256 = "${digest}"\npackages = ${JSON.stringify(used)}\n`;
  }
  let licences = "";
  for (const name of names) {
    const { version, license } = packages[`node_modules/${name}`];
    toml += `\n[packages."${name}"]\nversion = "${version}"\nlicence = "${license}"\n`;
    const licence = await readText(`node_modules/${name}/LICENSE`).catch(() =>
      readText(`node_modules/${name}/LICENSE.md`),
    );
    licences += `${name} ${version}\n\n${licence.trim()}\n\n\n`;
  }
  return { "VENDOR.toml": toml, "licences.txt": `${licences.trim()}\n` };
}

const vendorPlugin = {
  name: "vendor",
  setup(build) {
    build.onResolve({ filter: /\/static\/vendor\// }, ({ path }) => ({
      path: path.replace(/^.*\/static\//, "./"),
      external: true,
    }));
  },
};

// The modules that the editor loads when they are needed. They are one bundle, because esbuild would otherwise make a
// separate file for each module that several of them import.
const LAZY_MODULES = [
  "editor/add-translation",
  "editor/insert-list",
  "editor/merge",
  "editor/merge-dialog",
  "editor/paste",
  "editor/table-bar",
  "deleted-item",
];

const lazyModulesPlugin = {
  name: "later",
  setup(build) {
    build.onResolve({ filter: /^\.{1,2}\// }, ({ kind, path, resolveDir }) => {
      if (kind !== "dynamic-import" || path.includes("/static/vendor/")) return;
      const name = fileURLToPath(new URL(path, `${pathToFileURL(resolveDir)}/`)).slice(SOURCE_FOLDER.length, -3);
      if (!LAZY_MODULES.includes(name.replaceAll("\\", "/"))) throw new Error(`add ${name} to LAZY_MODULES`);
      return { path: "later", namespace: "later" };
    });
    build.onLoad({ filter: /^later$/, namespace: "later" }, () => ({
      contents: LAZY_MODULES.map((name) => `export * from "./${name}.js";`).join("\n"),
      resolveDir: SOURCE_FOLDER,
    }));
  },
};

/**
 * Return the bundles of a module by file name; with `splitting`, modules that it imports later are separate bundles.
 */
async function bundlePages(name, contents, splitting) {
  const { outputFiles, warnings } = await esbuild.build({
    stdin: { contents, resolveDir: SOURCE_FOLDER, sourcefile: `${name}.js` },
    bundle: true,
    splitting,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    minify: true,
    legalComments: "none",
    write: false,
    outdir: SOURCE_FOLDER,
    entryNames: name,
    chunkNames: `${name}-[name]-[hash]`,
    absWorkingDir: SOURCE_FOLDER,
    plugins: splitting ? [lazyModulesPlugin, vendorPlugin] : [vendorPlugin],
  });
  // esbuild warns, for example, if two modules of LAZY_MODULES export the same name.
  if (warnings.length) throw new Error(warnings.map(({ text }) => text).join("\n"));
  return Object.fromEntries(outputFiles.map(({ path, text }) => [path.replace(/^.*[\\/]/, ""), text]));
}

/** Return two bundles: the editor, and all other pages; the second runs the module that `data-module` names. */
async function bundleAllPages() {
  const names = (await readdir(new URL("../source/pages/", BUILD_FOLDER)))
    .filter((name) => name !== "editor.js")
    .sort();
  const modules = names.map((name) => `"${name.slice(0, -3)}": () => import("./pages/${name}")`);
  const start = `const pages = {${modules}};\npages[document.body.dataset.module]();\n`;
  const pages = await bundlePages("pages", start, false);
  return { ...pages, ...(await bundlePages("editor", 'import "./pages/editor.js";\n', true)) };
}

const vendorFiles = {};
for (const name of ["diff", "diff3", "editor", "lit", "turndown"])
  vendorFiles[`${name}.js`] = await bundlePackage(name);
vendorFiles["icons.svg"] = await bundleIcons();
const vendored = Object.fromEntries(Object.entries(vendorFiles).map(([name, { content }]) => [name, content]));
Object.assign(vendored, await describePackages(vendorFiles));
const outputs = await bundleAllPages();
const obsoleteNames = (await readdir(STATIC_FOLDER)).filter((name) => name.endsWith(".js") && !(name in outputs));
for (const [name, text] of Object.entries(vendored)) outputs[`vendor/${name}`] = text;

const isCheck = process.argv.includes("--check");
const differingNames = [...obsoleteNames];
for (const [name, text] of Object.entries(outputs)) {
  const path = new URL(name, STATIC_FOLDER);
  if (!isCheck) await writeFile(path, text);
  else if ((await readFile(path, "utf8").catch(() => "")) !== text) differingNames.push(name);
}
for (const name of obsoleteNames) if (!isCheck) await unlink(new URL(name, STATIC_FOLDER));
if (isCheck && differingNames.length) {
  console.error(
    `these files of static differ from what build.mjs makes; run \`npm run build\`: ${differingNames.join(", ")}`,
  );
  process.exitCode = 1;
}
