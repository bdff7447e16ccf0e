import { defineCollection } from "astro:content";
import { blog, FIELDS } from "./blog.js";

async function load({ store, meta, generateDigest }) {
  const articles = {
    keys: () => store.keys(),
    set: (id, data) => store.set({ id, data, digest: generateDigest(data) }),
    delete: (id) => store.delete(id),
  };
  meta.set("cursor", await blog.sync(articles, meta.get("cursor"), { fields: FIELDS }));
}

export const collections = { articles: defineCollection({ loader: { name: "blogapi", load } }) };
