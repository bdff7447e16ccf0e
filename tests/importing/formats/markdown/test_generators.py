"""The site of a file, its generator and its settings are found by its configuration."""

from __future__ import annotations

import pytest

from blogapi.importing.formats.markdown.generators import find_site

LEVELS = 6


@pytest.mark.parametrize(
    ("name", "text", "generator", "settings"),
    [
        ("_config.yml", "timezone: Europe/Paris\nexclude: [a]\n", "jekyll", {"exclude": ["a"]}),
        ("_config.yml", "new_post_name: :title.md\ntimezone: ''\n", "hexo", {"timezone": ""}),
        ("_config.toml", "timezone = 'UTC'\n", "jekyll", {"timezone": "UTC"}),
        ("hugo.toml", "timeZone = 'UTC'\n", "hugo", {"timezone": "UTC"}),
        ("config.yaml", "ignoreFiles: ['\\.Rmd$']\n", "hugo", {"ignorefiles": ["\\.Rmd$"]}),
        ("config.json", '\n{"title": "A"}', "hugo", {"title": "A"}),
        ("config/_default/hugo.yaml", "title: A\n", "hugo", {"title": "A"}),
        ("config.toml", "base_url = 'https://a.example'\n", "zola", {"baseurl": "https://a.example"}),
        ("zola.toml", "base_url = 'https://a.example'\n", "zola", {}),
        ("mkdocs.yml", "a: !!python/name:x.y\nexclude_docs: |\n  a/\n", "mkdocs", {"excludedocs": "a/\n"}),
        (
            "pelicanconf.py",
            "TIMEZONE = 'Europe/Paris'  # here\nARTICLE_EXCLUDES = [\n    'a',\n]\nPATH = os.sep\n",
            "pelican",
            {"timezone": "Europe/Paris"},
        ),
        ("conf.py", "TIMEZONE = 'UTC'\nPOSTS = (('posts/*.md', 'posts', 'a.tmpl'),)\n", "nikola", {}),
        ("conf.py", "project = 'A'\n", "sphinx", {}),
        ("astro.config.mjs", "export default {}\n", "astro", {}),
        (".vuepress/config.js", "module.exports = {}\n", "vuepress", {}),
        ("dendron.yml", "version: 5\n", "dendron", {"version": "5"}),
        ("next.config.js", "", "other", {}),
    ],
)
def test_the_nearest_configuration_names_the_generator(tmp_path, name, text, generator, settings):
    configuration = tmp_path / name
    configuration.parent.mkdir(parents=True, exist_ok=True)
    configuration.write_text(text, encoding="utf-8")
    site = find_site(tmp_path / "content" / "posts", LEVELS)
    assert (site.folder, site.generator) == (tmp_path, generator)
    assert {key: site.settings[key] for key in settings} == settings


@pytest.mark.parametrize("text", ["a: [", "- a\n", "\tb: c", "[" * 5000, "a: *b"])
def test_a_configuration_that_cannot_be_read_has_no_settings(tmp_path, text):
    (tmp_path / "_config.yml").write_text(text, encoding="utf-8")
    site = find_site(tmp_path, LEVELS)
    assert (site.generator, site.settings, site.text) == ("jekyll", {}, text)


@pytest.mark.parametrize("value", ["(" * 5000, "run()", "[", "['a']", "os.sep", "{[]: 1}"])
def test_a_setting_in_python_that_is_no_word_is_left_out(tmp_path, value):
    (tmp_path / "pelicanconf.py").write_text(f"PATH = 'a'\nIGNORE_FILES = {value}\n", encoding="utf-8")
    assert find_site(tmp_path, LEVELS).settings == {"path": "a"}


def test_a_more_specific_configuration_beside_others_counts(tmp_path):
    for name in ("_config.yml", "vite.config.js", "astro.config.mjs"):
        (tmp_path / name).write_text("", encoding="utf-8")
    assert find_site(tmp_path / "src", LEVELS).generator == "astro"


def test_a_configuration_further_up_belongs_to_another_site(tmp_path):
    (tmp_path / "_config.yml").write_text("", encoding="utf-8")
    assert find_site(tmp_path / "a" / "b", 2) is None
