"""Redirects from the files of hosts and plugins."""

from __future__ import annotations

import pytest

from blogapi.delivery.redirects.custom import redirect_files
from blogapi.web.errors import Invalid
from tests.delivery.redirects.test_custom import OWN

NETLIFY = """\
# comment
  /old/  /new/
/away https://other.example/x?y=z 302!
/home /index.html 200
/news/* /blog/:splat
/shop /laden 302 Language=de
/shop id=:id /x/:id 301
/lonely
/old /again
/gone / 410
   # an indented comment
	#/f /g
"""

APACHE = """\
<IfModule mod_rewrite.c>
RewriteEngine On
Redirect 301 /a.html /b/
Redirect /temporary "/with space/"
redirect gone /old-shop
RedirectPermanent /c https://other.example/
RedirectMatch 301 ^/d/?$ /e/
RedirectMatch 301 ^/f/(.*)$ /g/$1
RewriteRule ^h\\.php$ /i/ [R=301,L]
RewriteRule ^j/?$ - [G]
RewriteCond %{HTTP_HOST} ^www
RewriteRule ^k$ /l/ [R=301,L]
RewriteRule ^m$ /n/ [L]
RewriteRule ^/?o$ /p/ [R]
Redirect 301 /q
Redirect 301 "/r /s
  # Redirect 301 /t /u
#Redirect 301 /t /u
	redirect 308 /v /w
</IfModule>
"""

CSV = """\
source,target,regex,code,type,hits,title,status
/old/,/new/,0,301,url,5,"Title, with a comma",active
"/b,c/",https://other.example/,0,307,url,0,,active
/off/,/x/,0,301,url,0,,disabled
^/r/(.*),/x/$1,1,301,url,0,,active
/gone/,,0,410,error,0,,active
/nothing/,,0,404,error,0,,active
/members/,/unknown,0,301,url,0,,active
/lucky/,/unknown,0,302,random,0,,active
"""

JSON = """\
{
    "plugin": {"version": "5.4.1", "date": "Sat, 01 Jun 2024 10:00:00 +0000"},
    "groups": [{"id": 1, "name": "Redirections", "redirects": 6, "module_id": 1, "enabled": true}],
    "redirects": [
        {"id": 1, "url": "/old/", "match_url": "/old", "match_data": {"source": {"flag_regex": false}},
         "action_code": 301, "action_type": "url", "action_data": {"url": "/new/"}, "match_type": "url",
         "title": "", "hits": 5, "regex": false, "group_id": 1, "position": 0, "enabled": true},
        {"id": 2, "url": "/gone", "action_code": 410, "action_type": "error", "action_data": {"url": ""},
         "match_type": "url", "regex": false, "enabled": true},
        {"id": 3, "url": "^/r/(.*)", "action_code": 301, "action_type": "url", "action_data": {"url": "/$1"},
         "match_type": "url", "regex": true, "enabled": true},
        {"id": 4, "url": "/off", "action_code": 302, "action_type": "url", "action_data": {"url": "/x"},
         "match_type": "url", "regex": false, "enabled": false},
        {"id": 5, "url": "/in", "action_code": 302, "action_type": "url",
         "action_data": {"logged_in": "/a", "logged_out": "/b"}, "match_type": "login", "enabled": true},
        {"id": 6, "url": "/lucky", "action_code": 302, "action_type": "random", "match_type": "url"},
        null
    ]
}
"""


def brief(text):
    """Return the redirects and the skipped lines of a file."""
    found = redirect_files.read_redirects(text)
    rows = [(row["path"], row["target"], row["status"]) for row in found.redirects]
    return rows, [line for line, _ in found.skipped]


def test_a_netlify_file():
    assert brief(NETLIFY) == (
        [("/old/", "/new/", 301), ("/away", "https://other.example/x?y=z", 302), ("/gone", "", 410)],
        [4, 5, 6, 7, 8, 9],
    )


def test_a_netlify_file_that_begins_with_a_rule_for_another_host():
    text = "https://www.site.example/* https://site.example/:splat 301!\n/old /new\n"
    assert brief(text) == ([("/old", "/new", 301)], [1])


def test_a_rule_that_adds_a_slash_does_not_keep_the_others_out(run):
    result = run("/about /about/ 301\n/old /new\n")
    assert result.exit_code == 0 and "1 new, 0 changed, 1 skipped" in result.output


def test_an_apache_file():
    assert brief(APACHE) == (
        [
            ("/a.html", "/b/", 301),
            ("/temporary", "/with%20space/", 302),
            ("/old-shop", "", 410),
            ("/c", "https://other.example/", 301),
            ("/d/", "/e/", 301),
            ("/h.php", "/i/", 301),
            ("/j/", "", 410),
            ("/o", "/p/", 302),
            ("/v", "/w", 301),
        ],
        [8, 12, 13, 15, 16],
    )


def test_a_csv_of_the_plugin_redirection():
    assert brief("\ufeff" + CSV) == (
        [("/old/", "/new/", 301), ("/b,c/", "https://other.example/", 302), ("/gone/", "", 410)],
        [4, 5, 7, 8, 9],
    )


def test_the_json_of_the_plugin_redirection():
    assert brief(JSON) == ([("/old/", "/new/", 301), ("/gone", "", 410)], [3, 4, 5, 6, 7])
    assert brief('{"redirects": [') == ([], [1])
    assert brief('{"redirects": {}}') == ([], [])


def test_an_older_csv_has_the_status_in_the_type():
    assert brief("source,target,regex,type\n/a,/b,0,302\n") == ([("/a", "/b", 302)], [])


@pytest.mark.parametrize("start", ["\n", "# from the old host\n", " \n#x,y\n\n"])
def test_a_csv_can_begin_with_blank_lines_and_comments(start):
    rows, number = "source,target\n/old,/new\n/b,\n", start.count("\n") + 3
    assert brief(start + rows) == ([("/old", "/new", 301)], [number])
    with pytest.raises(Invalid, match=rf"Line {number} has"):
        brief(f"{start}source,target\n/old,/new\n/{'x' * 140_000},/y\n")


def test_a_file_without_redirects():
    assert brief("") == ([], [])


@pytest.fixture
def runner(app):
    """Runs commands."""
    return app.test_cli_runner()


@pytest.fixture
def run(runner, tmp_path):
    """Writes a file and runs `redirect import` with it."""

    def run_import(text, *options):
        path = tmp_path / "_redirects"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return runner.invoke(args=["redirect", "import", str(path), *options])

    return run_import


def test_the_command_stores_a_file_and_replaces_redirects(as_admin, runner, run):
    assert "3 redirects, 6 skipped; nothing was stored" in run(NETLIFY, "--dry-run").output
    assert as_admin.get(OWN).json == []
    result = run(NETLIFY)
    assert result.exit_code == 0 and "3 new, 0 changed, 6 skipped" in result.output
    assert "_redirects:5: skipped, it has a pattern" in result.output
    assert (
        "1 new, 1 changed"
        in run("/old /other/ 302\n/away https://other.example/x?y=z 302\n/more /x\n").output
    )
    assert [(row["path"], row["target"]) for row in as_admin.get(OWN).json] == [
        ("/away", "https://other.example/x?y=z"),
        ("/gone", ""),
        ("/more", "/x"),
        ("/old/", "/other/"),
    ]
    assert "302  /old/  /other/" in runner.invoke(args=["redirect", "list"]).output
    assert '"path": "/gone"' in runner.invoke(args=["redirect", "list", "--json"]).output


def test_the_command_stores_nothing_of_a_file_with_a_loop(as_admin, run):
    result = run("/a /b\n/b /c\n/c /a\n/d /e\n")
    assert result.exit_code == 1 and "loop" in result.output
    assert as_admin.get(OWN).json == []


def test_the_order_of_a_file_does_not_make_a_loop(as_admin, run):
    run("/a /b\n")
    assert run("/b /a\n/a /c\n").exit_code == 0
    assert {row["path"]: row["target"] for row in as_admin.get(OWN).json} == {"/a": "/c", "/b": "/a"}


@pytest.mark.parametrize("row", [f"/{'x' * 140_000},/y", '/a,"' + "\n/b,/c" * 30_000])
def test_the_command_refuses_a_csv_file_with_a_giant_field(as_admin, run, row):
    result = run(f"source,target\n/old,/new\n{row}\n/last,/new\n")
    assert result.exit_code == 1
    assert "_redirects: Line 3 has a field that is too long" in result.output
    assert as_admin.get(OWN).json == []


def test_the_command_refuses_a_file_that_is_not_utf_8(run):
    assert run(b"/\xff /a").exit_code == 1
