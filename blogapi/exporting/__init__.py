"""Writes the whole blog into files that other systems and the import can read."""
