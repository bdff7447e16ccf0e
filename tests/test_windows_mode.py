"""The test mode without POSIX refuses what Windows refuses, and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.audit_hooks import windows

pytestmark = [
    *(pytest.mark.once, pytest.mark.no_database),
    pytest.mark.skipif(
        not sys.platform.startswith("linux") and not windows.is_on(), reason="Windows is not simulated"
    ),
]

# Tries each line in a folder of its own, which has the files `a.txt` and `b.txt`, and prints the errors.
PROGRAM = """
import json, os, pathlib, shutil, sqlite3, subprocess, sys, tempfile

class Open:
    def __init__(self, path): self.file = path.open("ab")

errors = {}
for number, line in enumerate(json.load(sys.stdin)):
    folder = pathlib.Path(f"{number}").absolute()
    folder.mkdir()
    a, b, sub = folder / "a.txt", folder / "b.txt", folder / "sub"
    for path in (a, b): path.write_bytes(b"")
    sub.mkdir()
    (sub / "c.txt").write_bytes(b"")
    try:
        exec(line)
        errors[line] = ""
    except (Exception, SystemExit) as error:
        errors[line] = type(error).__name__
json.dump(errors, sys.stdout)
"""
SLEEPER = "import sys; f = open(sys.argv[1]); print(flush=True); input()"
START = f"p = subprocess.Popen([sys.executable, '-c', '{SLEEPER}', a], stdin=-1, stdout=-1, text=True)"
REFUSED = {
    # Open files.
    "f = a.open(); a.unlink()": "PermissionError",
    "f = a.open(); os.remove(os.fsencode(a))": "PermissionError",
    "f = a.open(); b.replace(a)": "PermissionError",
    "f = a.open(); a.replace(b)": "PermissionError",
    "f = a.open(); os.chdir(folder); os.remove('a.txt')": "PermissionError",
    "f = (sub / 'c.txt').open(); sub.rename(folder / 'new')": "PermissionError",
    "f = (sub / 'c.txt').open(); shutil.rmtree(sub)": "PermissionError",
    "f = (sub / 'c.txt').open(); shutil.move(sub, folder / 'new')": "PermissionError",
    "c = sqlite3.connect(a); c.execute('CREATE TABLE t (x)'); a.unlink()": "PermissionError",
    "c = sqlite3.connect(a); c.execute('CREATE TABLE t (x)'); b.replace(a)": "PermissionError",
    f"{START}; p.stdout.readline(); a.unlink()": "PermissionError",
    # Folders.
    "os.open(sub, os.O_RDONLY)": "PermissionError",
    # Names.
    "(folder / 'con').touch()": "OSError",
    "(folder / 'NUL.tar.gz').write_text('')": "OSError",
    "(folder / 'Com1.md').mkdir()": "OSError",
    "(folder / 'a:b').touch()": "OSError",
    "(folder / 'what?').read_text()": "OSError",
    "(folder / 'end.').touch()": "OSError",
    "a.rename(folder / 'end ')": "OSError",
    "os.open(folder / 'a\\\\\\\\b', os.O_WRONLY | os.O_CREAT)": "OSError",
    # Letter case.
    "(folder / 'A.txt').write_text('')": "FileExistsError",
    "(folder / 'SUB').mkdir()": "FileExistsError",
    "(folder / 'SUB').mkdir(exist_ok=True)": "FileExistsError",
    "b.replace(folder / 'A.TXT')": "FileExistsError",
    # Links, modes and modules.
    "(folder / 'link').symlink_to(a)": "OSError",
    "a.chmod(0o400); a.unlink()": "PermissionError",
    "a.rename(b)": "FileExistsError",
    "sub.replace(folder / 'a.txt')": "NotADirectoryError",
    "import fcntl": "ModuleNotFoundError",
    "import resource": "ModuleNotFoundError",
}
ALLOWED = (
    "a.unlink()",
    "f = a.open(); b.unlink()",
    "f = a.open(); f.close(); a.unlink()",
    "b.replace(a)",
    "a.rename(folder / 'A.TXT')",
    "a.replace(folder / 'A.TXT')",
    "sub.rename(folder / 'new')",
    "shutil.rmtree(folder)",
    "sub.mkdir(exist_ok=True)",
    "(folder / 'console').touch(); (folder / '.nul').touch(); (folder / 'com10').touch()",
    "a.chmod(0o400); a.chmod(0o600); a.unlink()",
    "f = tempfile.TemporaryFile(dir=folder); f.write(b'x'); f.close()",
    "c = sqlite3.connect(a); c.execute('CREATE TABLE t (x)'); c.close(); a.unlink()",
    "subprocess.Popen([sys.executable, '-c', ''], stdout=subprocess.PIPE).communicate()",
    f"{START}; p.stdout.readline(); p.communicate('\\n'); a.unlink()",
)


def run(program: str, folder: Path, given: object = None) -> str:
    """Return the output of a program in the mode."""
    return subprocess.run(
        [sys.executable, "-c", program],
        **{"cwd": folder, "input": json.dumps(given), "check": True, "stdout": subprocess.PIPE, "text": True},
        env=os.environ | windows.make_environment(),
    ).stdout


def test_what_windows_refuses_is_refused_and_nothing_else(tmp_path):
    expected = REFUSED | dict.fromkeys(ALLOWED, "")
    assert json.loads(run(PROGRAM, tmp_path, list(expected))) == expected


def test_blogapi_sees_windows(tmp_path):
    program = """
from blogapi.storage import files
print(files.os.name, files.sys.platform, hasattr(files.os, "replace"))
print(hasattr(files.os, "fork"), hasattr(files, "fcntl"))
"""
    assert run(program, tmp_path).split() == ["nt", "win32", "True", "False", "False"]


def test_a_lock_of_windows_excludes_another_owner(tmp_path):
    program = """
from pathlib import Path
from blogapi.storage import files
with files.lock_file(Path("lock")) as first, files.lock_file(Path("lock")) as second:
    print(first, second, files.is_locked(Path("lock")))
print(files.is_locked(Path("lock")), Path("lock").exists())
"""
    assert run(program, tmp_path).split() == ["True", "False", "True", "False", "False"]
