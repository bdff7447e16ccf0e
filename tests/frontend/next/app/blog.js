import { cookies } from "next/headers";
import { notFound, permanentRedirect, redirect } from "next/navigation";
import { createClient, NotFound } from "./blogapi.js";

export const blog = createClient({ url: process.env.BLOG_URL, key: process.env.BLOG_KEY });
export const FIELDS = ["title", "slug", "html", "head", "authors"];

export async function readArticle(slug, isPreview) {
  if (isPreview) {
    const token = (await cookies()).get("preview-token")?.value ?? "";
    const article = await blog.preview(token, { fields: FIELDS }).catch((error) => error);
    if (article instanceof NotFound) redirect(`/preview/end?slug=${encodeURIComponent(slug)}`);
    if (article instanceof Error) throw article;
    if (article.slug === slug) return article;
  }
  const article = await blog.articles.get(slug, { fields: FIELDS }).catch((error) => error);
  if (article instanceof NotFound) notFound();
  if (article instanceof Error) throw article;
  if (article.slug !== slug) permanentRedirect(`/${encodeURIComponent(article.slug)}`);
  return article;
}
