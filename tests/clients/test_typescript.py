"""The OpenAPI document as types of TypeScript: openapi-typescript and openapi-fetch."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from blogapi.docs.assets import STATIC_FOLDER
from tests.clients.conftest import check_examples, read_guide_command

pytestmark = [pytest.mark.slow, pytest.mark.once]

FILES = Path(__file__).parent / "typescript"
STEPS = """\
listed [ 'The bread that waits (Kitchen)', 'Beans (Kitchen)' ]
found [ 'The bread that waits' ]
authors [ 'ada: Words.', 'ada: Words.' ]
created soup draft
replaced Fish soup Water, *salt*.
refused 412 stale
updated published
missing 404 not_found
renamed [ 'The kitchen' ]
rated Fish soup 4.5 easy Boil,Eat de
refused by the compiler 2 6
pages [ 'About,Quay 1,0' ]
page Team unlisted 2
"""


@pytest.mark.skipif(not (shutil.which("node") and shutil.which("npm")), reason="Node.js is not installed")
def test_a_strict_typescript_program_uses_the_api(run, install, blog_address, define_fields, tmp_path):
    shutil.copytree(FILES, tmp_path, dirs_exist_ok=True)
    shutil.copy(STATIC_FOLDER / "blogapi.js", tmp_path)
    install(["npm", "ci", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"])
    command = read_guide_command("npx openapi-typescript", blog_address)
    run([*command[:-1], "plain.d.ts"])
    define_fields()
    run(command)
    run(["npx", "tsc"])
    assert run(["node", "compiled/program.js"]) == STEPS


def test_the_guide_shows_parts_of_the_program():
    check_examples("ts", FILES / "program.ts")
