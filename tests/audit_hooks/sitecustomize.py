"""Python imports this module at the start of each process that a test starts; see `sqlite_files`."""

import sqlite_files

sqlite_files.install()
