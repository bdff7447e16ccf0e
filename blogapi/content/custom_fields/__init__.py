"""Custom fields: the definitions that admins make for articles and pages."""
