// A program that uses the client of openapi-fetch with the types that openapi-typescript generates. It prints one
// line for each step.
import createClient from "openapi-fetch";
import type { components, operations, paths } from "./api.js";

// Articles and pages can also be read as Markdown, which this program does not ask for.
const blog = createClient<paths, "application/json" | "application/problem+json">({
  baseUrl: process.env.BLOG_URL,
  headers: { "X-API-KEY": process.env.BLOG_KEY },
});

// List a page, and search.
const { data: articles = [] } = await blog.GET("/api/v1/blog/articles/", {
  params: { query: { page: 1, page_size: 10 } },
});
console.log("listed", articles.map((article) => `${article.title} (${article.category.name})`));

const { data: found = [] } = await blog.GET("/api/v1/blog/articles/", { params: { query: { q: "bread" } } });
console.log("found", found.map((article) => article.title));

// Read fields that only `fields` returns; their types are optional.
const { data: listed = [] } = await blog.GET("/api/v1/blog/articles/", {
  params: { query: { fields: "*,authors,excerpt" } },
});
console.log("authors", listed.map(({ authors, excerpt }) => `${authors?.[0]?.name}: ${excerpt}`));

// Create an article.
const { data: created, error: invalid } = await blog.POST("/api/v1/blog/articles/", {
  body: { title: "Soup", content: "Water, *salt*.", content_type: "markdown", category: { slug: "kitchen" } },
});
if (!created) throw new Error(invalid.detail);
console.log("created", created.slug, created.status);

// Read it, change it, and write it back, unless someone else has changed it since.
const path = { id: created.uuid };
const { data: article, response } = await blog.GET("/api/v1/blog/articles/{id}/", { params: { path } });
if (!article) throw new Error(`HTTP ${response.status}`);
const unchanged = { "If-Match": response.headers.get("ETag") ?? "" };
const { data: replaced } = await blog.PUT("/api/v1/blog/articles/{id}/", {
  params: { path, header: unchanged },
  body: { ...article, title: "Fish soup" },
});
console.log("replaced", replaced?.title, replaced?.content);

const { error: conflict } = await blog.PUT("/api/v1/blog/articles/{id}/", {
  params: { path, header: unchanged },
  body: article,
});
console.log("refused", conflict?.status, conflict?.code);

// Change one field.
const { data: updated } = await blog.PATCH("/api/v1/blog/articles/{id}/", {
  params: { path },
  body: { status: "published" },
});
console.log("updated", updated?.status);

// Handle an unknown article.
const { data: missing, error } = await blog.GET("/api/v1/blog/articles/{id}/", {
  params: { path: { id: "no-such-article" } },
});
if (!missing) console.log("missing", error.status, error.code);

// What the other resources return is a valid body, too.
type Schemas = components["schemas"];
type Filters = NonNullable<operations["listArticles"]["parameters"]["query"]>;
type Category = Schemas["Category"];
const { data: [category] = [] } = await blog.GET("/api/v1/blog/categories/");
const renamed: Category | undefined = category && { ...category, name: "The kitchen" };
const { data: categories = [] } = await blog.PUT("/api/v1/blog/categories/", { body: renamed ? [renamed] : [] });
console.log("renamed", categories.map(({ name }) => name));

// Custom fields have the types of their definitions, in bodies, responses and filters.
await blog.PATCH("/api/v1/blog/articles/{id}/", {
  params: { path },
  body: {
    language: "de",
    translation_key: "soup",
    custom: { rating: 4.5, level: "easy", steps: ["Boil", "Eat"], vegan: false, cooked: "2026-01-02" },
  },
});
const { data: rated = [] } = await blog.GET("/api/v1/blog/articles/", {
  params: { query: { "custom.rating": [4.5], language: "de", fields: "*,custom,language,translations" } },
});
const [soup] = rated;
const rating: number | undefined = soup?.custom?.rating;
console.log("rated", soup?.title, rating, soup?.custom?.level, soup?.custom?.steps?.join(), soup?.language);

const typed: Schemas["CustomFieldsChanges"] = { rating: 5, level: "hard", vegan: null, link: "https://x.example/" };
// @ts-expect-error: a rating is a number.
typed.rating = "5";
// @ts-expect-error: a level is one of the choices.
typed.level = "fast";
// @ts-expect-error: the steps are a list.
typed.steps = "Boil";
// @ts-expect-error: only admins may read this field, so the public document does not contain it.
typed.note = "secret";
// @ts-expect-error: a filter has the type of its field.
const filter: Filters = { "custom.rating": ["5"] };
// @ts-expect-error: there is no filter by a field for admins.
const hidden: Filters = { "custom.note": ["secret"] };
console.log("refused by the compiler", [filter, hidden].length, Object.keys(typed).length);

// Pages have a place in a tree, and the same fields.
const { data: about, error: noPage } = await blog.POST("/api/v1/blog/pages/", {
  body: { title: "About", status: "published", custom: { street: "Quay 1" } },
});
if (!about) throw new Error(noPage.detail);
await blog.POST("/api/v1/blog/pages/", {
  body: { title: "Team", status: "unlisted", parent: about.uuid, position: 2, custom: { street: "Quay 2" } },
});
const { data: pages = [] } = await blog.GET("/api/v1/blog/pages/", {
  params: { query: { fields: "*,parent,custom,translations" } },
});
console.log("pages", pages.map(({ title, custom, translations }) => [title, custom?.street, translations?.length].join()));
const { data: team } = await blog.GET("/api/v1/blog/pages/{id}/", { params: { path: { id: "team" } } });
const status: Schemas["Status"] | undefined = team?.status;
console.log("page", team?.title, status, team?.position);
