"""The client in the package: a program for Node.js uses it with a served blog."""

from __future__ import annotations

import shutil
from pathlib import Path
from uuid import UUID

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.once,
    pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed"),
]

PROGRAM = Path(__file__).parent / "javascript" / "program.mjs"
STEPS = r"""listed 104 {"title":"Beans","word_count":1} {"title":"The bread that waits","word_count":1}
pages 10 104 true 4 false
any of 3
item {"slug":"loaf","html":"<p><em>Bread</em></p>\n"}
term 2 [{"slug":"rye"}]
authors [{"name":"ada"},{"name":"grace"},{"name":"mel"}]
redirects []
site "Bread"
text ""
missing true true "NotFound" 404 "not_found"
wrong "InvalidRequest" "invalid_query" ["fields"]
stranger true "key_invalid"
nobody true 0
after waiting "Bread"
refused true true
a long wait true 503
cached [200,200,304,304] true
changes 110
first 104 true false 4
nothing 104 true false 1
changed 103 false true 2
a tag 103 false true 5
renamed "Rye bread"
hidden 102 false false 1
unknown 102 false false 5
failed 500 true
failed 500 true
repaired 103 false false 4
pages first ["about"] 3
tags first ["rye"] 3
pages again ["about"] 1
tags again ["rye"] 1
pages changed ["about","team"] 4
tags changed [] 4
loaded ["about 2","team 2"] 3
loaded ["about 2","team 2"] 1
loaded ["about 3","team 3"] 3
written true
"""


@pytest.fixture
def long_blog(blog_address, make_article, make_category, make_tag, as_admin, as_login):
    """Add articles to the served blog: a list needs two requests."""
    garden, rye = make_category(name="Garden"), make_tag("rye")
    make_article(garden, (rye,), title="Loaf", content="*Bread*", content_type="markdown")
    make_article(garden, title="Soup", content="Bread and water")
    uuids = (str(UUID(int=number)) for number in range(1, 101))
    articles = [{"uuid": uuid, "title": f"Note {uuid[-3:]}", "status": "published"} for uuid in uuids]
    assert as_admin.put("/api/v1/blog/articles/", json=articles).status_code == 200
    assert as_login.patch("/api/v1/blog/site/", json={"title": "Bread"}).status_code == 200


def test_a_program_reads_a_blog_and_follows_it(run, long_blog, as_stranger, tmp_path):
    (tmp_path / "blogapi.js").write_bytes(as_stranger.get("/docs/blogapi.js").data)
    shutil.copy(PROGRAM, tmp_path)
    assert run(["node", "program.mjs"]) == STEPS
