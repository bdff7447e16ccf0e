import { defineCollection } from "astro:content";
import { blog, FIELDS } from "./blog.js";

const define = (source, fields) => defineCollection({ loader: source.loader({ fields }) });

export const collections = {
  articles: define(blog.articles, [...FIELDS, "category"]),
  pages: define(blog.pages, FIELDS),
  categories: define(blog.categories, ["name", "url", "head", "language"]),
  tags: define(blog.tags, ["name", "url", "head", "language"]),
  authors: define(blog.authors, ["name", "page_url", "head", "language"]),
};
