import { cookies, draftMode } from "next/headers";
import { notFound, permanentRedirect, redirect } from "next/navigation";
import { blog, FIELDS } from "../blog.js";
import { NotFound } from "../blogapi.js";
import { ConnectPreview } from "../connect-preview.jsx";
import { Head } from "../head.jsx";

export const revalidate = 60;

export async function generateStaticParams() {
  return blog.articles.all({ fields: ["slug"] });
}

async function readArticle(slug, isPreview) {
  if (isPreview) {
    const token = (await cookies()).get("preview-token")?.value ?? "";
    const article = await blog.preview(token, { fields: FIELDS }).catch((error) => error);
    if (article instanceof NotFound) redirect(`/preview/end?slug=${encodeURIComponent(slug)}`);
    if (article instanceof Error) throw article;
    if (article.slug === slug) return article;
  }
  return blog.articles.get(slug, { fields: FIELDS });
}

export default async function ArticlePage({ params }) {
  const [{ slug }, { isEnabled }] = await Promise.all([params, draftMode()]);
  const article = await readArticle(decodeURIComponent(slug), isEnabled).catch((error) => error);
  if (article instanceof NotFound) notFound();
  if (article instanceof Error) throw article;
  if (article.slug !== decodeURIComponent(slug)) permanentRedirect(`/${encodeURIComponent(article.slug)}`);
  return (
    <article>
      <Head head={article.head} />
      <h1>{article.title}</h1>
      <p>{article.authors.map(({ name }) => name).join(", ")}</p>
      <div dangerouslySetInnerHTML={{ __html: article.html }} />
      {isEnabled && <ConnectPreview />}
    </article>
  );
}
