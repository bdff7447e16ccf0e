"""The OpenAPI document as a client for TypeScript that uses `fetch`: orval."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.once]

FILES = Path(__file__).parent / "orval"
STEPS = """\
listed [ 'The bread that waits', 'Beans' ]
created soup draft
missing not_found
"""


@pytest.mark.skipif(not (shutil.which("node") and shutil.which("npm")), reason="Node.js is not installed")
def test_a_program_with_the_client_of_orval_compiles_and_runs(run, install, define_fields, tmp_path):
    shutil.copytree(FILES, tmp_path, dirs_exist_ok=True)
    install(["npm", "ci", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"])
    define_fields()
    run(["npx", "orval"])
    run(["npx", "tsc"])
    assert run(["node", "compiled/program.js"]) == STEPS
