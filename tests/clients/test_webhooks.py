"""The signature of a call is checked by the libraries of the specification, as the guide shows."""

from __future__ import annotations

import json
import re
import shutil
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from standardwebhooks.webhooks import WebhookVerificationError

import blogapi
from blogapi.delivery.webhooks import messages
from blogapi.delivery.webhooks.models import Webhook

GUIDE = Path(blogapi.__file__).parent / "docs" / "guide" / "webhooks.md"
FILES = Path(__file__).parent / "webhooks"


def read_example(language: str) -> str:
    (example,) = re.findall(rf"^```{language}\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.M | re.S)
    return example


@pytest.fixture
def signed(app):
    """The secret of a webhook, and the headers and the body of a call to it."""
    webhook = Webhook(uuid=uuid4(), url="https://x.test/", preset="standard", rotation=1, headers="{}")
    with app.app_context():
        message = messages.Message("msg_1", "webhook.test", datetime.now(UTC))
        request = messages.make_request(webhook, message, datetime.now(UTC))
        return messages.make_secret(webhook.uuid, 1), dict(request.headers), request.body


def test_python_verifies_a_call(signed):
    secret, headers, body = signed
    program = {"SECRET": secret}
    exec(read_example("python"), program)  # noqa: S102 (an example of our own)
    lowercase = {name.lower(): value for name, value in headers.items()}
    assert program["receive"](body, lowercase)["type"] == "webhook.test"
    with pytest.raises(WebhookVerificationError):
        program["receive"](body + b" ", lowercase)


@pytest.mark.slow
@pytest.mark.once
@pytest.mark.skipif(not (shutil.which("node") and shutil.which("npm")), reason="Node.js is not installed")
def test_javascript_verifies_a_call(signed, run, install, tmp_path):
    secret, headers, body = signed
    shutil.copytree(FILES, tmp_path, dirs_exist_ok=True)
    install(["npm", "ci", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"])
    lowercase = {name.lower(): value for name, value in headers.items()}
    arguments = ", ".join(json.dumps(value) for value in (body.decode(), lowercase))
    program = f"const SECRET = {json.dumps(secret)};\nconsole.log(receive({arguments}).type);\n"
    (tmp_path / "program.mjs").write_text(read_example("js") + program, encoding="utf-8")
    assert run(["node", "program.mjs"]) == "webhook.test\n"
