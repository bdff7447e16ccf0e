"""Reads other blogs and exports of blogapi, and stores them through the functions of `content`."""
