"""The OpenAPI document as clients for Go and Rust: openapi-generator, a program in Java."""

from __future__ import annotations

import re
import shutil
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clients.conftest import read_guide_command

FILES = Path(__file__).parent / "openapi_generator"
# The crates of the packages `librust-…-dev` of Debian.
DEBIAN_CRATES = Path("/usr/share/cargo/registry")
DEBIAN_SOURCE = f"""
[source.crates-io]
replace-with = "debian"
[source.debian]
directory = "{DEBIAN_CRATES}"
"""
GO_STEPS = """\
listed The bread that waits Kitchen
listed Beans Kitchen
created soup published markdown
rated Soup 4.5 [Boil Eat]
missing 404 not_found
"""
RUST_STEPS = """\
created soup published markdown
read Soup Some(4.5) Some(["Boil", "Eat"])
missing 404 NotFound
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.once,
    pytest.mark.skipif(shutil.which("java") is None, reason="Java is not installed"),
]


@pytest.fixture
def generate(run, install, blog_address, define_fields, tmp_path) -> Callable[[str], Path]:
    """Return a function that runs the guide's command for a language and returns the folder of the client."""

    def run_command(language: str) -> Path:
        define_fields()
        packages = tmp_path / "packages"
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", packages]
        install([*pip, "--require-hashes", "-r", FILES / "requirements.txt"])
        command = read_guide_command(f"openapi-generator-cli generate -g {language}", blog_address)
        run(["java", "-jar", packages / "openapi_generator_cli" / "openapi-generator.jar", *command[1:]])
        return tmp_path / "client"

    return run_command


@pytest.mark.skipif(shutil.which("go") is None, reason="Go is not installed")
def test_a_program_in_go_compiles_and_runs(generate, run):
    client = generate("go")
    program = client / "program"
    program.mkdir()
    shutil.copy(FILES / "program.go", program)
    # The client has no dependencies, although its `go.sum` names some.
    assert run(["sh", "-c", 'cd "$0" && go run -mod=mod ./program', client]) == GO_STEPS


def has_debian_crates(client: Path) -> bool:
    """Return whether Debian's crates are installed; `serde_with` is not needed, as Debian 12 lacks it."""
    dependencies = tomllib.loads((client / "Cargo.toml").read_text(encoding="utf-8"))["dependencies"]
    return all(any(DEBIAN_CRATES.glob(f"{name}-[0-9]*")) for name in dependencies.keys() - {"serde_with"})


def use_debian_crates(client: Path) -> None:
    """Let cargo take the crates from Debian, in the versions that Debian has."""
    (client.parent / ".cargo").mkdir()
    (client.parent / ".cargo" / "config.toml").write_text(DEBIAN_SOURCE, encoding="utf-8")
    shutil.copytree(FILES / "serde_with", client.parent / "serde_with")
    cargo_toml = client / "Cargo.toml"
    text = re.sub(r'"\^[0-9.]+"', '"*"', cargo_toml.read_text(encoding="utf-8"))
    text = re.sub("^serde_with = .*$", 'serde_with = { path = "../serde_with" }', text, flags=re.M)
    # In older versions of reqwest, what these two features switch on is always there.
    cargo_toml.write_text(text.replace(', "query", "form"', ""), encoding="utf-8")


@pytest.mark.skipif(shutil.which("cargo") is None, reason="Rust is not installed")
def test_a_program_in_rust_compiles_and_runs(generate, run, install):
    client = generate("rust")
    (client / "src" / "bin").mkdir()
    shutil.copy(FILES / "program.rs", client / "src" / "bin")
    cargo = ["--quiet", "--manifest-path", client / "Cargo.toml", "--no-default-features"]
    try:
        install(["cargo", "fetch", *cargo[:3]])
    except pytest.skip.Exception:
        if not has_debian_crates(client):
            raise
        use_debian_crates(client)
    assert run(["cargo", "run", *cargo, "--bin", "program"]) == RUST_STEPS
