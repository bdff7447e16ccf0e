// Shows a blog in one page, whose query string names what to show: ?article=slug, ?category=slug, ?tag=slug,
// ?author=slug or ?q=words, and ?page=2; ?token=… shows a preview. The site has the same path patterns.

const API = document.querySelector("meta[name=blogapi-url]").content;
const KEY = document.querySelector("meta[name=blogapi-key]").content;
const PAGE_SIZE = 5;

const query = new URLSearchParams(location.search);
const main = document.querySelector("body > main");

class ApiError extends Error {
  constructor(problem) {
    super(problem.detail);
    this.status = problem.status;
  }
}

// Requests a path below /api/v1/blog/, given as segments; `fetch` follows a redirect from a former slug.
async function get(path, parameters = {}) {
  const segments = path.map((segment) => `${encodeURIComponent(segment)}/`);
  const url = `${API}/api/v1/blog/${segments.join("")}?${new URLSearchParams(parameters)}`;
  const response = await fetch(url, { headers: { "X-API-KEY": KEY } });
  if (!response.ok) throw new ApiError(await response.json());
  return { body: await response.json(), headers: response.headers, redirected: response.redirected };
}

// Creates an element; texts are inserted as text and not as HTML.
function element(name, attributes = {}, ...children) {
  const created = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) created.setAttribute(attribute, value);
  created.append(...children.filter(Boolean));
  return created;
}

function link(url, text) {
  return element("a", { href: url }, text);
}

// Inserts HTML of the API, which is sanitized or escaped.
function insertHtml(parent, html) {
  parent.insertAdjacentHTML("beforeend", html);
  return parent;
}

function joinWithCommas(elements) {
  return elements.flatMap((one, index) => (index ? [", ", one] : [one]));
}

function formatDate(site, time) {
  const options = { dateStyle: "long", timeZone: site.time_zone };
  const text = new Intl.DateTimeFormat(site.language, options).format(new Date(time));
  return element("time", { datetime: time }, text);
}

function makeByline(site, article) {
  const authors = article.authors.map(({ name }, index) => link(article.links.authors[index], name));
  // A draft in a preview can have no time.
  const date = article.published_at ? [", ", formatDate(site, article.published_at)] : [];
  return element("p", { class: "byline" }, ...joinWithCommas(authors), ...date);
}

// Shows the frame of all pages: title, language, navigation, categories, tags and feeds. The selectors name no
// ids, because the content of an article can contain any id.
async function showFrame(site) {
  document.documentElement.lang = site.language;
  document.title = site.title;
  document.querySelector("body > header > a").append(site.title);
  if (site.icon) document.querySelector("link[rel=icon]").href = site.icon;
  document.querySelector("body > header > nav").append(...site.navigation.map((entry) => link(entry.url, entry.label)));
  document.querySelector("body > header input").value = query.get("q") ?? "";
  showFeeds({});
  const lists = ["categories", "tags"].map((path) => get([path], { fields: "name,url,articles_count" }));
  for (const { body } of await Promise.all(lists)) {
    const used = body.filter((term) => term.articles_count > 0);
    const entries = used.map((term) => [link(term.url, term.name), ` (${term.articles_count})`]);
    const list = element("ul", {}, ...entries.map((entry) => element("li", {}, ...entry)));
    document.querySelector("body > footer > .terms").append(list);
  }
}

// Links to the feeds of all articles, or of a category, tag or author.
function showFeeds(filter) {
  const parameters = new URLSearchParams(filter);
  const feeds = [
    ["RSS", "rss.xml", "application/rss+xml"],
    ["Atom", "atom.xml", "application/atom+xml"],
    ["JSON Feed", "feed.json", "application/feed+json"],
  ].map(([name, file, type]) => [name, `${API}/feeds/${file}${parameters.size ? `?${parameters}` : ""}`, type]);
  for (const former of document.head.querySelectorAll("link[rel=alternate]")) former.remove();
  document.head.append(...feeds.map(([title, href, type]) => element("link", { rel: "alternate", title, href, type })));
  document.querySelector("body > footer > .feeds").replaceChildren(...feeds.map(([name, url]) => link(url, name)));
}

// Shows a page of a list of articles, with links to the other pages.
async function showList(site, filter) {
  const page = Number(query.get("page") ?? 1);
  const fields = `title,url,published_at,authors,links,cover_image,${filter.q ? "snippet" : "excerpt"}`;
  const { body, headers } = await get(["articles"], { ...filter, page, page_size: PAGE_SIZE, fields });
  for (const article of body) main.append(makeTeaser(site, article));
  const total = Number(headers.get("X-Total-Count"));
  const pages = Math.max(1, Math.ceil(total / PAGE_SIZE));
  const pagination = element("nav", { "aria-label": "Pages" }, `${total} articles, page ${page} of ${pages} `);
  for (const [relation, number, label] of [
    ["prev", page - 1, "Newer"],
    ["next", page + 1, "Older"],
  ]) {
    if (!headers.get("Link")?.includes(`rel="${relation}"`)) continue;
    const other = new URLSearchParams(query);
    other.set("page", number);
    pagination.append(element("a", { href: `?${other}`, rel: relation }, label), " ");
  }
  main.append(pagination);
}

function makeTeaser(site, article) {
  const teaser = element("article", {}, element("h2", {}, link(article.url, article.title)));
  if (article.cover_image) teaser.prepend(element("img", { src: article.cover_image, alt: "" }));
  const text = element("p", {}, article.excerpt);
  teaser.append(makeByline(site, article), article.snippet ? insertHtml(text, article.snippet) : text);
  return teaser;
}

async function showSearch(site) {
  document.title = `${query.get("q")} - ${site.title}`;
  main.append(element("h1", {}, `Search: ${query.get("q")}`));
  await showList(site, { q: query.get("q") });
}

const TERM_PATHS = { category: "categories", tag: "tags", author: "authors" };
const TERM_FIELDS = {
  category: "name,slug,url,description",
  tag: "name,slug,url",
  author: "name,slug,page_url,bio,avatar,url",
};

// Shows a category, tag or author and its articles.
async function showTerm(site, kind) {
  const { body: term, redirected } = await get([TERM_PATHS[kind], query.get(kind)], { fields: TERM_FIELDS[kind] });
  if (redirected) replaceAddress(kind === "author" ? term.page_url : term.url);
  document.title = `${term.name} - ${site.title}`;
  showFeeds({ [kind]: term.slug });
  main.append(element("h1", {}, term.name));
  if (term.avatar) main.append(element("img", { src: term.avatar, alt: "" }));
  main.append(element("p", {}, term.description || term.bio || ""));
  if (kind === "author" && term.url) main.append(element("p", {}, link(term.url, term.url)));
  await showList(site, { [kind]: term.slug });
}

// Shows the current address if the page was opened with a former slug.
function replaceAddress(url) {
  try {
    history.replaceState(null, "", url + location.hash);
  } catch {
    // The browser refuses an address of another origin, for example on a copy of the page; the former address stays.
  }
}

const ARTICLE_FIELDS =
  "title,subtitle,category,tags,cover_image,html,url,head,toc,authors,links,published_at,reading_minutes," +
  "previous,next,related";

async function showArticle(site) {
  const path = query.has("token") ? ["preview", query.get("token")] : ["articles", query.get("article")];
  const { body: article, redirected } = await get(path, { fields: ARTICLE_FIELDS });
  if (redirected) replaceAddress(article.url);
  document.querySelector("title").remove();
  insertHtml(document.head, article.head.html);
  main.append(
    element("p", {}, link(article.links.category, article.category.name)),
    element("h1", {}, article.title),
    article.subtitle && element("p", { class: "subtitle" }, article.subtitle),
    makeByline(site, article),
    element("p", {}, `${article.reading_minutes} min`),
    article.cover_image && element("img", { src: article.cover_image, alt: "" }),
    article.toc.length && makeContents(article.toc),
    insertHtml(element("div", { class: "content" }), article.html),
    makeTags(article),
    makeNeighbours(article),
    makeRelated(article),
  );
  // The browser looks for the heading of the fragment before the article is there.
  if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}

function makeTags(article) {
  const links = article.tags.map(({ name }, index) => link(article.links.tags[index], `#${name}`));
  return element("p", { class: "tags" }, ...joinWithCommas(links));
}

function makeContents(toc) {
  const entries = toc.map(({ level, text, id }) =>
    element("li", { class: `level-${level}` }, id ? link(`#${id}`, text) : text),
  );
  return element("nav", { "aria-label": "Contents" }, element("ol", {}, ...entries));
}

function makeNeighbours(article) {
  const links = ["previous", "next"]
    .filter((name) => article[name])
    .map((name) => element("a", { href: article[name].url, rel: name }, article[name].title));
  return element("nav", { "aria-label": "Neighbours" }, ...links);
}

function makeRelated(article) {
  const links = article.related.map((other) => element("li", {}, link(other.url, other.title)));
  return element("aside", {}, element("h2", {}, "Related"), element("ul", {}, ...links));
}

function showMissing() {
  document.title = "Not found";
  document.head.append(element("meta", { name: "robots", content: "noindex" }));
  main.replaceChildren(element("h1", {}, "Not found"), element("p", {}, "This page does not exist, or no longer."));
}

async function showPage(site) {
  if (query.has("article") || query.has("token")) return showArticle(site);
  const kind = Object.keys(TERM_PATHS).find((name) => query.has(name));
  if (kind) return showTerm(site, kind);
  if (query.has("q")) return showSearch(site);
  main.append(element("h1", {}, site.title), element("p", {}, site.description));
  return showList(site, {});
}

try {
  const { body: site } = await get(["site"]);
  await Promise.all([showFrame(site), showPage(site)]);
} catch (error) {
  if (error.status === 404) showMissing();
  else main.replaceChildren(element("p", { role: "alert" }, error.message));
}
main.dataset.state = "ready";
