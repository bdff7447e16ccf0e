"""Sites that Hugo and Jekyll build from exports."""

from __future__ import annotations

import html
import re
import shutil
import subprocess

import pytest

from tests.contracts.guide import GUIDE
from tests.site.conftest import set_site

__all__ = ["set_site"]

pytestmark = [pytest.mark.slow, pytest.mark.once]

HUGO_FILES = {
    "config.toml": """
baseURL = "https://blog.example/"
disableKinds = ["RSS", "sitemap", "taxonomy", "term"]
[markup.goldmark.renderer]
unsafe = true
""",
    "layouts/_default/list.html": "{{ range .Pages }}<a href='{{ .RelPermalink }}'></a>{{ end }}",
    "layouts/_default/single.html": """
<title>{{ .Title }}</title><time>{{ .Date }}</time><i>{{ .Params.tags }}</i>
<img src="{{ index .Params.images 0 }}">{{ .Content }}""",
}
JEKYLL_FILES = {
    "_config.yml": "defaults: [{scope: {path: ''}, values: {layout: post}}]",
    "_layouts/post.html": """
<title>{{ page.title }}</title><time>{{ page.date }}</time><i>{{ page.tags | join: " " }}</i>
<img src="{{ page.image }}">{{ content }}""",
}


def build(folder, files, *command):
    """Build a site in the folder with a generator."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=300)


@pytest.mark.parametrize(
    ("files", "command", "site"),
    [(HUGO_FILES, ["hugo"], "public"), (JEKYLL_FILES, ["jekyll", "build"], "_site")],
    ids=["hugo", "jekyll"],
)
def test_a_generator_shows_public_articles_and_no_drafts(run, blog, tmp_path, files, command, site):
    run("export", tmp_path, "--for", command[0], "--drafts")
    build(tmp_path, files, *command)
    page = html.unescape((tmp_path / site / "bread" / "index.html").read_text(encoding="utf-8"))
    for part in ("<title>Bread: a story</title>", "2026-01-01", "Slow food", "Flour</h1>", 'alt="loaf"'):
        assert part in page
    assert page.count('src="/media/red.png"') == 2
    assert "{{< x >}} {{ y }}" in page
    assert (tmp_path / site / "media" / "red.png").is_file()
    text = (tmp_path / site / "salt" / "index.html").read_text(encoding="utf-8")
    assert "<pre>a &lt; b" in text and "&amp; c</pre>" in text
    # Not even the working copy of a public article is shown.
    for path in (tmp_path / site).rglob("*"):
        assert "secret" not in path.name
        assert "working" not in path.name
        assert path.is_dir() or b"secret" not in path.read_bytes().lower()


def test_hugo_links_the_translations_of_an_export(run, as_admin, make_article, set_site, tmp_path):
    set_site(article_path="{/language}/{local_slug}/")
    for slug, language in (("rye", ""), ("rye-fr", "fr")):
        make_article(title=slug, slug=slug, language=language, translation_key="r")
    run("export", tmp_path, "--for", "hugo")
    single = "<html lang='{{ .Language }}'>{{ range .Translations }}<a href='{{ .RelPermalink }}'>{{ end }}"
    languages = '\ndefaultContentLanguage = "en"\n[languages.en]\nweight = 1\n[languages.fr]\nweight = 2\n'
    files = HUGO_FILES | {"layouts/_default/single.html": single}
    files["config.toml"] = HUGO_FILES["config.toml"].replace("\n[markup", f"{languages}[markup")
    build(tmp_path, files, "hugo")
    pages = {
        path.parent.relative_to(tmp_path / "public").as_posix(): path.read_text(encoding="utf-8")
        for path in (tmp_path / "public").rglob("rye/index.html")
    }
    assert "<html lang='en'><a href='/fr/rye/'>" in pages["rye"]
    assert "<html lang='fr'><a href='/rye/'>" in pages["fr/rye"]


PAGE_TEMPLATES = {
    "hugo": """<title>{{ .Title }}</title>{{ .Params.custom.rating }} {{ .Params.robots }}
{{ range where site.RegularPages.ByWeight "Params.blogapi.parent" .Params.blogapi.uuid -}}
<a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}""",
    "jekyll": """<title>{{ page.title }}</title>{{ page.custom.rating }} {{ page.robots }}
{% assign below = site.pages | where: "blogapi.parent", page.blogapi.uuid | sort: "blogapi.position" -%}
{% for item in below %}<a href="{{ item.url }}">{{ item.title }}</a>{% endfor %}""",
}


def read_settings(generator):
    """Return the settings of the site in the guide."""
    text = (GUIDE / "leaving.md").read_text(encoding="utf-8").partition(f"\n## {generator.title()}\n")[2]
    return re.findall(r"^```(?:toml|yaml)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)[0]


@pytest.mark.parametrize(
    ("name", "template", "command", "site"),
    [
        ("config.toml", "layouts/_default/single.html", ["hugo"], "public"),
        ("_config.yml", "_layouts/page.html", ["jekyll", "build"], "_site"),
    ],
    ids=["hugo", "jekyll"],
)
def test_a_generator_shows_pages_in_their_order_fields_and_redirects(
    run, as_login, set_site, tmp_path, name, template, command, site
):
    set_site(url="https://site.example")
    field = {"name": "rating", "label": "Rating", "type": "number", "kinds": ["page"]}
    assert as_login.post("/api/v1/blog/fields/", json=field).status_code == 201

    def add_page(title, **fields):
        page = {"title": title, "status": "published", "content": f"{title} text"} | fields
        return as_login.post("/api/v1/blog/pages/", json=page).json["uuid"]

    about = add_page("About", custom={"rating": 4.5}, robots="noindex")
    for title, position in (("Zoe", 1), ("Adam", 2)):
        add_page(title, parent=about, position=position)
    for title, status, time in (
        ("Secret draft", "draft", None),
        ("Secret archive", "archived", "2026-01-01T00:00:00Z"),
        ("Secret friends", "unlisted", "2026-01-01T00:00:00Z"),
        ("Secret plan", "published", "2099-01-01T00:00:00Z"),
    ):
        add_page(title, status=status, published_at=time)
    for path, target, status in (("/old/", "/about/", 301), ("/gone/", "", 410)):
        redirect = {"path": path, "target": target, "status": status}
        assert as_login.post("/api/v1/blog/redirects/own/", json=redirect).status_code == 201
    assert run("export", tmp_path, "--for", command[0], "--drafts").exit_code == 0
    build(tmp_path, {name: read_settings(command[0]), template: PAGE_TEMPLATES[command[0]]}, *command)
    page = (tmp_path / site / "about" / "index.html").read_text(encoding="utf-8")
    assert "<title>About</title>4.5 noindex" in page
    assert '<a href="/about/zoe/">Zoe</a><a href="/about/adam/">Adam</a>' in page
    redirects = (tmp_path / site / "_redirects").read_text(encoding="utf-8").splitlines()
    assert (
        redirects[1:] == ["/old/ /about/ 301"] and redirects[0].startswith("#") and "/gone/" in redirects[0]
    )
    for path in (tmp_path / site).rglob("*"):
        assert "secret" not in path.name
        assert path.is_dir() or b"secret" not in path.read_bytes().lower()
