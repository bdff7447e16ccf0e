import { cookies, draftMode } from "next/headers";
import { redirect } from "next/navigation";

export async function GET(request) {
  (await draftMode()).disable();
  (await cookies()).delete("preview-token");
  redirect(`/${encodeURIComponent(new URL(request.url).searchParams.get("slug") ?? "")}`);
}
