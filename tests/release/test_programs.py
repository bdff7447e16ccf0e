"""The programs of `.ci/release`, as far as they decide something."""

from __future__ import annotations

import json
from zipfile import ZipFile

import pytest

from tests import distributions
from tests.distributions import ROOT

URL = "https://example.org/blogapi"

build, compare, readme, sbom, upgrade = map(
    distributions.load_program, ("build", "compare", "readme", "sbom", "upgrade")
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](docs/a.md)", f"[a]({URL}/blob/v1.2.0/docs/a.md)"),
        ("[a](docs/a.md#part)", f"[a]({URL}/blob/v1.2.0/docs/a.md#part)"),
        ("([a](a.md), [b](b.md))", f"([a]({URL}/blob/v1.2.0/a.md), [b]({URL}/blob/v1.2.0/b.md))"),
        ("![a\nb](a.webp)", f"![a\nb]({URL}/raw/v1.2.0/a.webp)"),
        ("[a](https://a.test/b) [c](#part) [d](mailto:d@e.test)", None),
        ("`list[0]` (a)", None),
    ],
)
def test_relative_links_become_absolute(text, expected):
    assert build.make_links_absolute(text, URL, "1.2.0") == (expected or text)


def test_the_constraints_have_each_pin_on_a_line_without_a_digest():
    lines = build.make_constraints().splitlines()[1:]
    assert lines == sorted(lines, key=lambda line: line.partition("==")[0])
    for line in lines:
        assert " ; " in line or " " not in line
        assert "\\" not in line and "--hash" not in line


def make_document(rate, elapsed):
    hot = [
        {"server": "blogapi", "read": "one article", "requests_per_second": rate},
        {"server": "nginx", "read": "one article", "requests_per_second": 9.0},
    ]
    writes = [
        {"server": "blogapi", "write": "create", "http_elapsed_ms": elapsed, "elapsed_ms": 9.0},
        {"server": "blogapi", "write": "import", "http_elapsed_ms": None, "elapsed_ms": 3.0},
    ]
    return {"hot": hot, "writes": writes}


def test_the_benchmark_compares_the_medians_of_reads_and_writes():
    former = [compare.read_times(make_document(500.0, elapsed)) for elapsed in (1.0, 2.0, 90.0)]
    new = [compare.read_times(make_document(rate, 2.0) | {}) for rate in (1.0, 400.0, 1000.0)]
    assert former[0] == {"read: one article": 2.0, "write: create": 1.0, "write: import": 3.0}
    found = compare.compare(former, new)
    assert found == {
        "read: one article": (2.0, 2.5),
        "write: create": (2.0, 2.0),
        "write: import": (3.0, 3.0),
    }
    assert [name for name, both in found.items() if compare.is_slower(*both)] == ["read: one article"]


@pytest.mark.parametrize(("new", "slower"), [(0.5, False), (1.19, False), (1.21, True)])
def test_a_fifth_is_the_limit(new, slower):
    assert compare.is_slower(1.0, new) is slower


def test_a_time_that_only_one_release_has_is_not_compared():
    assert compare.compare([{"a": 1.0, "b": 1.0}], [{"b": 2.0, "c": 3.0}]) == {"b": (1.0, 2.0)}


README = """
```sh
python3 -m venv .venv && .venv/bin/python wsgi.py --demo
```

```json
{"public_state":"blogapi_other"}
```

<!-- test -->
```sh
python -m pytest
```

```sh
KEY=blogapi_…
curl -H "X-API-KEY: $KEY" http://127.0.0.1:8000/
```

```sh
blogapi init my-blog && cd my-blog
blogapi serve
```
"""


def test_the_blocks_of_a_readme_are_found_without_the_test_command():
    blocks = readme.list_blocks(README)
    assert [block.serves for block in blocks] == [True, False, True]
    assert [block.text.split()[0] for block in blocks] == ["python3", "KEY=blogapi_…", "blogapi"]


def test_the_key_of_a_block_is_the_last_that_was_created():
    output = '{"public_state": "blogapi_one"}\n{"public_state":"blogapi_two","name":null}\n'
    assert readme.fill_key("KEY=blogapi_…\n", output) == "KEY=blogapi_two\n"
    assert readme.fill_key("KEY=blogapi_…\n", "") == "KEY=blogapi_…\n"


def test_the_readme_starts_the_service_before_it_uses_it():
    blocks = readme.list_blocks((ROOT / "README.md").read_text(encoding="utf-8"))
    assert any(block.serves for block in blocks) and not all(block.serves for block in blocks)
    first = next(number for number, block in enumerate(blocks) if block.serves)
    assert not any("curl" in block.text for block in blocks[:first])


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2, "new": 3}], "new": 4}, []),
        ({"a": [1, {"b": 2}]}, {"a": [1, {}]}, [".a[1].b: missing"]),
        ({"a": 1}, {"a": "1"}, [".a: 1 became '1'"]),
        ([1], [1, 2], [": [1] became [1, 2]"]),
        ({"a": None}, {"a": {}}, [".a: None became {}"]),
    ],
)
def test_an_upgrade_may_add_fields_and_change_nothing(before, after, expected):
    assert upgrade.list_differences(before, after) == expected


@pytest.fixture
def wheel(tmp_path):
    """A wheel with the lists of the vendored packages."""
    path = tmp_path / "blogapi-1.0.0-py3-none-any.whl"
    with ZipFile(path, "w") as archive:
        for name in (sbom.VENDOR, sbom.SCALAR):
            archive.write(ROOT / name, name)
    return path


def test_the_bill_of_materials_has_the_wheel_as_subject_and_its_vendored_packages(wheel):
    local = {"type": "distribution", "url": "file:///home/somebody/blogapi.whl"}
    subject = {
        "bom-ref": "blogapi==1.0.0",
        "name": "blogapi",
        "version": "1.0.0",
        "externalReferences": [local],
    }
    document = {
        "metadata": {},
        "components": [subject, {"bom-ref": "Flask==3.1.3", "name": "Flask"}],
        "dependencies": [{"ref": "blogapi==1.0.0", "dependsOn": ["Flask==3.1.3"]}, {"ref": "Flask==3.1.3"}],
    }
    sbom.describe_wheel(document, wheel)
    assert document["metadata"]["component"]["type"] == "application"
    assert document["metadata"]["component"]["purl"] == "pkg:pypi/blogapi@1.0.0"
    assert "somebody" not in json.dumps(document)
    names = [one["name"] for one in document["components"]]
    assert "blogapi" not in names and {"Flask", "lit-html", "@scalar/api-reference"} <= set(names)
    references = {one["bom-ref"] for one in document["components"]}
    assert "pkg:npm/%40codemirror/view@" in " ".join(references)
    assert set(document["dependencies"][0]["dependsOn"]) == references
    assert {one["ref"] for one in document["dependencies"]} == references | {"blogapi==1.0.0"}
