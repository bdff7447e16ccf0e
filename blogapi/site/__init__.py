"""The site as a whole: title, languages, addresses of pages, and heads; the texts are in `content`."""
