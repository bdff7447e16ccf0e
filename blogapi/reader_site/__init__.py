"""The site for readers: its pages, the owner's theme, and the static copy of the site."""
