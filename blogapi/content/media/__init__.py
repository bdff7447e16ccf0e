"""The media library: pictures and other files, their renditions, and the items that use them."""
