// A program that uses the client of openapi-fetch with the types that openapi-typescript generates. It prints one
// line for each step.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

const blog = createClient<paths>({
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
type Category = components["schemas"]["Category"];
const { data: [category] = [] } = await blog.GET("/api/v1/blog/categories/");
const renamed: Category | undefined = category && { ...category, name: "The kitchen" };
const { data: categories = [] } = await blog.PUT("/api/v1/blog/categories/", { body: renamed ? [renamed] : [] });
console.log("renamed", categories.map(({ name }) => name));
