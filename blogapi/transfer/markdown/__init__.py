"""Markdown with front matter: what Jekyll, Hugo, Hexo, Zola and Pelican publish from."""
