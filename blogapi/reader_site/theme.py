"""The theme of the owner in `instance/theme`: templates, a style sheet, words, and files that they use."""

from __future__ import annotations

import hashlib
import time
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from flask import Flask, current_app
from jinja2.sandbox import SandboxedEnvironment

from blogapi.config import AppState
from blogapi.reader_site import templating, words
from blogapi.reader_site.pages import HtmlPage
from blogapi.reader_site.words import WordTables
from blogapi.rendering import media_types
from blogapi.site.theme_files import THEME_FOLDER, list_theme_files

# The types of the files that are served at /theme/, by their extension.
CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".woff2": "font/woff2",
    ".woff": "font/woff",
    ".ico": "image/vnd.microsoft.icon",
    **{f".{type.extension}": type.name for type in media_types.TYPES_BY_NAME.values() if type.is_image},
}
# The minimum time between two checks of the folder, in seconds.
_CHECK_INTERVAL = 1.0


@dataclass
class Theme:
    """The theme as of the last check of its folder; `generation` changes if any of its files changes.

    `files` maps the names of the files, such as `theme/style.css`, to their paths.
    """

    files: Mapping[str, Path] = field(default_factory=dict)
    generation: str = ""
    checked_at: float = -_CHECK_INTERVAL
    problems: dict[str, str] = field(default_factory=dict)

    @cached_property
    def environment(self) -> SandboxedEnvironment | None:
        """The environment with the owner's templates, or None without such templates."""
        found = [path for path in self.files.values() if path.suffix == ".html"]
        return templating.create_environment(Path(current_app.instance_path, THEME_FOLDER)) if found else None

    @cached_property
    def words(self) -> WordTables:
        """The words of the site by language, with the owner's words unless `words.toml` cannot be read."""
        path = self.files.get(f"{THEME_FOLDER}/words.toml")
        try:
            return words.make_word_tables(tomllib.loads(path.read_text(encoding="utf-8")) if path else {})
        except (OSError, ValueError) as error:
            self.record_problem("words.toml", error)
            return words.make_word_tables({})

    def record_problem(self, name: str, error: Exception) -> None:
        """Store the error of a file, for `doctor`, and log it once."""
        sentence = f"{type(error).__name__}: {error}"
        if self.problems.get(name) != sentence:
            self.problems[name] = sentence
            current_app.logger.error("theme/%s is not used: %s", name, sentence)

    def find_problems(self) -> Mapping[str, str]:
        """Return the errors of the files of the theme, by name."""
        _ = self.words
        if self.environment is not None:
            for name in self.environment.list_templates(extensions=["html"]):
                # A template is code of the owner, which can raise any exception.
                try:
                    self.environment.get_template(name)
                except Exception as error:
                    self.record_problem(name, error)
        return self.problems

    @property
    def served_files(self) -> Mapping[str, Path]:
        """The files that browsers can request: style sheets, fonts and pictures."""
        return {name: path for name, path in self.files.items() if path.suffix in CONTENT_TYPES}


_THEME = AppState[Theme]("theme")


def init_app(app: Flask) -> None:
    """Store an empty theme; the first call of `get_theme` replaces it with the owner's theme."""
    _THEME.set(app, Theme())


def get_theme(app: Flask | None = None) -> Theme:
    """Return the theme; check its folder at most once per second, and read it again after a change."""
    app = app or current_app
    theme, now = _THEME.get(app), time.monotonic()
    if now - theme.checked_at >= _CHECK_INTERVAL:
        theme.checked_at = now
        # A file can be missing while the owner replaces it; the next check finds the new file.
        with suppress(OSError):
            files = dict(list_theme_files(Path(app.instance_path)))
            status = {name: path.stat() for name, path in files.items()}
            state = repr([(name, one.st_size, one.st_mtime_ns) for name, one in status.items()])
            generation = hashlib.sha256(state.encode("utf-8")).hexdigest()[:16]
            if generation != theme.generation:
                theme = Theme(files, generation, now)
                _THEME.set(app, theme)
    return theme


def render_page(page: HtmlPage) -> str:
    """Return the HTML of a page, from the theme's templates or, after an error, from the built-in ones."""
    theme = get_theme()
    values = {**page.values, "style_hash": templating.get_style_digest()}
    values["theme_hash"] = theme.generation if f"{THEME_FOLDER}/style.css" in theme.files else ""
    if theme.environment is not None:
        # A template is code of the owner, which can raise any exception.
        try:
            return theme.environment.get_template(page.template).render(values)
        except Exception as error:
            theme.record_problem(getattr(error, "name", None) or page.template, error)
    return templating.get_built_in_environment().get_template(page.template).render(values)
