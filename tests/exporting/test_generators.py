"""Sites that Hugo and Jekyll build from exports."""

from __future__ import annotations

import html
import shutil
import subprocess

import pytest

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
