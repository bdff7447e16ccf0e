"""The media library: pictures and other files, their renditions, and what uses them."""
