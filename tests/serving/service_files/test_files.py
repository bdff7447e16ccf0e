"""The files of service managers: their parsers read the paths that were written, whatever these contain."""

from __future__ import annotations

import os
import plistlib
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from defusedxml.ElementTree import fromstring

from blogapi.config import CannotStart
from blogapi.serving.service_files import commands
from blogapi.serving.service_files.commands import ServiceDefinition

NAMES = [
    "blog",
    "my blog",
    "Müller & Søn",
    "it's",
    "a \u2019 b \u2018",
    "100% $HOME $$ `x` ^",
    "😀",
    "x\u00a0y",
    "(a);[b]!",
    "a=b,c",
]
POSIX_NAMES = [*NAMES, 'say "it\'s"', "%TEMP% %n"]
BUILDERS = [
    commands.build_systemd_unit,
    commands.build_launchd_job,
    commands.build_windows_task,
    commands.build_winsw_service,
]

needs_systemd = pytest.mark.skipif(
    os.name == "nt" or shutil.which("systemd-analyze") is None,
    reason="Windows has no systemd" if os.name == "nt" else "systemd-analyze is not installed",
)


def make_service(name: str = "blog", *, root: str = "/srv/", program: str | None = None) -> ServiceDefinition:
    folder = f"{root}{name}"
    program = program or f"{folder}/bin/blogapi"
    return ServiceDefinition(
        [program, "serve", "--blog", folder], "blogapi", [Path(f"{folder}/instance"), Path(f"{folder} 2")]
    )


def read_unit(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def split_for_systemd(value: str) -> list[str]:
    return [word.replace("%%", "%") for word in shlex.split(value)]


def evaluate_powershell(expression: str) -> str:
    """Return the value of a concatenation of strings and characters, of which each has one UTF-16 unit."""
    term = r"'((?:[^']|'')*)'|\[char\]0x([0-9a-f]+)"
    assert re.fullmatch(rf"\(?(?:{term})(?: \+ (?:{term}))*\)?", expression), expression
    units = b""
    for text, number in re.findall(term, expression):
        units += (chr(int(number, 16)) if number else text.replace("''", "'")).encode(
            "utf-16-le", "surrogatepass"
        )
    return units.decode("utf-16-le")


def split_for_windows(command: str) -> list[str]:
    """Return the arguments that a program of Windows reads from its command line."""
    words, word, is_quoted, is_word = [], "", False, False
    for slashes, character in re.findall(r"(\\*)([^\\]|\Z)", command):
        if character == '"':
            word += "\\" * (len(slashes) // 2)
            if len(slashes) % 2:
                word += '"'
            else:
                is_quoted, is_word = not is_quoted, True
        elif character in (" ", "") and not is_quoted:
            word += slashes
            if word or is_word:
                words.append(word)
            word, is_word = "", False
        else:
            word += slashes + character
    assert not is_quoted
    return words


def list_unquoted(command: str) -> str:
    return re.sub(r'"[^"]*"', "", command)


@needs_systemd
def test_the_unit_is_hardened(tmp_path):
    unit = tmp_path / "blogapi.service"
    unit.write_text(commands.build_systemd_unit(make_service()), encoding="utf-8")
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=20", str(unit)]
    result = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Overall exposure level for blogapi.service: 1." in result.stdout


@needs_systemd
@pytest.mark.parametrize("name", [name for name in POSIX_NAMES if not set(name) & set("'\"")])
def test_systemd_finds_the_program_and_warns_about_nothing(tmp_path, name):
    program = tmp_path / name / "blogapi"
    program.parent.mkdir()
    program.touch(mode=0o755)
    unit = tmp_path / "blogapi.service"
    unit.write_text(commands.build_systemd_unit(make_service(name, program=str(program))), encoding="utf-8")
    command = ["systemd-analyze", "verify", "--man=no", str(unit)]
    result = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert (result.returncode, result.stdout + result.stderr) == (0, "")
    program.chmod(0o644)
    refused = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert "is not executable" in refused.stderr


@pytest.mark.parametrize("name", POSIX_NAMES)
def test_the_unit_names_the_paths(name):
    service = make_service(name, program="/opt/blog api/bin/blogapi")
    unit = read_unit(commands.build_systemd_unit(service))
    assert unit["ExecStart"][0] == ":" and split_for_systemd(unit["ExecStart"][1:]) == service.command
    folders = [str(folder) for folder in service.folders]
    assert split_for_systemd(unit["RequiresMountsFor"]) == folders
    assert split_for_systemd(unit["ReadWritePaths"]) == [f"-{folder}" for folder in folders]
    expected = {"User": "blogapi", "Type": "notify", "UMask": "0077", "ProtectSystem": "strict"}
    assert expected.items() <= unit.items()


@pytest.mark.parametrize("name", POSIX_NAMES)
def test_the_launchd_job_names_the_paths(name):
    service = make_service(name)
    job = plistlib.loads(commands.build_launchd_job(service).encode("utf-8"))
    assert job["ProgramArguments"] == service.command
    assert job["WorkingDirectory"] == f"/srv/{name}"
    assert job["StandardOutPath"] == job["StandardErrorPath"] == f"/srv/{name}/instance/serve.log"
    assert (job["UserName"], job["Umask"], job["RunAtLoad"]) == ("blogapi", 0o077, True)
    assert job["KeepAlive"] == {"SuccessfulExit": False}


@pytest.mark.parametrize("name", NAMES)
def test_the_windows_task_names_the_paths(name):
    service = make_service(name, root="C:\\")
    script = commands.build_windows_task(service)
    assert script.isascii()
    expression = re.search(r"-Argument (.+)$", script, re.M)[1]
    command = re.fullmatch(r'/d /s /c "(.+) 2>&1"', evaluate_powershell(expression))[1]
    program, log = command.rsplit(" >> ", 1)
    assert split_for_windows(program) == service.command
    assert split_for_windows(log) == [str(service.folders[0] / "serve.log")]
    # cmd.exe reads nothing outside the quotes as an operator.
    assert not re.search(r"[&|<>^()!]", list_unquoted(program) + list_unquoted(log))
    folders = re.search(r"foreach \(\$folder in (.+)\) \{$", script, re.M)[1]
    parts = re.split(r"(?<=['\)]), (?=['\(])", folders)
    assert [evaluate_powershell(part) for part in parts] == [str(folder) for folder in service.folders]


def test_the_windows_task_has_no_time_limit_and_starts_again():
    script = commands.build_windows_task(make_service())
    for setting in (
        "-ExecutionTimeLimit ([TimeSpan]::Zero)",
        "-RestartCount 255 -RestartInterval (New-TimeSpan -Minutes 1)",
        "-AllowStartIfOnBatteries -DontStopIfGoingOnBatteries",
        "icacls $folder /grant '*S-1-5-19:(OI)(CI)M'",
        "-UserId 'S-1-5-19' -LogonType ServiceAccount",
    ):
        assert setting in script
    assert script.count("{") == script.count("}") == 2


@pytest.mark.parametrize("name", NAMES)
def test_the_winsw_service_names_the_paths(name):
    service = make_service(name, root="C:\\")
    text = commands.build_winsw_service(service)
    assert text.isascii()
    values = {element.tag: element.text for element in fromstring(text).iter()}
    assert [values["executable"], *split_for_windows(values["arguments"])] == service.command
    assert values["logpath"] == str(service.folders[0])
    assert (values["domain"], values["user"]) == ("NT AUTHORITY", "LocalService")


@pytest.mark.parametrize("build", [commands.build_windows_task, commands.build_winsw_service])
def test_a_backslash_at_the_end_does_not_hide_the_quote(build):
    service = ServiceDefinition(
        ["C:\\a b\\blogapi.exe", "--blog", "C:\\a b\\", "--port", "1"], "", [Path("C:\\a b")]
    )
    command = re.search(r'"--blog" "C:\\a b\\\\" "--port" "1"', build(service).replace("&quot;", '"'))
    assert command and split_for_windows(command[0]) == service.command[1:]


@pytest.mark.parametrize("build", BUILDERS)
@pytest.mark.parametrize("character", ["\n", "\0", "\x1b", "\ud800"])
def test_a_control_character_is_refused(build, character):
    with pytest.raises(CannotStart, match=r"cannot contain .* rename the folder"):
        build(make_service(f"a{character}b"))
    with pytest.raises(CannotStart):
        build(ServiceDefinition(["x"], f"a{character}b", [Path("/srv")]))
    assert "blog" in build(make_service())


@pytest.mark.parametrize(
    ("build", "name"),
    [
        *((commands.build_systemd_unit, name) for name in ("a\\b", "it's", 'a "b"')),
        *((build, name) for build in BUILDERS[2:] for name in ('"', "%TEMP%", "a%b%c")),
    ],
)
def test_a_name_that_the_format_would_change_is_refused(build, name):
    with pytest.raises(CannotStart, match="rename the folder"):
        build(make_service(name))
