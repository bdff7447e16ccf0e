"""The reader for Markdown, HTML and text files with the front matter of static site generators."""
