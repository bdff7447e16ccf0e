"""Reads the export files of WordPress (WXR)."""
