import { createClient } from "./blogapi.js";

export const blog = createClient({ url: process.env.BLOG_URL, key: process.env.BLOG_KEY });
export const FIELDS = ["title", "url", "html", "head", "language", "translations", "authors", "tags", "published_at"];
