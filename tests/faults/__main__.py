"""Makes small faults in a copy of the last commit, and prints the test that notices each, or MISSED."""

import ast
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate, chain, islice, pairwise
from pathlib import Path
from random import Random
from subprocess import PIPE, run

import click

ROOT, BUILD, MAX_SECONDS = Path(__file__).parents[2], Path("blogapi/admin/build"), 900
# Where else tests of a package are, besides its folder.
ELSEWHERE = {"importing": ["tests/importing", "tests/exporting"], "storage": ["tests/operations"]}
ELSEWHERE |= {"rendering": ["tests/content/articles"], "publication": ["tests/content", "tests/delivery"]}
# A kind, where the replaced text begins and ends, and the new text.
Edit = tuple[str, int, int, str]

_OPPOSITES = [(ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.In, ast.NotIn)]
_OPPOSITES += [(ast.And, ast.Or), (ast.Is, ast.IsNot), (ast.Add, ast.Sub), ("min", "max"), ("any", "all")]
_OPPOSITES += [("startswith", "endswith"), ("removeprefix", "removesuffix"), ("find", "rfind")]
_NEIGHBOURS = dict(_OPPOSITES) | {second: first for first, second in _OPPOSITES}


def list_python(source: str) -> list[tuple[int, list[Edit]]]:
    """Return the number of lines and the edits of each function."""
    tree, lines, found = ast.parse(source), source.split("\n"), []
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))

    def offset(line: int, column: int) -> int:
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            edits, changes = [], (_list_changes(node, tree) for node in ast.walk(function))
            for kind, old, new in chain.from_iterable(changes):
                end = offset(old.end_lineno, old.end_col_offset)
                edits.append((kind, offset(old.lineno, old.col_offset), end, ast.unparse(new)))
            found.append((function.end_lineno - function.lineno + 1, edits))
    return found


def _list_changes(node: ast.AST, tree: ast.AST) -> Iterator[tuple[str, ast.AST, ast.AST]]:
    """Yield the kind, the node that is replaced, and the new one."""
    match node:
        case ast.Compare(left, [operator], [right]) if type(operator) in _NEIGHBOURS:
            yield "operator", node, ast.Compare(left, [_NEIGHBOURS[type(operator)]()], [right])
        case ast.BoolOp(operator) | ast.BinOp(op=operator) if type(operator) in _NEIGHBOURS:
            fields = dict(ast.iter_fields(node)) | {"op": _NEIGHBOURS[type(operator)]()}
            yield "operator", node, type(node)(**fields)
        case ast.Constant(int() as value):
            yield "constant", node, ast.Constant(not value if isinstance(value, bool) else value + 1)
        case ast.Attribute(ast.Name(name)) if name[0].isupper():
            for other in ast.walk(tree):
                if isinstance(other, ast.Attribute) and ast.unparse(other.value) == name:
                    yield "attribute", node, other
        case ast.Call(function, args, keywords):
            name = getattr(function, "attr", getattr(function, "id", ""))
            if name in _NEIGHBOURS:
                other = ast.unparse(function).removesuffix(name) + _NEIGHBOURS[name]
                yield "neighbour", function, ast.parse(other).body[0]
            if not keywords and len(args) == isinstance(function, ast.Name):
                yield "call dropped", node, args[0] if args else getattr(function, "value", function)
            for i in range(len(keywords)):
                yield "argument left out", node, ast.Call(function, args, keywords[:i] + keywords[i + 1 :])
            for i in range(1, len(args)):
                swapped = [*args[: i - 1], args[i], args[i - 1], *args[i + 1 :]]
                yield "arguments swapped", node, ast.Call(function, swapped, keywords)
                yield "argument left out", node, ast.Call(function, args[:i] + args[i + 1 :], keywords)
        case ast.Expr(ast.Call()) | ast.AugAssign() | ast.Delete() | ast.Raise() | ast.Continue():
            yield "statement dropped", node, ast.Pass()
        case ast.If(body=[ast.Raise() | ast.Return()], orelse=[]) | ast.Assign([ast.Attribute()]):
            yield "statement dropped", node, ast.Pass()
        case ast.Assign([ast.Subscript()]):
            yield "statement dropped", node, ast.Pass()
    for test in getattr(node, "ifs", [node.test] if isinstance(node, ast.If | ast.IfExp | ast.While) else []):
        constants = [ast.Constant(value=False), ast.Constant(value=not isinstance(node, ast.While))]
        yield from (("condition", test, new) for new in (ast.UnaryOp(ast.Not(), test), *constants))


# A kind, a pattern whose group `x` is replaced, and the replacement.
_JAVASCRIPT = [
    ("await dropped", r"\b(?P<x>await )(?=[\w(])", ""),
    ("statement dropped", r"^ +(?P<x>[\w.$? ]+\(.*;|[\w$.]+\.[\w$]+ \S?= .*;)$", ";"),
    ("property dropped", r"(?:^ *|[{,]) (?P<x>\w+: [^,{}()]+, ?|[?@.]?[\w-]+=\$\{[^{}]*\})", ""),
    *(("condition", r"\bif \((?P<x>.*)\) (?=\w|\{)", text) for text in (r"!(\g<x>)", "true", "false")),
    ("branches swapped", r"\? (?P<x>(?P<a>[^?:`]+) : (?P<b>[^?:;`]+?))(?=[;,)}])", r"\g<b> : \g<a>"),
    ("argument left out", r"(?<=\w)\([^()]+(?P<x>, [^(),]+)\)", ""),
    ("arguments swapped", r"(?<=\w)\((?P<x>(?P<a>[^(),]+), (?P<b>[^(),]+))[,)]", r"\g<b>, \g<a>"),
    ("call dropped", r"(?P<x>\.(?:trim|toLowerCase|toSorted|reverse|focus|preventDefault)\(\))", ""),
    ("neighbour", r"(?<=\w)(?P<x>\?\.)(?=\w)", "."),
]
_PAIRS = "&& || || && < <= === !== !== === > >= <= < >= > + - - + some every every some min max max min"
for _former, _text in re.findall(r"(\S+) (\S+)", f"{_PAIRS} true false false true 0 1 1 2"):
    _edge = r"\b" if _text.isalnum() else "(?<= )(?=[^ ]+ )"
    _JAVASCRIPT.append(("neighbour", rf"{_edge}(?P<x>{re.escape(_former)})(?!\w)", _text))


def list_javascript(source: str) -> list[tuple[int, list[Edit]]]:
    """Return the number of lines and the edits of each statement of a module."""
    found = []
    starts = [match.start() for match in re.finditer(r"^[\w$]", source, re.MULTILINE)]
    for start, end in pairwise([*starts, len(source)]):
        edits = []
        for kind, pattern, text in _JAVASCRIPT:
            matches = re.compile(pattern, re.MULTILINE).finditer(source, start, end)
            edits += [(kind, *match.span("x"), match.expand(text)) for match in matches]
        found.append((source.count("\n", start, end), edits))
    return found


def draw(seed: int, only: str = "") -> Iterator[tuple[Path, str]]:
    """Yield the paths and the changed sources of functions, drawn by their number of lines."""
    random, functions = Random(seed), []  # noqa: S311
    for path in sorted([*ROOT.glob("blogapi/**/*.py"), *ROOT.glob("blogapi/admin/source/**/*.js")]):
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(only) and not name.startswith(("blogapi/migrations/", "blogapi/admin/build/")):
            source = path.read_text(encoding="utf-8")
            found = list_javascript(source) if path.suffix == ".js" else list_python(source)
            functions += [(path, source, *function) for function in found]
    while functions:
        path, source, _, edits = random.choices(functions, [lines for _, _, lines, _ in functions])[0]
        while edits:
            kind = random.choice(sorted({edit[0] for edit in edits}))
            edit = random.choice([edit for edit in edits if edit[0] == kind])
            edits.remove(edit)
            changed = source[: edit[1]] + edit[3] + source[edit[2] :]
            if parse(path, changed) not in (None, parse(path, source)):
                yield path.relative_to(ROOT), changed
                break


def parse(path: Path, source: str) -> str | None:
    """Return the program without annotations and messages of logs, or None if it cannot be compiled."""
    if path.suffix == ".js":
        esbuild = ["node", ROOT / BUILD / "node_modules/esbuild/bin/esbuild", "--loader=js", "--minify"]
        return run(esbuild, input=source, capture_output=True, encoding="utf-8").stdout or None
    with suppress(SyntaxError):
        for node in ast.walk(tree := compile(source, "", "exec") and ast.parse(source)):
            node.annotation, node.returns = ast.Constant(""), None
        return re.sub(r"^ *_?log(ger)?\..*", "pass", ast.unparse(tree), flags=re.MULTILINE)
    return None


def find_test(path: Path, copy: Path, unchanged: Path) -> str:
    """Return a test that fails only because the copy has the fault, `time limit`, or an empty string."""
    folder = Path("tests", *path.parent.parts[1:])
    while not (copy / folder).is_dir():
        folder = folder.parent
    names = order_by_nearness(path, copy, f"{folder}/**/" if folder.parts[1:] else "tests/")
    steps = [[*names, "-m", "not slow"], [*names, "-m", "slow and not release"]]
    if path.suffix != ".js":
        steps.append([*ELSEWHERE.get(path.parts[1], ()), "tests/contracts", "tests/security"])
    for arguments in steps:
        while test := _run_tests(copy, arguments):
            if not test.startswith("tests/") or not _run_tests(unchanged, [test]):
                return test
            arguments.append(f"--deselect={test}")
    return ""


def order_by_nearness(path: Path, copy: Path, folder: str) -> list[str]:
    """Return the test modules: first those that share most words with the path and name it most often."""
    words, found = set(re.findall(r"[a-z]{3,}", path.with_suffix("").as_posix())), []
    for test in copy.glob(f"{folder}test_*.py"):
        name = test.relative_to(copy).as_posix()
        shared = words.intersection(re.findall(r"[a-z]{3,}", name))
        found.append((-len(shared), -test.read_text(encoding="utf-8").count(path.stem), name))
    return [name for _, _, name in sorted(found)]


def _run_tests(copy: Path, arguments: list[str]) -> str:
    # The processes that the tests have started get the signal too.
    command = ["timeout", "--signal=INT", "--kill-after=30", f"{MAX_SECONDS}"]
    command += [sys.executable, "-m", "pytest", "-x", "-q", *arguments]
    options = {"cwd": copy, "env": os.environ | {"PYTHONPATH": str(copy)}, "encoding": "utf-8"}
    result = run(command, stdout=PIPE, **options)
    if result.returncode in (124, 137):
        return "time limit"
    found = re.search(r"^(?:FAILED|ERROR) (tests/.+?)(?: - .*)?$", result.stdout, re.MULTILINE)
    return "" if result.returncode in (0, 5) else found[1] if found else "all tests"


@click.command(help=__doc__)
@click.option("--seed", type=int, required=True)
@click.option("--first", default=1, help="The number of the first fault, to continue a former run.")
@click.option("--count", default=80, help="How many faults are tried.")
@click.option("--only", default="", help="The beginning of the paths, such as blogapi/content.")
def main(seed: int, first: int, count: int, only: str) -> None:
    """Try the faults and print a summary."""
    if not (ROOT / BUILD / "node_modules").is_dir():
        raise click.ClickException(f"Faults in JavaScript need esbuild; run `npm ci` in {BUILD} first.")
    results = Counter()
    with tempfile.TemporaryDirectory() as folder:
        copy, unchanged = Path(folder, "copy"), Path(folder, "unchanged")
        for clone in (copy, unchanged):
            run(["git", "clone", "--quiet", "--shared", ROOT, clone], check=True)
            (clone / BUILD / "node_modules").symlink_to((ROOT / BUILD / "node_modules").resolve())
        faults = enumerate(draw(seed, only), 1)
        for number, (path, changed) in islice(faults, first - 1, first - 1 + count):
            (copy / path).write_text(changed, encoding="utf-8", newline="\n")
            if path.suffix == ".js":
                run(["node", "build.mjs"], cwd=copy / BUILD, check=True)
            test = find_test(path, copy, unchanged)
            results["timeouts" if test == "time limit" else "noticed" if test else "missed"] += 1
            click.echo(f"{number} {path} {test or 'MISSED'}")
            run(["git", "diff", "--unified=1", "--", path], cwd=copy, check=True)
            run(["git", "checkout", "--quiet", "."], cwd=copy, check=True)
            run(["git", "clean", "--quiet", "--force", "blogapi/admin/static"], cwd=copy, check=True)
    click.echo(", ".join(f"{results[name]} {name}" for name in ("noticed", "missed", "timeouts")))


if __name__ == "__main__":
    main()
