"""The whole blog in one file, and back."""
