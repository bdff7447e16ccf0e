// Each step prints a line, which the test compares.

import { BlogApiError, createClient, NotFound, RateLimited, Unauthorized, Unavailable } from "./blogapi.js";

const { BLOG_URL, BLOG_KEY } = process.env;
const blog = createClient({ url: `${BLOG_URL}/`, key: BLOG_KEY });
const show = (name, ...values) => console.log(name, ...values.map((value) => JSON.stringify(value)));
const fail = (promise) => promise.then(() => "no error").catch((error) => error);

async function collect(items) {
  const found = [];
  for await (const item of items) found.push(item);
  return found;
}

// Lists, items and filters.
const articles = await collect(blog.articles.list({ fields: ["title", "word_count"], ordering: "title" }));
show("listed", articles.length, articles[0], articles.at(-1));
const pages = [await blog.articles.page(1), await blog.articles.page(2, { pageSize: 100, fields: ["slug"] })];
show("pages", pages[0].items.length, pages[0].total, pages[0].hasNext, pages[1].items.length, pages[1].hasNext);
show("any of", (await collect(blog.articles.list({ category: ["kitchen", "garden"], q: "bread" }))).length);
show("item", await blog.articles.get("loaf", { fields: ["slug", "html"] }));
show(
  "term",
  (await blog.categories.get("kitchen")).articles.length,
  await collect(blog.tags.list({ fields: ["slug"] })),
);
show("authors", await collect(blog.authors.list({ fields: ["name"] })));
show("redirects", await collect(blog.redirects.list({ fields: ["old", "new"] })));
show("site", (await blog.site()).title);
show("text", await blog.request("/api/v1/blog/redirects/", { format: "netlify" }));

// Errors.
const missing = await fail(blog.articles.get("no such article?"));
show(
  "missing",
  missing instanceof NotFound,
  missing instanceof BlogApiError,
  missing.name,
  missing.status,
  missing.code,
);
const wrong = await fail(collect(blog.articles.list({ fields: ["nope"] })));
show("wrong", wrong.name, wrong.code, Object.keys(wrong.errors));
const stranger = await fail(createClient({ url: BLOG_URL, key: "blogapi_no" }).site());
show("stranger", stranger instanceof Unauthorized, stranger.code);
const nobody = await fail(createClient({ url: "http://127.0.0.1:1" }).site());
show("nobody", nobody instanceof Unavailable, nobody.status);

// A server that is busy, and a proxy that answers in HTML.
function answer(...responses) {
  return async (address, init) => responses.shift() ?? fetch(address, init);
}
const busy = (status, wait) => new Response("<h1>Busy</h1>", { status, headers: { "Retry-After": wait } });
const patient = createClient({ url: BLOG_URL, key: BLOG_KEY, fetch: answer(busy(503, "0"), busy(429, "0.01")) });
show("after waiting", (await patient.site()).title);
const impatient = { url: BLOG_URL, key: BLOG_KEY, retries: 1 };
const refused = await fail(createClient({ ...impatient, fetch: answer(busy(429, "0.01"), busy(429, "0.01")) }).site());
show("refused", refused instanceof RateLimited, refused.message.includes("429"));
const long = await fail(createClient({ ...impatient, fetch: answer(busy(503, "3600")) }).site());
show("a long wait", long instanceof Unavailable, long.status);

// A cache of responses.
const statuses = [];
const recording = async (...request) => {
  const response = await fetch(...request);
  statuses.push(response.status);
  return response;
};
const cached = createClient({ url: BLOG_URL, key: BLOG_KEY, cache: new Map(), fetch: recording });
const twice = [await collect(cached.articles.list()), await collect(cached.articles.list())];
show("cached", statuses, JSON.stringify(twice[0]) === JSON.stringify(twice[1]));

// The changes feed, and a store that follows it.
async function write(method, path, body) {
  const headers = { "X-API-KEY": BLOG_KEY, "Content-Type": "application/json" };
  const init = { method, headers, body: JSON.stringify(body) };
  const response = await fetch(`${BLOG_URL}/api/v1/blog/${path}`, init);
  if (!response.ok) throw new Error(await response.text());
}
const reader = createClient({ url: BLOG_URL, key: process.env.READER_KEY, fetch: recording });
const store = new Map([["left over", {}]]);
const sync = async (name, cursor) => {
  statuses.length = 0;
  const next = await reader.sync(store, cursor, { fields: ["title", "tags"] });
  const titles = [...store.values()].map(({ title }) => title);
  show(name, titles.length, titles.includes("Loaf"), titles.includes("Roll"), statuses.length);
  return next;
};
show("changes", (await reader.changes()).changes.length);
let cursor = await sync("first", undefined);
cursor = await sync("nothing", cursor);
const { uuid } = await blog.articles.get("loaf");
await write("PATCH", `articles/${uuid}/`, { title: "Roll" });
await write("DELETE", `articles/${(await blog.articles.get("soup")).uuid}/`);
cursor = await sync("changed", cursor);
await write("PATCH", `tags/${(await blog.tags.get("rye")).uuid}/`, { name: "Rye bread" });
cursor = await sync("a tag", cursor);
show("renamed", store.get(uuid).tags[0].name);
await write("PATCH", `articles/${uuid}/`, { status: "draft" });
cursor = await sync("hidden", cursor);
await sync("unknown", "00000000-p1");

// A store changes only after everything was read.
await write("PATCH", `articles/${uuid}/`, { status: "published", title: "Bun" });
await write("PATCH", `articles/${(await blog.articles.get("the-bread-that-waits")).uuid}/`, { title: "Bread" });
await write("DELETE", `articles/${(await blog.articles.get("beans")).uuid}/`);
await write("POST", "articles/", { title: "Newest", status: "published" });
let number = 0;
const isSecond = (address) => address.includes("articles/") && ++number % 2 === 0;
const failing = async (...request) => (isSecond(request[0]) ? busy(500, "0") : fetch(...request));
const broken = createClient({ url: BLOG_URL, key: process.env.READER_KEY, fetch: failing });
const before = JSON.stringify([...store]);
for (const last of [cursor, undefined]) {
  const refusal = await fail(broken.sync(store, last, { fields: ["title", "tags"] }));
  show("failed", refusal.status, JSON.stringify([...store]) === before);
}
cursor = await sync("repaired", cursor);

// Pages and terms, and the loader of Astro.
const kept = { pages: new Map(), tags: new Map() };
const cursors = {};
const follow = async (step) => {
  for (const [name, items] of Object.entries(kept)) {
    statuses.length = 0;
    cursors[name] = await reader[name].sync(items, cursors[name], { fields: ["slug"] });
    show(`${name} ${step}`, [...items.values()].map(({ slug }) => slug).sort(), statuses.length);
  }
};
await write("POST", "pages/", { title: "About", status: "published" });
await follow("first");
await follow("again");
await write("POST", "pages/", { title: "Team", status: "published" });
await write("DELETE", `tags/${(await blog.tags.get("rye")).uuid}/`);
await follow("changed");
const entries = new Map();
const meta = new Map();
const collection = {
  keys: () => [...entries.keys()],
  set: ({ id, data, digest }) => entries.set(id, `${data.slug} ${digest}`),
  delete: (id) => entries.delete(id),
};
const context = { store: collection, meta, generateDigest: (data) => Object.keys(data).length };
for (const fields of [["slug"], ["slug"], ["slug", "title"]]) {
  statuses.length = 0;
  await reader.pages.loader({ fields }).load(context);
  show("loaded", [...entries.values()].sort(), statuses.length);
}

// Loaders that run together write after the last of them has read.
const writes = [];
statuses.length = 0;
const load = (name) => {
  const recorder = { keys: () => [], set: () => writes.push(statuses.length), delete: () => {} };
  const context = { store: recorder, meta: new Map(), generateDigest: () => 0 };
  return reader[name].loader({ fields: ["slug"] }).load(context);
};
await Promise.all(["pages", "articles", "authors"].map(load));
show("written", writes.length > 3 && writes.every((count) => count === statuses.length));
