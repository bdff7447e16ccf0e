"""Read the export files of WordPress (WXR)."""
