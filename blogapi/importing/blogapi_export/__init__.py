"""Reads exports of blogapi: folders in one of the layouts of `blogapi.exporting`."""
