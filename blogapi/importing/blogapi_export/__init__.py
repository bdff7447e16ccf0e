"""The exports of blogapi itself: a folder in one of its layouts."""
