"""Read an export of Notion: pages as Markdown or HTML, and databases as CSV."""
