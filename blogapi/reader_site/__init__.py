"""The blog for readers: pages, themes, the static copy."""
