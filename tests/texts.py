"""Texts that are hard to keep apart: what could be taken for a seam of JSON, for markup, for an operator."""

from __future__ import annotations

from hypothesis import strategies as st

SEAMS = ['"', "\\", "\\n", "\n", "\r\n", "},{", '"},{"', '":"', "\u2028", "\u2029", "\x85"]
MARKUP = ["<b>", "&amp;", "&lt;", "<script>", "](", "# ", "```", "&#2;"]
SCRIPTS = ["🥖", "面包", "Go语言", "Å"]

_signs = st.sampled_from(SEAMS + MARKUP + SCRIPTS) | st.characters(
    codec="utf-8", exclude_categories=["Cc", "Cs"]
)

# Anything that the API takes as a text.
texts = st.lists(_signs, max_size=16).map("".join)
