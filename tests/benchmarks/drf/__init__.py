"""The same blog as a Django REST framework service, written as the manual of the framework advises.

It runs in its own environment, without blogapi: `python -m tests.benchmarks.drf.serve FILE DATABASE PORT
THREADS` serves, and `tests.benchmarks.drf.write` measures writes inside its process.
"""
