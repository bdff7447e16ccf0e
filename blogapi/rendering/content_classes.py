"""The CSS classes allowed in rendered content.

An element with any other class could get styles of the surrounding page. For example, an element with
`class="modal fixed-top"` would cover a page that uses a CSS framework with these class names.
"""

from __future__ import annotations

import re

# Each comment names the programs that write these classes into content.
_PATTERNS = (
    # The Markdown renderer, and the footnotes of Kramdown and Pandoc.
    r"footnotes?(?:-[\w-]+)?|reversefootnote|contains-task-list|task-list-item(?:-checkbox)?",
    # The language of a code block, as CommonMark and highlighters write it, and the highlighters' wrappers.
    r"lang(?:uage)?-\S+|highlight(?:-[\w-]+)?|hljs|sourceCode|codehilite|chroma|prettyprint",
    # Formulas, for KaTeX and MathJax.
    r"math(?:-[\w-]+)?",
    # Alignment: WordPress, Jekyll and Pelican, Bootstrap.
    r"align(?:left|right|center|none|wide|full)|(?:align|text)-(?:left|right|center|justify)",
    # Figures, and the admonitions of GitHub and Python-Markdown.
    r"figure|caption|pullquote|(?:markdown-alert|admonition)(?:-[\w-]+)?",
    # WordPress: blocks, images, galleries and captions.
    r"(?:wp|size|has|columns|blocks-gallery|gallery)-[\w-]+|gallery|screen-reader-text",
    r"is-(?:style|layout|position|type|provider|vertically-aligned|content-justification)-[\w-]+",
    r"is-(?:cropped|resized|repeated|light|image-fill|(?:not-)?stacked-on-mobile)",
    # Ghost: cards.
    r"kg-[\w-]+",
    # Blogger: images and their captions.
    r"separator|tr-caption(?:-container)?",
    # Quotes of posts, which the script of X (Twitter) turns into cards.
    r"twitter-tweet",
    # Text for screen readers only: Bootstrap and Tailwind.
    r"sr-only|visually-hidden",
)

CONTENT_CLASS = re.compile("|".join(_PATTERNS))
