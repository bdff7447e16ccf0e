"""The content that users own, and how it moves to another user."""
