"""Moving a blog from one database to another, of whichever engine."""
