// The types of the client are those that openapi-typescript makes of the OpenAPI document of a blog without custom fields.
// Only the compiler runs this.

import {
  createClient,
  type Article,
  type ArticleFields,
  type AuthorFields,
  type CategoryFields,
  type Change,
  type RedirectFields,
  type SingleTagFields,
  type Site,
  type TagFields,
} from "./blogapi.js";
import type { components, operations } from "./plain.js";

type Schemas = components["schemas"];
type Equal<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
// A filter can be a single value instead of a list.
type ListQuery = Required<Omit<NonNullable<operations["listArticles"]["parameters"]["query"]>, "page" | "page_size">>;

export const equal: [
  Equal<Required<ArticleFields>, Required<Schemas["Article"]>>,
  Equal<Required<CategoryFields>, Required<Schemas["Category"]>>,
  Equal<Required<TagFields>, Required<Schemas["Tag"]>>,
  Equal<Required<SingleTagFields>, Required<Schemas["SingleTag"]>>,
  Equal<Required<AuthorFields>, Required<Schemas["Author"]>>,
  Equal<Required<RedirectFields>, Required<Schemas["Redirect"]>>,
  Equal<Site, Schemas["Site"]>,
  Equal<Change, Schemas["Change"]>,
] = [true, true, true, true, true, true, true, true];

export async function use(): Promise<void> {
  const blog = createClient({ url: "http://127.0.0.1:8000", key: "blogapi_…" });
  for await (const article of blog.articles.list({ fields: ["title", "url", "cover"], tag: ["bread", "rye"] })) {
    const same: Equal<typeof article, Pick<ArticleFields, "title" | "url" | "cover">> = true;
    const url: string | undefined = article.url;
    // @ts-expect-error: the request does not name this field.
    console.log(same, url, article.cover?.renditions, article.html);
  }
  const { items } = await blog.articles.page(2, { pageSize: 5 });
  const documented: Equal<(typeof items)[0], Pick<Article, keyof Article>> = true;
  const more = await blog.articles.get("bread", { fields: ["*", "next"] });
  console.log(documented, more.content, more.next?.title, (await blog.tags.get("rye")).articles[0]?.title);
  const short = await blog.articles.get("bread", { fields: ["*", "html", "-content"] });
  const shortened: Equal<typeof short, Omit<Article, "content"> & Pick<ArticleFields, "html">> = true;
  // @ts-expect-error: the request leaves out this field.
  console.log(shortened, short.content);
  // @ts-expect-error: no field has this name.
  await blog.articles.get("bread", { fields: ["*", "-body"] });
  const query: ListQuery["ordering"] = "title";
  blog.articles.list({ ordering: query, working_copy: true });
  // @ts-expect-error: lists refuse this field.
  blog.articles.list({ fields: ["related"] });
  // @ts-expect-error: no field has this name.
  await blog.articles.get("bread", { fields: ["body"] });
  // @ts-expect-error: no filter has this name.
  blog.articles.list({ tga: "bread" });
  blog.articles.list({ "custom.rating": [4, 5], "custom.vegan": true, tag: "bread" });
  await blog.pages.all({ "custom.street": "Quay 1" });
  // @ts-expect-error: the value of a filter is no object.
  blog.articles.list({ "custom.rating": { minimum: 4 } });
  // @ts-expect-error: authors have no custom fields.
  blog.authors.list({ "custom.rating": 4 });
  const store = new Map<string, { uuid: string; html: string }>();
  const cursor: string = await blog.sync(store, undefined, { fields: ["html"] });
  // @ts-expect-error: the store expects another field.
  await blog.sync(store, cursor, { fields: ["title"] });
  const terms = new Map<string, { uuid: string; name: string }>();
  await blog.tags.sync(terms, await blog.categories.sync(terms), { fields: ["name"] });
  const name: string = blog.pages.loader({ fields: ["title", "parent"] }).name;
  // @ts-expect-error: lists of pages refuse this field.
  blog.pages.loader({ fields: [name, "articles_count"] });
  // @ts-expect-error: redirects have no uuid by which a store could keep them.
  blog.redirects.sync(terms);
}
