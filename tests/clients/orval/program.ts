// A program that uses the client that orval generates. It prints one line for each step.
import { createArticle, getArticle, listArticles, type Problem } from "./api.js";

const options = { headers: { "Content-Type": "application/json", "X-API-KEY": process.env.BLOG_KEY ?? "" } };

const listed = await listArticles({ page: 1, page_size: 10 }, options);
if (listed.status === 200) console.log("listed", listed.data.map(({ title }) => title));

const soup = { title: "Soup", content: "Water.", category: { slug: "kitchen" } };
const created = await createArticle(soup, {}, options);
if (created.status === 201) console.log("created", created.data.slug, created.data.status);

const missing = await getArticle("no-such-article", {}, options);
if (missing.status === 404) {
  const problem: Problem = missing.data;
  console.log("missing", problem.code);
}
