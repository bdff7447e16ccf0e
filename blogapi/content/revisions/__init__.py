"""Former versions of articles and pages: their list, comparison, restoration and deletion."""
