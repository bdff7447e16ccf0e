"""MDX is read as Markdown."""

from __future__ import annotations

from blogapi.importing.formats.markdown import mdx


def test_components_are_named():
    notes: list[str] = []
    mdx.remove_code("<Tabs>\n\nText\n\n</Tabs>", notes)
    assert notes == ["Components of MDX are not shown, but their text is: Tabs (1)."]
