"""What categories and tags have in common: a taxonomy is a set of terms that articles belong to."""
