"""The classes that stay in rendered content; any other could borrow the styles of the page around it.

An author's `class="modal fixed-top"` would cover a page that uses a CSS framework with those names.
"""

from __future__ import annotations

import re

# Each line is a set of classes that one well-known program writes into content.
_PATTERNS = (
    # The Markdown renderer, and the footnotes of Kramdown and Pandoc.
    r"footnotes?(?:-[\w-]+)?|reversefootnote|contains-task-list|task-list-item(?:-checkbox)?",
    # The language of a code block, as CommonMark and highlighters name it; what they wrap the block in.
    r"lang(?:uage)?-\S+|highlight(?:-[\w-]+)?|hljs|sourceCode|codehilite|chroma|prettyprint",
    # Formulas, for KaTeX and MathJax.
    r"math(?:-[\w-]+)?",
    # Alignment: WordPress, Jekyll and Pelican, Bootstrap.
    r"align(?:left|right|center|none|wide|full)|(?:align|text)-(?:left|right|center|justify)",
    # Figures, and the notes of GitHub and Python-Markdown.
    r"figure|caption|pullquote|(?:markdown-alert|admonition)(?:-[\w-]+)?",
    # WordPress: blocks, images, galleries and captions.
    r"(?:wp|size|has|columns|blocks-gallery|gallery)-[\w-]+|gallery|screen-reader-text",
    r"is-(?:style|layout|position|type|provider|vertically-aligned|content-justification)-[\w-]+",
    r"is-(?:cropped|resized|repeated|light|image-fill|(?:not-)?stacked-on-mobile)",
    # Ghost: cards.
    r"kg-[\w-]+",
    # Blogger: images and their captions.
    r"separator|tr-caption(?:-container)?",
    # The quote that X turns into a card where a page loads its script.
    r"twitter-tweet",
    # Text for screen readers alone: Bootstrap and Tailwind.
    r"sr-only|visually-hidden",
)

CONTENT_CLASS = re.compile("|".join(_PATTERNS))
