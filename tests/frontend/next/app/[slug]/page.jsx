import { draftMode } from "next/headers";
import { blog, readArticle } from "../blog.js";
import { ConnectPreview } from "../connect-preview.jsx";
import { Head } from "../head.jsx";

export const revalidate = 60;

export async function generateStaticParams() {
  return blog.articles.all({ fields: ["slug"] });
}

export default async function ArticlePage({ params }) {
  const [{ slug }, { isEnabled }] = await Promise.all([params, draftMode()]);
  const article = await readArticle(decodeURIComponent(slug), isEnabled);
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
