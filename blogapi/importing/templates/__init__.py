"""Wiki links and the template tags of site generators; links are resolved when all articles are known."""
