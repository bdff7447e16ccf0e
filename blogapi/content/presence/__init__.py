"""Who has an article or a page open in the editor."""
