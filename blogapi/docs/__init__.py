"""The OpenAPI document, the interactive reference page, and the user guide (`guide/*.md`)."""
