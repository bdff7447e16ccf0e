"""Authors: the public profiles of the people who write articles."""
