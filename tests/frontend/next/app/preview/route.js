import { cookies, draftMode } from "next/headers";
import { redirect } from "next/navigation";
import { blog } from "../blog.js";
import { NotFound } from "../blogapi.js";

export async function GET(request) {
  const token = new URL(request.url).searchParams.get("token") ?? "";
  const article = await blog.preview(token, { fields: ["slug"] }).catch((error) => error);
  if (article instanceof NotFound) return new Response("This link has expired.", { status: 404 });
  if (article instanceof Error) throw article;
  (await draftMode()).enable();
  (await cookies()).set("preview-token", token, { httpOnly: true, secure: true, sameSite: "none" });
  redirect(`/${encodeURIComponent(article.slug)}`);
}
