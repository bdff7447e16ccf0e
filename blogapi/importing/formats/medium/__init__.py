"""Read the HTML archive of Medium: one page for each story, draft and response."""
