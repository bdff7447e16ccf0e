"""Template tags of site generators become Markdown or HTML."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from blogapi.importing.templates.template_tags import resolve_templates
from blogapi.rendering.renderer import render_text
from tests.importing.templates.link_targets import Targets

YOUTUBE = (
    '<iframe src="https://www.youtube-nocookie.com/embed/abcdefgh" title="YouTube video" '
    "allowfullscreen></iframe>"
)

PLAYER = YOUTUBE.replace("YouTube video", "A title")


def resolve(content, content_type="markdown"):
    return resolve_templates(content, content_type, Targets())


def check(written, expected, content_type="markdown"):
    resolved = resolve(written, content_type)
    assert (resolved.content, dict(resolved.unresolved)) == (expected, {})


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("[a]({% post_url 2020-01-01-a %})", "[a](/new/2020-01-01-a)"),
        ("[a]({% post_url sub/2020-01-01-a %}#b)", "[a](/new/2020-01-01-a#b)"),
        ("[a]: {{ site.baseurl }}{% link _posts/2020-01-01-a.md %}", "[a]: /new/2020-01-01-a"),
        ("[a]({{ site.baseurl }}{%- link assets/a.pdf -%})", "[a](/assets/a.pdf)"),
        ('[a]({{< ref "posts/a.md#b" >}})', "[a](/new/a#b)"),
        ('[a]({{% relref path="a.md" lang="en" %}}) {{< ref "#b" >}}', "[a](/new/a) #b"),
        ('{{ get_url(path="@/blog/a.md") }}', "/new/a"),
        ("[a]({filename}../a.md) [b]({filename}/b.md)", "[a](../a.md) [b](/b.md)"),
        ("![a]({static}/img/a.png) ![b]({attach}b.png)", "![a](/img/a.png) ![b](b.png)"),
        (
            '{% post_link my-post "My *post*" %} {% post_link my-post %}',
            "[My *post*](/new/my-post) [My post](/new/my-post)",
        ),
        ("[a]({% post_path my-post %}) {% asset_link a.pdf A file %}", "[a](/new/my-post) [A file](a.pdf)"),
        ("{% link My site https://example.org true %}", "[My site](https://example.org)"),
    ],
)
def test_links_to_posts_and_files_are_resolved(written, expected):
    check(written, expected)


@pytest.mark.parametrize(
    "written",
    [
        "{% post_url missing %}",
        '{{< ref "missing.md" >}}',
        "{% link _posts/missing.md %}",
        "{% post_link missing %}",
    ],
)
def test_tags_with_an_unknown_post_stay_and_are_counted(written):
    resolved = resolve(written)
    assert resolved.content == written
    assert resolved.unresolved.total() == 1


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("{% include figure.html src='/a b.png' alt=\"A [b]\" %}", r"![A \[b\]](/a%20b.png)"),
        ('{% include figure image_path="{{ site.url }}{{ site.baseurl }}/a.png" %}', "![](/a.png)"),
        ('{% include image.html file="a.png" url="https://b.c" alt="d" %}', "[![d](a.png)](https://b.c)"),
        (
            '{% include lib/image.html url="/a.png" caption="B & `c`" %}',
            '<figure><img src="/a.png" alt=""><figcaption>B &amp; <code>c</code></figcaption></figure>',
        ),
        (
            '{{< figure src="a.png" title="T" link="/b" attr="me" attrlink="https://b.c" >}}',
            '<figure><a href="/b"><img src="a.png" alt=""></a><figcaption>T <a href="https://b.c">me</a></figcaption>'
            "</figure>",
        ),
        (r'{{< figure src="a.png" alt="a \"b\" c" >}}', '![a "b" c](a.png)'),
        (r"{{< figure src='a.png' alt='it\'s' >}}", "![it's](a.png)"),
        ("{{<img src=`a.png` alt=“b” width=300px />}}", '<img src="a.png" alt="b" width="300">'),
        (
            '{% asset_img my-class a.png 300 200 "A [text]" %}',
            r"![A \[text\]](a.png)",
        ),
        ("{% asset_img a.png Words of a title %}", "![Words of a title](a.png)"),
        ('{% img left /a.png 350 "title" "alt" %}', "![title alt](/a.png)"),
        ('{% image "a/b.png", "The text", "100vw" %}', "![The text](a/b.png)"),
        ('{% image_with_class "b.png" "wide" "The text" %}', "![The text](b.png)"),
        ('<center> {{< figure src="a.png" >}}</center>', '<center> <img src="a.png" alt=""></center>'),
        ('{{< video src="a.mp4" >}}', '<video src="a.mp4" controls></video>'),
    ],
)
def test_pictures_become_markdown_or_html(written, expected):
    check(written, expected)


@pytest.mark.parametrize(
    "written", ["{% include figure.html src=page.image %}", "{{< figure >}}", "{% img %}"]
)
def test_a_picture_that_depends_on_variables_stays(written):
    assert resolve(written).content == written


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("{{< youtube abcdefgh >}}", YOUTUBE),
        ('{{< youtube id="abcdefgh" autoplay="true" >}}', YOUTUBE),
        ("{% youtube https://youtu.be/abcdefgh %}", YOUTUBE),
        ('{% include embed/youtube.html id="abcdefgh" %}', YOUTUBE),
        ('{% include video id="abcdefgh" provider="youtube" %}', YOUTUBE),
        ('{{ youtube(id="abcdefgh") }}', YOUTUBE),
        ('{{ "https://youtube.com/embed/abcdefgh" | embed: "A title" }}', PLAYER),
        ("{{% media url=https://www.youtube.com/watch?v=abcdefgh %}}", YOUTUBE),
        (
            "{{< vimeo 123 >}}",
            '<iframe src="https://player.vimeo.com/video/123" title="Vimeo video" allowfullscreen></iframe>',
        ),
        ("{% gist ada/123 a.py %}", "[https://gist.github.com/ada/123](https://gist.github.com/ada/123)"),
        ("{{< gist ada 123 >}}", "[https://gist.github.com/ada/123](https://gist.github.com/ada/123)"),
        ('{{< x user="ada" id="1" >}}', "[https://x.com/ada/status/1](https://x.com/ada/status/1)"),
        ("{{< tweet 1 >}}", "[https://twitter.com/i/status/1](https://twitter.com/i/status/1)"),
        ("{{< instagram Bx >}}", "[https://www.instagram.com/p/Bx/](https://www.instagram.com/p/Bx/)"),
    ],
)
def test_players_and_posts_of_other_sites_are_embedded_or_linked(written, expected):
    check(written, expected)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("{% highlight ruby linenos %}\na\n  b\n{% endhighlight %}\nText", "```ruby\na\n  b\n```\nText"),
        ("{% highlight %}\n```\n{% endhighlight %}", "````\n```\n````"),
        ("- a\n\n  {% highlight sh %}\nls\n  {% endhighlight %}", "- a\n\n  ```sh\n  ls\n  ```"),
        ("Use {% highlight js %}a`b{% endhighlight %}.", "Use \n\n```js\na`b\n```\n."),
        ('{{< highlight go "linenos=table" >}}\n{{</* b */>}}\n{{< /highlight >}}', "```go\n{{< b >}}\n```"),
        (
            "{% codeblock A title lang:js https://a.b Link %}\nb\n{% endcodeblock %}",
            "\n\nA title https://a.b Link\n\n```js\nb\n```",
        ),
        ("{{< mermaid >}}\ngraph\n{{< /mermaid >}}", "```mermaid\ngraph\n```"),
        ("{% highlight py %}\n{% raw %}{{ a }}{% endraw %}\n{% endhighlight %}", "```py\n{{ a }}\n```"),
    ],
)
def test_code_becomes_fenced_code(written, expected):
    check(written, expected)


def test_code_in_html_is_escaped():
    check(
        "{% highlight c %}\na < b\n{% endhighlight %}",
        '<pre><code class="language-c">a &lt; b</code></pre>',
        "html",
    )


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("![a]({{ site.baseurl }}/a.png)", "![a](/a.png)"),
        ("![a]({{ '/a b.png' | relative_url }})", "![a](/a%20b.png)"),
        ('{{ "a" | absolute_url }} {{ "a/" | url }}', "/a a/"),
        ('{{ "/a" | prepend: site.baseurl | prepend: site.url }}', "/a"),
        ('{{ site.baseurl | append: "/a" }}', "/a"),
        ("[a]({{ site.url }}) [b]({{ page.url }}#b)", "[a](/) [b](#b)"),
        ('{{ "{{" }} a {{ "}}" }} {{ "{%" }}', "{{ a }} {%"),
        ("{% raw %}{{ a }}{% endraw %} `{% raw %}{{ b }}{% endraw %}`", "{{ a }} `{{ b }}`"),
        ("```\n{% raw %}\n{{ a }}\n{% endraw %}\n```", "```\n{{ a }}\n```"),
        ("{{</* a */>}} {{%/* b */%}} {%/* c() */%}", "{{< a >}} {{% b %}} {% c() %}"),
        ("a{{/* secret */}}{# secret #}{% # secret %}{{% comment %}}secret{{% /comment %}}b", "ab"),
        ("{{< rawhtml >}}<b>{{ a }}</b>{{< /rawhtml >}}", "<b>{{ a }}</b>"),
        ("* TOC\n{:toc}\n\nText", "\n\nText"),
        ("![a](b){:width='50%'} [a](b){:target=\"_blank\"} ![a](b){.wide}", "![a](b) [a](b) ![a](b)"),
        ("Text\n{: .note}\n", "Text\n\n"),
        ("## A\n{: #b}\n## C {: #d .e}\n## F {:.no_toc}", "## A {#b}\n## C {#d}\n## F "),
        ("{::comment}secret{:/comment}a{::options parse_block_html='true' /}", "a"),
    ],
)
def test_other_tags_are_resolved(written, expected):
    check(written, expected)


@pytest.mark.parametrize(
    ("written", "html"),
    [
        (
            "{{% notice tip %}}\nA *b*\n{{% /notice %}}\nText",
            "<blockquote>\n<p>A <em>b</em></p>\n</blockquote>\n<p>Text</p>",
        ),
        (
            '{{< details "A" >}}\n*b*\n{{< /details >}}',
            "<details><summary>A</summary>\n<p><em>b</em></p>\n</details>",
        ),
        (
            '{% quote(author="A") %}\nb\n{% end %}',
            "<blockquote>\n<p>b</p>\n<footer>— A</footer></blockquote>",
        ),
        (
            "{% blockquote A, B %}\nf\n{% endblockquote %}",
            "<blockquote>\n<p>f</p>\n<footer>— A, B</footer></blockquote>",
        ),
        (
            "{{< youtube abcdefgh >}}\n*Text*",
            YOUTUBE.replace("fullscreen>", 'fullscreen="">') + "\n<p><em>Text</em></p>",
        ),
    ],
)
def test_quotes_notices_and_players_are_blocks(written, html):
    assert render_text(resolve(written).content, "markdown").html.strip() == html


def test_the_text_in_unknown_tags_is_kept_without_the_tags():
    resolved = resolve("{{< tabs >}}{{% column %}}a{{% /column %}}{{< /tabs >}} {% tip2 %}b{% endtip2 %}")
    assert resolved.content == "a b"
    assert resolved.unresolved == {"tabs": 1, "column": 1, "tip2": 1}
    assert resolved.notes == (
        "The text in unknown tags was kept without the tags: “tabs”, “column”, “tip2”.",
    )


def test_statements_variables_and_unknown_tags_stay_and_are_counted_by_name():
    written = (
        "{% if a %}b{% else %}c{% endif %}{% include x.html %}{{ site.title }}{{ 'a' | team }}{{< icon a >}}"
        "{{ f(a=1) }}{% assign b = 1 %}{% for a in b %}c{% endfor %}"
    )
    resolved = resolve(written)
    assert resolved.content == written
    names = ("if", "include x.html", "site.title", "team", "icon", "f", "assign", "for")
    assert resolved.unresolved == dict.fromkeys(names, 1)


@pytest.mark.parametrize(
    "code",
    [
        "`{{ a }} {% post_url b %}`",
        "`` ` {{ site.baseurl }}/ ``",
        "```\n{{< youtube a >}}\n```",
        "> ~~~ md\n> {% gist 1 %}\n> ~~~",
        "Text:\n\n    {% gist 1 %}\n",
        "<pre>{% gist 1 %}</pre>",
        "<code>{{ site.baseurl }}/a</code>",
        "<!-- {% gist 1 %} -->",
        "$$ {{a}}^{:b} $$",
        "1. ```\n   {% gist 1 %}\n   ```",
    ],
)
def test_code_stays_as_it_is(code):
    check(f"{code}\n", f"{code}\n")
    assert resolve(f"{code}\n\n{{% gist 1 %}}").content.endswith("(https://gist.github.com/1)")


def test_indented_tags_in_lists_are_no_code():
    assert resolve("- a\n\n    {% gist 1 %}").content.startswith("- a\n\n    [https://gist")


TAGS = st.sampled_from(
    [
        *(
            "{{<",
            ">}}",
            "{%",
            "%}",
            "{{",
            "}}",
            "{:",
            "{#",
            "#}",
            "{%/*",
            "*/%}",
            "{{</*",
            "*/>}}",
            '"',
            "'",
            "`",
        ),
        *(
            "```\n",
            "\n\n    ",
            "{% raw %}",
            "{% endraw %}",
            "{% highlight x %}",
            "{% endhighlight %}",
            "<pre>",
        ),
        *(
            "{{< figure src=",
            " a.png ",
            "{% quote() %}",
            "{% end %}",
            "{{% a %}}",
            "{{% /a %}}",
            "{filename}",
            "(@/",
        ),
        *("site.baseurl", "| url", "{{ f(", ")", "](", "\n", "- ", "> ", "</pre>", "<!--", "$$", "\\", "\0"),
    ]
)


@settings(max_examples=60)
@given(st.lists(TAGS | st.text(max_size=4), max_size=30).map("".join), st.sampled_from(["markdown", "html"]))
@example("{% raw %}{{</*{{< highlight >}}", "markdown")
def test_any_text_is_resolved_without_an_error(content, content_type):
    assert isinstance(resolve(content, content_type).content, str)


@settings(max_examples=30)
@given(st.text(st.characters(exclude_characters="{|@")))
def test_a_text_without_template_characters_stays_as_it_is(content):
    assert resolve(content).content is content


@pytest.mark.parametrize(
    "repeated", ["{{<", '{{< a "', "{{</*", "{% raw %}", "{# ", "``a`", "<pre>", "{: a", "{% a %}"]
)
def test_a_long_repetition_takes_linear_time(repeated):
    # A search that takes quadratic time would not end within the time limit of the test run.
    assert resolve(repeated * (60_000 // len(repeated))).content


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("{% details See all of it %}\na\n{% enddetails %}", "<summary>See all of it</summary>"),
        ('{{< details "All of it" open >}}\na\n{{< /details >}}', "<summary>All of it</summary>"),
    ],
)
def test_the_title_of_details_is_kept(written, expected):
    assert expected in resolve(written).content


def test_a_list_of_attributes_stays_where_hugo_shows_it_as_text():
    for written in ("Text {.x}", "Text {a=b} text", "returns {:ok, value}", "## A {#b}", "`{: .x}`"):
        resolved = resolve(written)
        assert (resolved.content, resolved.notes) == (written, ())
