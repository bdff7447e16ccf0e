"""The same blog as a Django REST framework service, written as its manual advises.

Runs in an environment of its own, without blogapi: `python -m tests.benchmarks.drf.serve FILE DATABASE PORT
THREADS`.
"""
