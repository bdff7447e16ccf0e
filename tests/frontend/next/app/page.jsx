import Link from "next/link";
import { blog } from "./blog.js";

export const revalidate = 60;

export default async function Home() {
  const articles = await blog.articles.all({ fields: ["title", "slug"] });
  const items = articles.map(({ title, slug }) => (
    <li key={slug}>
      <Link href={`/${slug}`}>{title}</Link>
    </li>
  ));
  return <ul>{items}</ul>;
}
