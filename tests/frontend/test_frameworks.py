"""The front ends for Astro and Next.js in the guide: they are installed, built and opened in Chromium."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from blogapi.delivery.webhooks import sender
from blogapi.delivery.webhooks import service as webhooks
from blogapi.delivery.webhooks.schemas import WebhookBodySchema
from blogapi.docs.assets import STATIC_FOLDER
from tests.admin import blogs
from tests.clients.conftest import UNREACHABLE
from tests.contracts.guide import GUIDE
from tests.delivery.webhooks.receiver import receive

FOLDER = Path(__file__).parent
ARTICLES = "/api/v1/blog/articles/"
SERVING = re.compile(r"http://127\.0\.0\.1:\d+")
# What Astro and Next.js print has colors.
QUIET = {"ASTRO_TELEMETRY_DISABLED": "1", "NEXT_TELEMETRY_DISABLED": "1", "NO_COLOR": "1", "CI": "true"}
MAX_GLUE = 60
NPM_OPTIONS = ("--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund")


@dataclass(frozen=True)
class Framework:
    """A framework: where its site expects the client, its commands, and the path of its preview page."""

    client: str
    build: tuple[str, ...]
    start: tuple[str, ...]
    preview_path: str


FRAMEWORKS = {
    "astro": Framework(
        "src/blogapi.js", ("npx", "astro", "build"), ("node", "dist/server/entry.mjs"), "/preview/"
    ),
    "next": Framework(
        "app/blogapi.js",
        ("npx", "next", "build"),
        ("node", "node_modules/next/dist/bin/next", "start", "-H", "127.0.0.1", "-p", "0"),
        "/preview",
    ),
}
is_requested = pytest.mark.skipif(
    not os.environ.get("BLOGAPI_TEST_FRAMEWORKS"), reason="BLOGAPI_TEST_FRAMEWORKS is not set"
)
has_node = pytest.mark.skipif(
    not (shutil.which("node") and shutil.which("npm")), reason="Node.js is not installed"
)


def run(command, folder, environment):
    """Run a command in the folder; skip the test if the registry of packages is unreachable."""
    program = shutil.which(command[0])
    done = subprocess.run(
        [program, *command[1:]], cwd=folder, env=environment, capture_output=True, text=True
    )
    if done.returncode and UNREACHABLE.search(done.stderr):
        pytest.skip("the package registry cannot be reached")
    assert done.returncode == 0, done.stdout + done.stderr


@contextmanager
def serve_site(framework, folder, environment):
    """Start the server of the built site on a free port; yield its address."""
    with subprocess.Popen(
        framework.start,
        cwd=folder,
        env=environment | {"HOST": "127.0.0.1", "PORT": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        lines = []
        try:
            for line in process.stdout:
                lines.append(line)
                if found := SERVING.search(line):
                    yield found[0]
                    return
            pytest.fail("".join(lines))
        finally:
            process.terminate()


def list_files(name):
    """Return the files of a front end, without those of npm."""
    files = (path for path in (FOLDER / name).rglob("*") if path.is_file())
    return {path.relative_to(FOLDER / name).as_posix(): path.read_text(encoding="utf-8") for path in files}


PRIVATE = {"referrer-policy": "no-referrer", "x-robots-tag": "noindex"}


def check_preview_headers(response):
    """Raise AssertionError unless the response with waiting edits is kept private."""
    assert {name: response.headers.get(name) for name in PRIVATE} == PRIVATE
    assert "no-store" in response.headers["cache-control"]


@pytest.fixture(scope="module")
def translated(blog):
    """The blog with a German article, pages in both languages and a tag."""
    blog.set_site(article_path="{/language}/{local_slug}/", page_path="{/language}/{path}/")
    login = blogs.Blog(blog.app, blog.service_url).client("demo")
    login.patch("blog/site/", {"languages": [{"language": "de", "title": "Hafen & Heim"}]})
    login.post("blog/tags/", {"name": "Fish"})
    soup = {"translation_key": "soup", "status": "published"}
    login.post("blog/articles/", soup | {"title": "Fish soup", "slug": "soup"})
    german = {"title": "Fischsuppe", "slug": "soup-de", "language": "de", "tags": ["fish"]}
    login.post("blog/articles/", soup | german)
    for title, language in (("Imprint", ""), ("Impressum", "de")):
        login.post("blog/pages/", {"title": title, "language": language, "status": "published"})
    return blog


def check_astro_pages(folder, site_url):
    """Raise AssertionError unless the built site has homes, articles, pages and terms in both languages."""
    files = {
        path.relative_to(folder).parent.as_posix(): path.read_text(encoding="utf-8")
        for path in folder.rglob("index.html")
    }
    for path, language, words, others in (
        (".", "en-GB", ["Fish soup", "Imprint", "Harbour"], ["Fischsuppe", "Impressum"]),
        ("de", "de", ["Fischsuppe", "Impressum", "Hafen"], ["Fish soup", "Imprint"]),
        ("soup", "en-GB", ["Fish soup", f'href="{site_url}/de/soup/" hreflang="de"'], []),
        ("de/soup", "de", ["Fischsuppe", f'<link rel="canonical" href="{site_url}/de/soup/">'], []),
        ("imprint", "en-GB", ["Imprint"], []),
        ("de/impressum", "de", ["Impressum"], []),
        ("tag/fish", "en-GB", ["Fischsuppe"], ["Fish soup"]),
        ("author/demo", "en-GB", ["Fischsuppe", "Fish soup"], []),
    ):
        assert f'<html lang="{language}">' in files[path]
        assert [word for word in words if word not in files[path]] == [], path
        assert [word for word in others if word in files[path]] == [], path
    assert [path for path in files if path.startswith("category/")]


@has_node
@is_requested
@pytest.mark.slow
@pytest.mark.once
@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_built_site_shows_articles_and_previews(translated, open_site, browser, tmp_path, name):
    framework, folder, blog = FRAMEWORKS[name], tmp_path / name, translated
    shutil.copytree(FOLDER / name, folder)
    shutil.copy(STATIC_FOLDER / "blogapi.js", folder / framework.client)
    environment = os.environ | QUIET | {"BLOG_URL": blog.service_url, "BLOG_KEY": blog.create_key()}
    # `npm ci` refuses lock files without the packages of all platforms, which not all registries have.
    run(("npm", "install", *NPM_OPTIONS), folder, environment)
    run(framework.build, folder, environment)
    if name == "astro":
        check_astro_pages(folder / "dist" / "client", blog.site_url)

    def create(title, **fields):
        article = {"title": title, "content": f"The text of {title}", **fields}
        created = blog.admin.post(ARTICLES, json=article)
        assert created.status_code == 201, created.json
        return f"{ARTICLES}{created.json['uuid']}/"

    def preview(path):
        return blog.admin.post(f"{path}preview/").json["url"]

    with serve_site(framework, folder, environment) as address:
        blog.set_site(preview_url=f"{address}{framework.preview_path}")
        page = browser.new_context().new_page()
        page.goto(address)
        # The addresses are those of the site, which is not the address of this server.
        link = page.get_by_role("link", name="The bread that waits for me")
        public = address + urlsplit(link.get_attribute("href")).path
        assert "referrer-policy" not in page.goto(public).headers
        page.get_by_role("heading", name="The bread that waits for me", level=1).wait_for()
        canonical = page.locator('head link[rel="canonical"]').get_attribute("href")
        assert canonical == f"{blog.site_url}/the-bread-that-waits-for-me/"
        (graph,) = page.locator('script[type="application/ld+json"]').all_text_contents()
        assert json.loads(graph)["@graph"][0]["headline"] == "The bread that waits for me"

        draft = create(f"Draft for {name}", status="draft")
        scheduled = create(f"Later for {name}", status="published", published_at="2999-01-01T00:00:00Z")
        (article,) = blog.admin.get(f"{ARTICLES}?slug=the-bread-that-waits-for-me&fields=uuid").json
        edited = f"{ARTICLES}{article['uuid']}/"
        copy = {"title": f"Edited for {name}", "content": "New *words*", "content_type": "markdown"}
        assert blog.admin.put(f"{edited}working-copy/", json=copy).status_code in (200, 201)

        for path, title, text in (
            (draft, f"Draft for {name}", f"The text of Draft for {name}"),
            (scheduled, f"Later for {name}", f"The text of Later for {name}"),
            (edited, f"Edited for {name}", "New words"),
        ):
            check_preview_headers(page.goto(preview(path)))
            assert page.locator("h1").inner_text() == title
            page.get_by_text(text).wait_for()
        # In a frame on another origin, as in the editor, the page reports itself.
        script = "shown = new Promise((found) => addEventListener('message', ({ data }) => found(data)))"
        frame = f'<script>{script}</script><iframe src="{preview(draft)}"></iframe>'
        (blog.folder / "frame.html").write_text(frame, encoding="utf-8")
        page.goto(f"{blog.site_url}/frame.html")
        page.frame_locator("iframe").get_by_role("heading", name=f"Draft for {name}").wait_for()
        assert page.evaluate("shown") == "blogapi-preview"
        # A link that has ended leads to the public article, and the page is again what readers see.
        if name == "next":
            page.goto(preview(edited))
            assert page.locator("h1").inner_text() == f"Edited for {name}"
            for link in blog.admin.get(f"{edited}preview/").json:
                assert blog.admin.delete(f"{edited}preview/{link['uuid']}/").status_code == 204
            for _ in range(2):
                response = page.goto(public)
                assert page.locator("h1").inner_text() == "The bread that waits for me"
            assert "referrer-policy" not in response.headers
            # A uuid and a former slug lead to the slug.
            page.goto(f"{address}/{article['uuid']}")
            assert page.url.endswith("/the-bread-that-waits-for-me")
            renamed = create("Former name", status="published")
            assert blog.admin.patch(renamed, json={"slug": "present-name"}).status_code == 200
            page.goto(f"{address}/former-name")
            assert page.url.endswith("/present-name")
        # Readers see none of it.
        reader = browser.new_context().new_page()
        reader.goto(public)
        assert reader.locator("h1").inner_text() == "The bread that waits for me"
        for link in (f"{address}{framework.preview_path}?token=unknown", f"{address}/draft-for-{name}"):
            assert reader.goto(link).status == 404


@has_node
@is_requested
@pytest.mark.slow
@pytest.mark.once
def test_a_build_hook_rebuilds_an_astro_site(blog, tmp_path):
    folder = tmp_path / "astro"
    shutil.copytree(FOLDER / "astro", folder)
    shutil.copy(STATIC_FOLDER / "blogapi.js", folder / FRAMEWORKS["astro"].client)
    key = blog.create_key()
    environment = os.environ | QUIET | {"BLOG_URL": blog.service_url, "BLOG_KEY": key}
    run(("npm", "install", *NPM_OPTIONS), folder, environment)
    blog.app.config["WEBHOOK_HOSTS"] = ("127.0.0.1",)
    titles = []

    def read_titles(call):
        request = Request(f"{blog.service_url}{ARTICLES}?fields=title", headers={"X-API-KEY": key})
        with urlopen(request, timeout=60) as answer:
            titles.extend(item["title"] for item in json.load(answer))

    with receive() as receiver:
        receiver.check = read_titles
        fields = {"name": "site", "url": receiver.url, "preset": "netlify", "quiet_seconds": 0}
        with blog.app.app_context():
            webhooks.create_webhook(WebhookBodySchema().load(fields))
        end = sender.start_sender(blog.app)
        try:
            article = {"title": "Told to the builder", "content": "Words", "status": "published"}
            assert blog.admin.post(ARTICLES, json=article).status_code == 201
            receiver.wait_for(1)
        finally:
            end()
    # A build that begins at the call finds the article.
    assert "Told to the builder" in titles
    # The build itself can take longer than the sender waits for an answer.
    run(FRAMEWORKS["astro"].build, folder, environment)
    pages = {path.parent.name: path.read_text(encoding="utf-8") for path in folder.rglob("index.html")}
    assert "Told to the builder" in pages["told-to-the-builder"]


@has_node
@pytest.mark.once
def test_a_page_of_nextjs_redirects_former_slugs_and_uuids(blog, tmp_path):
    created = blog.admin.post(ARTICLES, json={"title": "Oats 燕麦", "status": "published"}).json
    path = f"{ARTICLES}{created['uuid']}/"
    assert blog.admin.patch(path, json={"slug": "porridge-粥"}).status_code == 200
    for source in (FOLDER / "next" / "app" / "blog.js", STATIC_FOLDER / "blogapi.js"):
        shutil.copy(source, tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    # The two modules of Next.js: a redirect throws its target, and there is no cookie with a token.
    modules = tmp_path / "node_modules" / "next"
    modules.mkdir(parents=True)
    (modules / "package.json").write_text(
        '{"exports": {"./*": "./*.mjs"}, "type": "module"}', encoding="utf-8"
    )
    throws = "".join(
        f"export const {name} = (path) => {{ throw new Error(`{name} ${{path}}`); }};\n"
        for name in ("notFound", "permanentRedirect", "redirect")
    )
    (modules / "navigation.mjs").write_text(throws, encoding="utf-8")
    (modules / "headers.mjs").write_text("export const cookies = async () => new Map();\n", encoding="utf-8")
    program = """
import { readArticle } from "./blog.js";
for (const [slug, isPreview] of JSON.parse(process.argv[2])) {
  const { title, name, message } = await readArticle(slug, isPreview).catch((error) => error);
  console.log(title ?? `${name}: ${message}`);
}
"""
    (tmp_path / "program.mjs").write_text(program, encoding="utf-8")
    asked = [(slug, False) for slug in (created["slug"], created["uuid"], "porridge-粥", "unknown")]
    command = ["node", "program.mjs", json.dumps([*asked, ("porridge-粥", True)])]
    environment = os.environ | {"BLOG_URL": blog.service_url, "BLOG_KEY": blog.create_key()}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8")
    target = "/porridge-%E7%B2%A5"
    former, by_uuid, current, unknown, ended = done.stdout.splitlines()
    assert former == by_uuid == f"Error: permanentRedirect {target}", done.stderr
    assert current == "Oats 燕麦"
    assert unknown.startswith("Error: notFound ")
    assert ended == "Error: redirect /preview/end?slug=porridge-%E7%B2%A5"


@pytest.mark.once
def test_the_guide_shows_parts_of_the_programs():
    text = (GUIDE / "front-ends.md").read_text(encoding="utf-8")
    text = text.partition("\n## With a framework\n")[2]
    samples = re.findall(r"^```(?:js|jsx|astro)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    files = [content for name in FRAMEWORKS for content in list_files(name).values()]
    assert len(samples) > 5
    assert [code for code in samples if not any(code in content for content in files)] == []


@pytest.mark.once
@pytest.mark.parametrize("name", FRAMEWORKS)
def test_the_code_between_the_client_and_the_templates_is_short(name):
    glue = 0
    for path, content in list_files(name).items():
        if path.endswith((".astro", ".js", ".mjs", ".jsx")):
            code = content.split("---\n")[1] if path.endswith(".astro") else content
            glue += len([line for line in code.splitlines() if line and not line.startswith("//")])
    assert 0 < glue <= MAX_GLUE * (1 if name == "astro" else 2)
