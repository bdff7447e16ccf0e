"""The files for containers: the Containerfile, the Compose files and the Caddyfile."""

from __future__ import annotations

import json
import re
from ipaddress import ip_address, ip_network
from itertools import chain, combinations

import click
import pytest

from blogapi import config
from blogapi.__main__ import main
from blogapi.commands import CommandGroup
from blogapi.serving.commands import IMPORT_STOP_SECONDS
from blogapi.serving.limits import Limits
from blogapi.settings import SETTINGS
from tests.contracts.guide import GUIDE
from tests.deploy import deploy_files
from tests.deploy.deploy_files import FOLDER, OVERLAYS

COMBINATIONS = list(chain.from_iterable(combinations(OVERLAYS, count) for count in range(3)))
INSTRUCTIONS = deploy_files.list_instructions()
# The last stage, which becomes the image.
LAST_FROM = max(i for i, instruction in enumerate(INSTRUCTIONS) if instruction.name == "FROM")
IMAGE = {
    name: arguments for name, arguments in INSTRUCTIONS[LAST_FROM:] if name not in ("RUN", "COPY", "ARG")
}


@pytest.fixture(params=COMBINATIONS, ids="+".join)
def compose(request):
    """The Compose file with each combination of the files that add to it."""
    return deploy_files.merge_compose(*request.param)


def test_the_image_has_a_user_without_rights_and_a_volume():
    assert re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", IMAGE["USER"])
    assert IMAGE["VOLUME"] == IMAGE["WORKDIR"] == "/data"
    assert IMAGE["STOPSIGNAL"] == "SIGTERM"


def test_the_image_runs_commands_that_exist():
    assert json.loads(IMAGE["ENTRYPOINT"]) == ["blogapi"]
    serve, *options = json.loads(IMAGE["CMD"])
    command = CommandGroup().get_command(click.Context(main), serve)
    with command.make_context(serve, options) as context:
        assert (context.params["host"], context.params["port"]) == ("0.0.0.0", int(IMAGE["EXPOSE"]))  # noqa: S104
    check = json.loads(re.search(r"CMD (\[.*\])$", IMAGE["HEALTHCHECK"])[1])
    assert check == ["blogapi", "health"]


def test_both_stages_use_one_image_of_a_named_version():
    bases = [arguments.split()[0] for name, arguments in INSTRUCTIONS if name == "FROM"]
    assert bases == ["${PYTHON_IMAGE}"] * 2
    (base,) = (text for name, text in INSTRUCTIONS if name == "ARG" and text.startswith("PYTHON_IMAGE="))
    assert re.fullmatch(r"PYTHON_IMAGE=docker\.io/library/python:3\.\d+-slim-[a-z]+", base)


def test_the_wheel_alone_is_copied_into_the_first_stage():
    copied = [arguments for name, arguments in INSTRUCTIONS if name in ("COPY", "ADD")]
    assert copied == ["blogapi-*.whl ./", "--from=build /opt/blogapi /opt/blogapi"]


def test_the_blog_can_write_only_into_its_volume_and_into_memory(compose):
    blog = compose["services"]["blogapi"]
    assert blog["read_only"] is True and blog["cap_drop"] == ["ALL"]
    assert blog["security_opt"] == ["no-new-privileges:true"]
    assert blog["volumes"] == ["blog:/data"]
    assert [mount.partition(":")[0] for mount in blog["tmpfs"]] == ["/tmp"]  # noqa: S108
    assert not {"privileged", "user", "cap_add", "network_mode"} & blog.keys()


def test_the_blog_has_time_to_stop_and_the_health_check_of_the_image(compose):
    blog = compose["services"]["blogapi"]
    assert int(blog["stop_grace_period"].removesuffix("s")) > Limits().stop + IMPORT_STOP_SECONDS
    assert blog["init"] is True
    check = blog["healthcheck"]
    options = {f"--{name.replace('_', '-')}={value}" for name, value in check.items() if name != "test"}
    *words, command = IMAGE["HEALTHCHECK"].split(maxsplit=len(options))
    assert options == set(words)
    assert command == f"CMD {json.dumps(check['test'][1:])}" and check["test"][0] == "CMD"


def test_the_blog_itself_is_open_to_the_machine_alone(compose):
    assert compose["services"]["blogapi"]["ports"] == [f"127.0.0.1:8000:{IMAGE['EXPOSE']}"]
    others = {name for name, service in compose["services"].items() if "ports" in service} - {"blogapi"}
    assert others <= {"caddy"}


def test_each_image_names_a_version_or_is_built(compose):
    for service in compose["services"].values():
        _, _, tag = service["image"].rpartition("/")[2].partition(":")
        assert "build" in service or re.search(r"\d", tag), service["image"]
        # Docker asks Docker Hub for the image of a name without a host.
        assert service["image"].startswith(("localhost/", "docker.io/library/"))


def test_each_volume_and_each_file_is_declared(compose):
    for service in compose["services"].values():
        for volume in service.get("volumes", []):
            source = volume.partition(":")[0]
            assert (FOLDER / source).is_file() if source.startswith("./") else source in compose["volumes"]
    blog = compose["services"]["blogapi"]
    assert (FOLDER / blog["env_file"]).is_file()
    assert (FOLDER / blog["build"]["dockerfile"]).is_file() and blog["build"]["context"] == "."


def test_the_environment_has_settings_that_exist_and_no_password(compose, monkeypatch, tmp_path):
    environment = compose["services"]["blogapi"]["environment"]
    monkeypatch.delenv("BLOGAPI_DATABASE_URL", raising=False)
    for name, value in environment.items():
        if name.startswith(config.VARIABLE_PREFIX):
            monkeypatch.setenv(name, value)
    settings = config.read_settings(tmp_path)
    assert bool(settings["DATABASE_URL"]) == ("postgresql" in compose["services"])
    for service in compose["services"].values():
        for name, value in service.get("environment", {}).items():
            assert "PASSWORD" not in name or re.fullmatch(r"\$\{POSTGRES_PASSWORD:\?.+\}", value)


def test_the_blog_waits_until_its_services_can_be_used(compose):
    needed = compose["services"]["blogapi"].get("depends_on", {})
    assert needed.keys() == compose["services"].keys() - {"blogapi", "caddy"}
    for name, condition in needed.items():
        assert condition == {"condition": "service_healthy"}
        assert compose["services"][name]["healthcheck"]["test"]


def test_the_services_are_found_by_their_names():
    services = deploy_files.merge_compose(*OVERLAYS)["services"]
    environment = services["blogapi"]["environment"]
    urls = [environment[f"BLOGAPI_{name}_URL"] for name in ("DATABASE", "LIMITS")]
    hosts = {re.search(r"[@/]([a-z]+)/", url)[1] for url in urls}
    assert hosts == {"postgresql", "redis"} < services.keys()
    assert f"reverse_proxy blogapi:{IMAGE['EXPOSE']}\n" in deploy_files.read("Caddyfile")
    assert "{$BLOG_DOMAIN} {\n" in deploy_files.read("Caddyfile")
    assert "BLOG_DOMAIN" in services["caddy"]["environment"]


def test_caddy_alone_is_trusted_and_no_other_service_gets_its_address():
    compose = deploy_files.merge_compose("compose.caddy.yaml")
    address = compose["services"]["caddy"]["networks"]["default"]["ipv4_address"]
    assert compose["services"]["blogapi"]["environment"]["BLOGAPI_TRUSTED_PROXY"] == address
    (network,) = compose["networks"]["default"]["ipam"]["config"]
    assert ip_address(address) in ip_network(network["subnet"])
    assert ip_address(address) not in ip_network(network["ip_range"])
    assert ip_network(network["ip_range"]).subnet_of(ip_network(network["subnet"]))


def test_the_samples_of_settings_are_settings():
    names = re.findall(r"^#?BLOGAPI_(\w+)=", deploy_files.read("blogapi.env"), re.M)
    assert names and set(names) <= {setting.name for setting in SETTINGS}


def test_the_guide_names_each_file():
    pages = "".join(path.read_text(encoding="utf-8") for path in GUIDE.glob("*.md"))
    files = [path.name for path in FOLDER.iterdir()]
    assert "Containerfile" in files and [name for name in files if f"`{name}`" not in pages] == []
