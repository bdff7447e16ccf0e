"""Python imports this module at the start of each process that a test starts; see `sqlite_files`.

In the mode of `windows`, it imports the module at the start of pytest too.
"""

import os

import sqlite_files

if os.environ.get("BLOGAPI_TEST_WITHOUT_POSIX"):
    # Other processes would start later if they imported this module.
    import windows

    windows.install()
if sqlite_files.REPORT in os.environ:
    sqlite_files.install()
