"""Find the articles to which the links of imported articles lead."""
