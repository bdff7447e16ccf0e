"""The theme of the owner in `instance/theme`: templates, a style sheet, words, and files that they use."""

from __future__ import annotations

import hashlib
import threading
import time
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from flask import Flask, current_app
from jinja2.sandbox import SandboxedEnvironment

from blogapi.config import AppState
from blogapi.reader_site import templating
from blogapi.reader_site.pages import Page
from blogapi.reader_site.words import find_words
from blogapi.site import theme_files

# The types of the files that are served at /theme/, by their extension.
CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".woff2": "font/woff2",
    ".woff": "font/woff",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".gif": "image/gif",
    ".ico": "image/vnd.microsoft.icon",
    ".svg": "image/svg+xml",
}
# The minimum time between two checks of the folder, in seconds.
_CHECK_SECONDS = 1.0


@dataclass(frozen=True)
class Theme:
    """The theme at the last check of its folder; `generation` changes if any of its files changes."""

    folder: Path
    generation: str
    has_style: bool
    problems: dict[str, str] = field(default_factory=dict)

    @cached_property
    def environment(self) -> SandboxedEnvironment | None:
        """The environment with the owner's templates; None if there are none."""
        has_templates = self.folder.is_dir() and any(self.folder.glob("*.html"))
        return templating.create_theme_environment(self.folder) if has_templates else None

    @cached_property
    def words(self) -> Mapping[str, Any]:
        """The words of the owner by language; empty if there are none, or if they cannot be read."""
        try:
            text = (self.folder / "words.toml").read_text(encoding="utf-8")
            own = tomllib.loads(text)
            for language in own:
                find_words(language, language, own)
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            self.report("words.toml", error)
            return {}
        return own

    def report(self, name: str, error: Exception) -> None:
        """Store the error of a file, for `doctor`, and log it once."""
        sentence = f"{type(error).__name__}: {error}"
        if self.problems.get(name) != sentence:
            self.problems[name] = sentence
            current_app.logger.error("theme/%s is not used: %s", name, sentence)

    def find_problems(self) -> Mapping[str, str]:
        """Return the errors of reading and of rendering the files, by name."""
        _ = self.words
        if self.environment is not None:
            for name in self.environment.list_templates(extensions=["html"]):
                # A theme is a program of the owner, so any exception can come from it.
                try:
                    self.environment.get_template(name)
                except Exception as error:
                    self.report(name, error)
        return self.problems

    def find_file(self, name: str) -> Path | None:
        """Return the file that is served at /theme/NAME, or None."""
        path = self.folder / name
        if not theme_files.is_theme_path(f"{theme_files.THEME}/{name}") or path.suffix not in CONTENT_TYPES:
            return None
        # A link could lead out of the folder.
        return path if path.is_file() and path.resolve() == self.folder.resolve() / name else None


class ThemeFolder:
    """Reads the theme again after its folder has changed, and checks the folder at most once per second."""

    def __init__(self, home: Path) -> None:
        """Set the instance folder."""
        self._home = home
        self._lock = threading.Lock()
        self._checked_at = -_CHECK_SECONDS
        self._theme = Theme(home / theme_files.THEME, "", has_style=False)

    def get(self) -> Theme:
        """Return the theme."""
        with self._lock:
            now = time.monotonic()
            if now - self._checked_at >= _CHECK_SECONDS:
                self._checked_at = now
                # A file can be missing while the owner replaces it; the next check sees the new file.
                with suppress(OSError):
                    self._read_folder()
            return self._theme

    def _read_folder(self) -> None:
        found = ((name, path.stat()) for name, path in theme_files.list_theme_files(self._home))
        state = repr([(name, status.st_size, status.st_mtime_ns) for name, status in found])
        generation = hashlib.sha256(state.encode("utf-8")).hexdigest()[:16]
        if generation != self._theme.generation:
            folder = self._home / theme_files.THEME
            self._theme = Theme(folder, generation, (folder / "style.css").is_file())


THEME = AppState[ThemeFolder]("theme")


def init_app(app: Flask) -> None:
    """Find the folder of the theme."""
    THEME.set(app, ThemeFolder(Path(app.instance_path)))


def render(page: Page, **values: Any) -> str:
    """Return the HTML of a page, by the templates of the theme, or by the built-in ones if those fail."""
    theme = THEME.get().get()
    all_values = {**page.values, **values, "style_hash": templating.get_style_digest()}
    all_values["theme_hash"] = theme.generation if theme.has_style else ""
    if theme.environment is not None:
        # A theme is a program of the owner, so any exception can come from it.
        try:
            return theme.environment.get_template(page.template).render(all_values)
        except Exception as error:
            theme.report(getattr(error, "name", None) or page.template, error)
    return templating.get_built_in_environment().get_template(page.template).render(all_values)
