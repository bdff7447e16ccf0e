"""Texts that are easily misread as JSON syntax, markup or a search operator."""

from __future__ import annotations

from hypothesis import strategies as st

JSON_SYNTAX = ['"', "\\", "\\n", "\n", "\r\n", "},{", '"},{"', '":"', "\u2028", "\u2029", "\x85"]
MARKUP = ["<b>", "&amp;", "&lt;", "<script>", "](", "# ", "```", "&#2;"]
SCRIPTS = ["🥖", "面包", "Go语言", "Å"]

_parts = st.sampled_from(JSON_SYNTAX + MARKUP + SCRIPTS) | st.characters(exclude_categories=["Cc", "Cs"])

# A strategy for texts that the API accepts.
texts = st.lists(_parts, max_size=16).map("".join)
