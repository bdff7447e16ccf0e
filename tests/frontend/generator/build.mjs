// API=http://127.0.0.1:8000 KEY=blogapi_… [EDITOR_KEY=blogapi_…] node build.mjs FOLDER
//
// Writes a blog as a static site into FOLDER, or brings the folder up to date. FOLDER.state.json contains what
// the next run needs: the cursor of the changes feed, the responses with their ETags, and the list of files.
// blogapi.js, the client from http://127.0.0.1:8000/docs/blogapi.js, is in the folder of this file. With a key of an
// editor, of the scope `read`, the site also has the unlisted articles and pages. No file contains this key.

import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { createClient, NotFound } from "./blogapi.js";

const { API, KEY, EDITOR_KEY } = process.env;
const FOLDER = path.resolve(process.argv[2]);
const STATE_FILE = `${FOLDER}.state.json`;
const PAGE_SIZE = 6;
const PARALLEL_REQUESTS = 4;
const FEEDS = [
  ["/feeds/rss.xml", "application/rss+xml"],
  ["/feeds/atom.xml", "application/atom+xml"],
  ["/feeds/feed.json", "application/feed+json"],
];

// Requests

// The responses of the last run and of this one; an unchanged response is not sent again.
let known = new Map();
let used = new Map();
const cache = { get: (address) => known.get(address), set: (address, response) => used.set(address, response) };
const service = createClient({ url: API, key: KEY, cache });

async function hasChanged(cursor) {
  try {
    return (await service.changes(cursor)).changes.length > 0;
  } catch (error) {
    // For example because a backup was restored.
    if (error.code === "cursor_unknown") return true;
    throw error;
  }
}

const ARTICLE_FIELDS = `uuid title subtitle url head html toc cover_image category tags authors links published_at
reading_minutes excerpt previous next related language translations custom`.split(/\s+/);
const PAGE_FIELDS = ["uuid", "title", "url", "head", "html", "language", "translations", "custom", "parent"];
const TERM_FIELDS = ["uuid", "name", "url", "articles_count"];
const AUTHOR_FIELDS = [...TERM_FIELDS, "page_url", "bio", "avatar"];

const ignoreMissing = (error) => (error instanceof NotFound ? null : Promise.reject(error));

// Returns the items with these fields, without those that were deleted after the list was read.
async function readEach(kind, items, fields) {
  const found = [];
  const read = ({ uuid }) => service[kind].get(uuid, { fields }).catch(ignoreMissing);
  for (let start = 0; start < items.length; start += PARALLEL_REQUESTS) {
    found.push(...(await Promise.all(items.slice(start, start + PARALLEL_REQUESTS).map(read))));
  }
  return found.filter(Boolean);
}

// No list shows unlisted items to readers, but readers can read each of them.
async function readUnlisted(kind, fields) {
  if (!EDITOR_KEY) return [];
  const editor = createClient({ url: API, key: EDITOR_KEY });
  return readEach(kind, await editor[kind].all({ fields: ["uuid"], status: "unlisted" }), fields);
}

// Returns all that the pages show.
async function readBlog() {
  const site = await service.site();
  if (!site.url) throw new Error("The site has no URL; an admin sets it with `site set`.");
  const terms = {
    category: await service.categories.all({ fields: [...TERM_FIELDS, "description"] }),
    tag: await service.tags.all({ fields: TERM_FIELDS }),
    author: await service.authors.all({ fields: AUTHOR_FIELDS }),
  };
  const articles = await readEach("articles", await service.articles.all({ fields: ["uuid"] }), ARTICLE_FIELDS);
  const pages = await service.pages.all({ fields: PAGE_FIELDS });
  const unlisted = [await readUnlisted("articles", ARTICLE_FIELDS), await readUnlisted("pages", PAGE_FIELDS)];
  const texts = { _redirects: await service.request("/api/v1/blog/redirects/", { format: "netlify" }) };
  const names = ["sitemap.xml", ...FEEDS.map(([url]) => url.slice(1))];
  for (const { language } of site.languages) {
    for (const [url] of FEEDS) texts[`${language}${url}`] = await service.request(url, { language });
  }
  // The loop also reads the names that it adds: the sitemap of a large blog lists further sitemaps.
  for (const name of names) {
    texts[name] = await service.request(`/${name}`);
    if (name === "sitemap.xml") names.push(...(texts[name].match(/sitemap-\d+\.xml/g) ?? []));
  }
  return { site, terms, pages, articles, unlisted, texts };
}

// Pages

const escapeHtml = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
const link = (url, text, rel) => `<a href="${escapeHtml(url)}"${rel ? ` rel="${rel}"` : ""}>${escapeHtml(text)}</a>`;
const list = (entries) => `<ul>${entries.map((entry) => `<li>${entry}</li>`).join("")}</ul>`;
const image = (url) => (url ? `<img src="${escapeHtml(url)}" alt="">` : "");

class Pages {
  constructor({ site, terms, articles, pages, texts }) {
    Object.assign(this, { site, terms, articles, pages });
    this.files = new Map(Object.entries(texts));
  }

  // Adds the page at an address below the URL of the site.
  add(url, head, body, language = "") {
    const name = decodeURIComponent(url.slice(this.site.url.length + 1));
    if (/[?#]/.test(url)) throw new Error(`${url}: a static site needs path patterns without ? and #.`);
    const isFolder = name.endsWith("/") || !name;
    this.addFile(isFolder ? `${name}index.html` : `${name.replace(/\.html$/, "")}.html`, head, body, language);
  }

  addFile(name, head, body, language = "") {
    const { site, terms } = this;
    const home = language ? `${site.url}/${language}` : site.url;
    const makeFeed = ([url, type]) => `<link rel="alternate" type="${type}" href="${escapeHtml(home + url)}">`;
    const own = this.pages.filter((page) => page.language === language).map((page) => link(page.url, page.title));
    const used = [...terms.category, ...terms.tag].filter((term) => term.articles_count > 0);
    this.files.set(
      name,
      `<!doctype html>
<html lang="${escapeHtml(language || site.language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="${escapeHtml(site.icon || "data:,")}">
<style>img, video, iframe { max-width: 100%; } img, video { height: auto; } pre, table { display: block; overflow-x: auto; }</style>
${FEEDS.map(makeFeed).join("\n")}
${head}
</head>
<body>
<header>${link(`${home}/`, this.describe(language).title)} ${link(`${site.url}/search/`, "Search")}
<nav aria-label="Navigation">${list(site.navigation.map((entry) => link(entry.url, entry.label)))}</nav></header>
<main>
${body}
</main>
<footer>${list(used.map((term) => `${link(term.url, term.name)} (${term.articles_count})`))}
${list(own)} ${FEEDS.map(([url]) => link(home + url, url)).join(" ")}</footer>
</body>
</html>
`,
    );
  }

  // The title and the description of the site in a language; an empty language is that of the site.
  describe(language) {
    return this.site.languages.find((one) => one.language === language) ?? this.site;
  }

  makeHead(title, url, rest = "") {
    return `<title>${escapeHtml(title)}</title>\n<link rel="canonical" href="${escapeHtml(url)}">${rest}`;
  }

  makeByline(article) {
    const authors = article.authors.map(({ name }, index) => link(article.links.authors[index], name));
    const format = { dateStyle: "long", timeZone: this.site.time_zone };
    const date = new Date(article.published_at).toLocaleDateString(article.language || this.site.language, format);
    return `<p class="byline">${authors.join(", ")}, <time datetime="${article.published_at}">${date}</time></p>`;
  }

  makeTeaser(article) {
    return `<article>${image(article.cover_image)}<h2>${link(article.url, article.title)}</h2>
${this.makeByline(article)}<p>${escapeHtml(article.excerpt)}</p></article>`;
  }

  // Adds the pages of the list of all articles in a language: /, /page/2/, …
  addIndex(language = "") {
    const { title, description } = this.describe(language);
    const articles = this.articles.filter((article) => article.language === language);
    const home = language ? `${this.site.url}/${language}` : this.site.url;
    const count = Math.max(1, Math.ceil(articles.length / PAGE_SIZE));
    const makeUrl = (page) => (page === 1 ? `${home}/` : `${home}/page/${page}/`);
    const others = this.site.languages.map((one) => ({ ...one, url: `${this.site.url}/${one.language}/` }));
    const homes = [{ language: this.site.language, url: `${this.site.url}/` }, ...others];
    const rest = homes.map((one) => `<link rel="alternate" hreflang="${one.language}" href="${one.url}">`).join("");
    for (let page = 1; page <= count; page++) {
      const teasers = articles.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE).map((one) => this.makeTeaser(one));
      const newer = page > 1 ? link(makeUrl(page - 1), "Newer", "prev") : "";
      const older = page < count ? link(makeUrl(page + 1), "Older", "next") : "";
      const body = `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(description)}</p>${this.makeFacts({ translations: homes })}
${teasers.join("\n")}<nav aria-label="Pages">${newer} ${page} / ${count} ${older}</nav>`;
      this.add(makeUrl(page), this.makeHead(title, makeUrl(page), page === 1 ? rest : ""), body, language);
    }
  }

  makeFacts({ translations, custom = {} }) {
    const facts = Object.entries(custom).map(([name, one]) => `<dt>${name}</dt><dd>${escapeHtml(String(one))}</dd>`);
    return `<nav aria-label="Languages">${list(translations.map((one) => link(one.url, one.language)))}</nav><dl>${facts.join("")}</dl>`;
  }

  addPage(page) {
    const below = this.pages.filter(({ parent }) => parent === page.uuid).map((one) => link(one.url, one.title));
    const above = this.pages.filter(({ uuid }) => uuid === page.parent).map((one) => link(one.url, one.title, "up"));
    const body = `${above.join("")}<h1>${escapeHtml(page.title)}</h1>${this.makeFacts(page)}<div class="content">${page.html}</div>`;
    this.add(page.url, page.head.html, body + list(below), page.language);
  }

  addArticle(article) {
    const contents = article.toc.map(({ text, id }) => (id ? link(`#${id}`, text) : escapeHtml(text)));
    const neighbours = ["previous", "next"]
      .filter((name) => article[name])
      .map((name) => link(article[name].url, article[name].title, name));
    const body = `<p>${link(article.links.category, article.category.name)}</p>
<h1>${escapeHtml(article.title)}</h1><p>${escapeHtml(article.subtitle)}</p>
${this.makeByline(article)}<p>${article.reading_minutes} min</p>${image(article.cover_image)}
${this.makeFacts(article)}<nav aria-label="Contents">${list(contents)}</nav>
<div class="content">${article.html}</div>
<p class="tags">${article.tags.map(({ name }, index) => link(article.links.tags[index], name, "tag")).join(" ")}</p>
<nav aria-label="Neighbours">${neighbours.join(" ")}</nav>
<aside><h2>Related</h2>${list(article.related.map((other) => link(other.url, other.title)))}</aside>`;
    this.add(article.url, article.head.html, body, article.language);
  }

  addTerm(kind, term) {
    const field = { category: "category", tag: "tags", author: "authors" }[kind];
    const hasTerm = (article) => [article[field]].flat().some(({ uuid }) => uuid === term.uuid);
    const shown = this.articles.filter(hasTerm);
    const website = kind === "author" && term.url ? `<p>${link(term.url, term.url, "me")}</p>` : "";
    const body = `<h1>${escapeHtml(term.name)}</h1>${image(term.avatar)}
<p>${escapeHtml(term.description ?? term.bio ?? "")}</p>${website}
${shown.map((article) => this.makeTeaser(article)).join("\n")}`;
    const url = term.page_url ?? term.url;
    this.add(url, this.makeHead(`${term.name} - ${this.site.title}`, url), body);
  }

  // A static site cannot search; this page sends the words to the service.
  addSearch() {
    const address = JSON.stringify(this.site.service_url || API).replaceAll("<", "\\u003c");
    const body = `<form><input name="q" type="search" aria-label="Search" maxlength="200"></form><div id="results"></div>
<script type="module">
const q = new URLSearchParams(location.search).get("q");
if (q) {
  const parameters = new URLSearchParams({ q, page: 1, page_size: 10, fields: "title,url,snippet" });
  const url = \`\${${address}}/api/v1/blog/articles/?\${parameters}\`;
  const response = await fetch(url, { headers: { "X-API-KEY": ${JSON.stringify(KEY)} } });
  for (const { title, url, snippet } of await response.json()) {
    const link = Object.assign(document.createElement("a"), { href: url, textContent: title });
    const text = Object.assign(document.createElement("p"), { innerHTML: snippet });
    document.querySelector("#results").append(link, text);
  }
}
</script>`;
    this.add(`${this.site.url}/search/`, this.makeHead("Search", `${this.site.url}/search/`), body);
  }
}

function makeFiles(blog) {
  const pages = new Pages(blog);
  for (const { language } of [{ language: "" }, ...blog.site.languages]) pages.addIndex(language);
  for (const article of [...blog.articles, ...blog.unlisted[0]]) pages.addArticle(article);
  for (const page of [...blog.pages, ...blog.unlisted[1]]) pages.addPage(page);
  for (const [kind, terms] of Object.entries(blog.terms)) {
    for (const term of terms.filter((one) => one.articles_count > 0)) pages.addTerm(kind, term);
  }
  pages.addSearch();
  const head = '<title>Not found</title>\n<meta name="robots" content="noindex">';
  pages.addFile("404.html", head, "<h1>Not found</h1><p>This page does not exist, or no longer.</p>");
  return pages.files;
}

// Files

async function readOptional(file) {
  return readFile(file, "utf-8").catch((error) => {
    if (error.code !== "ENOENT") throw error;
    return null;
  });
}

async function update() {
  const state = JSON.parse((await readOptional(STATE_FILE)) ?? '{"responses": [], "files": []}');
  // The changes feed, which readers see, does not tell of unlisted items.
  if (!EDITOR_KEY && state.cursor && !(await hasChanged(state.cursor))) return "Nothing has changed.";
  let cursor, blog;
  used = new Map(state.responses);
  // If the blog changes while it is read, read it again, so that all responses belong together.
  do {
    [known, used] = [used, new Map()];
    ({ cursor } = await service.changes("now"));
    blog = await readBlog();
  } while (await hasChanged(cursor));
  const files = makeFiles(blog);
  let written = 0;
  for (const [name, text] of files) {
    const file = path.join(FOLDER, name);
    if ((await readOptional(file)) === text) continue;
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
    written++;
  }
  const stale = state.files.filter((name) => !files.has(name));
  for (const name of stale) await rm(path.join(FOLDER, name), { force: true });
  await writeFile(`${STATE_FILE}.new`, JSON.stringify({ cursor, responses: [...used], files: [...files.keys()] }));
  await rename(`${STATE_FILE}.new`, STATE_FILE);
  return `${written} files written, ${stale.length} deleted.`;
}

console.log(await update());
