"""Write the bill of materials of a wheel as CycloneDX.

`SOURCE_DATE_EPOCH=SECONDS python .ci/sbom.py PYTHON WHEEL OUTPUT` lists what is installed in the
environment of PYTHON (the wheel with the tested versions), and the packages of npm that the wheel contains.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any
from zipfile import ZipFile

VENDOR = "blogapi/admin/static/vendor/VENDOR.toml"
SCALAR = "blogapi/docs/static/scalar-license.txt"


def main(python: str, wheel: Path, output: Path) -> None:
    """Write the document; raises ValueError if it is not valid."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    command = [sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible", python]
    found = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    document = json.loads(found.stdout)
    describe_wheel(document, wheel)
    text = json.dumps(document, indent=2, sort_keys=True) + "\n"
    if problem := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        raise ValueError(problem)
    output.write_text(text, encoding="utf-8")


def describe_wheel(document: dict[str, Any], wheel: Path) -> None:
    """Make blogapi the subject of the document, and add the packages that its wheel contains."""
    (subject,) = [one for one in document["components"] if one["name"] == "blogapi"]
    document["components"].remove(subject)
    # The installed file was a local one.
    subject["externalReferences"] = [
        one for one in subject["externalReferences"] if not one["url"].startswith("file:")
    ]
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    subject |= {
        "type": "application",
        "purl": f"pkg:pypi/blogapi@{subject['version']}",
        "hashes": [{"alg": "SHA-256", "content": digest}],
    }
    document["metadata"]["component"] = subject
    vendored = list_vendored(wheel)
    document["components"] += vendored
    references = [one["bom-ref"] for one in vendored]
    (dependencies,) = [one for one in document["dependencies"] if one["ref"] == subject["bom-ref"]]
    dependencies["dependsOn"] += references
    document["dependencies"] += [{"ref": reference} for reference in references]


def list_vendored(wheel: Path) -> list[dict[str, Any]]:
    """Return a component for each package of npm that the wheel contains."""
    with ZipFile(wheel) as archive:
        packages = tomllib.loads(archive.read(VENDOR).decode("utf-8"))["packages"]
        scalar = archive.read(SCALAR).decode("utf-8")
    (version,) = re.findall(r"npm package @scalar/api-reference (\d[\w.-]*\w)", scalar)
    packages["@scalar/api-reference"] = {"version": version, "licence": "MIT"}
    return [
        _make_component(name, package["version"], package["licence"])
        for name, package in sorted(packages.items())
    ]


def _make_component(name: str, version: str, licence: str) -> dict[str, Any]:
    purl = f"pkg:npm/{name.replace('@', '%40')}@{version}"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "purl": purl,
        "licenses": [{"license": {"id": licence}}],
    }


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
