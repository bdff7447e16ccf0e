"""What a generator does not build becomes a draft; what it builds is public, as in its starter."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from fnmatch import fnmatchcase

import pytest

from blogapi.importing.format_api.privacy_signs import (
    ELEVENTY_IGNORE_FILES,
    EXCLUSION_SETTINGS,
    GENERATOR_NAMES,
    HIDING_SETTINGS,
    UNBUILT_NAMES,
)
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import SITE_FILES, walk_path
from blogapi.importing.formats.markdown import reader
from blogapi.importing.refusals import NotAnArticle

#: Hexo's file has the name of Jekyll's.
SITE_FILES_OF = {**SITE_FILES, "hexo": SITE_FILES["jekyll"]}
NOW = datetime(2026, 1, 1, tzinfo=UTC)
POST = "---\ntitle: Hello\ndate: 2020-01-02\n---\nText"
PUBLISHED = "---\ntitle: Hello\ndate: 2020-01-02\npublish: true\npublished: true\ndraft: false\n---\nText"
JEKYLL, HUGO = {"_config.yml": "title: A\n"}, {"hugo.toml": "title = 'A'\n"}
HEXO = {"_config.yml": "new_post_name: :title.md\ninclude:\nexclude:\nignore:\nskip_render:\n"}
ELEVENTY = {"eleventy.config.js": "export default function (eleventyConfig) {}\n"}
ASTRO = {"astro.config.mjs": "export default {}\n"}
ZOLA = {"config.toml": "base_url = 'https://a.example'\n"}
PELICAN = {"pelicanconf.py": "SITENAME = 'A'\nPATH = 'content'\n"}
MKDOCS = {"mkdocs.yml": "site_name: A\nplugins: [blog]\n"}
DOCUSAURUS = {"docusaurus.config.js": "module.exports = {}\n"}
NUXT = {"nuxt.config.ts": "export default defineNuxtConfig({})\n"}
QUARTZ = {"quartz.config.ts": 'x = {ignorePatterns: ["private", "templates", ".obsidian"]}\n'}
LUME = {"_config.ts": 'const site = lume();\nsite.ignore("README.md", "hold");\n'}
VUEPRESS = {".vuepress/config.js": "module.exports = {}\n"}


@pytest.fixture
def read(tmp_path):
    """Writes the files of a site and returns the records of its articles by their paths in the site."""

    def read(files, inner="site"):
        for name, text in files.items():
            path = tmp_path / "site" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        records = {}
        for entry in walk_path(tmp_path / inner):
            try:
                record = reader.read_article(entry, ImportOptions(now=NOW))
            except NotAnArticle:
                continue
            records[entry.path.relative_to(tmp_path / "site").as_posix()] = record
        return records

    return read


#: The file, the other files of the site, and a part of the note.
HIDDEN = [
    # Jekyll
    ("_posts/no-date.md", JEKYLL, "Jekyll does not build names like “no-date.md”"),
    ("news/_posts/no-date.md", JEKYLL, "Jekyll does not build names like “no-date.md”"),
    ("_posts/1-2-3-short.md", JEKYLL, "Jekyll does not build names like"),
    ("_posts/2020-13-45-x.md", JEKYLL, "Jekyll does not build names like “2020-13-45-x.md”"),
    (
        "notes/a.md",
        {"_config.yml": "defaults:\n- scope: {path: notes}\n  values:\n    draft: true\n"},
        "“_config.yml” sets `draft`",
    ),
    (
        "_posts/2020-01-01-a.md",
        {
            "_config.yml": "defaults:\n- {scope: {path: _posts}, values: {published: false}}\n"
            "- {scope: {path: '', type: posts}, values: {published: true}}\n"
        },
        "“_config.yml” sets `published`",
    ),
    (
        "a/b/_posts/2020-01-01-a.md",
        {
            "_config.yml": "source: a/b\n"
            "defaults: [{scope: {path: _posts, type: posts}, values: {published: false}}]\n"
        },
        "“_config.yml” sets `published`",
    ),
    (
        "_src/notes/a.md",
        {"_config.yml": "source: _src\ndefaults: [{scope: {type: pages}, values: {published: false}}]\n"},
        "“_config.yml” sets `published`",
    ),
    (
        "notes/a.md",
        {"_config.yml": "defaults:\n- scope: {path: notes}\n  values:\n    published: false\ntitle: [\n"},
        "sets `published`",
    ),
    ("_posts/#2020-01-01-a.md", JEKYLL, "Jekyll does not build names like “#2020-01-01-a.md”"),
    ("_posts/~2020-01-01-a.md", JEKYLL, "Jekyll does not build names like “~2020-01-01-a.md”"),
    ("_posts/_ideas/2020-01-01-a.md", JEKYLL, "Jekyll does not build names like “_ideas”"),
    ("_posts/2020-01-01-.md/x.md", JEKYLL, "without a date"),
    ("_posts/old~/2020-01-01-a.md", JEKYLL, "Jekyll does not build names like “old~”"),
    ("_recipes/a.md", JEKYLL, "Jekyll does not build names like “_recipes”"),
    ("_recipes/a.md", {"_config.yml": "include: ['_pages/*', '**/x']\n"}, "names like “_recipes”"),
    ("_recipes/a.md", {"_config.yml": "collections: [recipes]\n"}, "names like “_recipes”"),
    ("_recipes/a.md", {"_config.yml": "collections: {recipes: {output: false}}\n"}, "like “_recipes”"),
    ("_posts/2020-01-01-a.md", {"_config.yml": "exclude: [_posts/2020-*]\n"}, "excludes it by `exclude`"),
    ("notes/x/a.md", {"_config.yml": "exclude: [/notes]\n"}, "“_config.yml” excludes it by `exclude`"),
    ("notes/x/a.md", {"_config.yml": "exclude: ['**/x']\n"}, "“_config.yml” excludes it by `exclude`"),
    ("notes-2/a.md", {"_config.yml": "exclude: notes\n"}, "“_config.yml” excludes it by `exclude`"),
    ("web/notes/a.md", {"_config.yml": "source: web\nexclude: [notes/]\n"}, "excludes it by `exclude`"),
    ("notes/a.md", {"_config.yml": "exclude: {a: b}\n"}, "contains `exclude`, which can hide files"),
    ("notes/a.md", {"_config.yml": "exclude:\n - notes\ntitle: [\n"}, "contains `exclude`, which can hide"),
    ("notes/a.md", {"_config.toml": "exclude = ['notes']\n"}, "“_config.toml” excludes it by `exclude`"),
    (
        "_posts/2020-01-01-a.md",
        {"_config.yml": "defaults:\n- {scope: {path: '', type: posts}, values: {published: false}}\n"},
        "“_config.yml” sets `published`",
    ),
    (
        "notes/a.md",
        {"_config.yml": "defaults:\n- {scope: {path: notes}, values: {hidden: true, layout: note}}\n"},
        "“_config.yml” sets `hidden`",
    ),
    ("a/b/wip/x.md", {"_config.yml": "source: a/b\nexclude: [wip]\n"}, "excludes it by `exclude`"),
    # Hexo
    ("source/_posts/_wip/a.md", HEXO, "Hexo does not build names like “_wip”"),
    ("source/_posts/x~/a.md", HEXO, "Hexo does not build names like “x~”"),
    ("source/_posts/x%/a.md", HEXO, "Hexo does not build names like “x%”"),
    ("source/_more/a.md", HEXO, "Hexo does not build names like “_more”"),
    ("source/_posts/a.md", {"_config.yml": "public_dir: public\nexclude:\n - _posts/*.md\n"}, "`exclude`"),
    ("source/b/a.md", {"_config.yml": "public_dir: public\nignore: ['**/b']\n"}, "excludes it by `ignore`"),
    ("source/b/a.md", {"_config.yml": "public_dir: p\nskip_render: b/**/*.md\n"}, "by `skip_render`"),
    (
        "text/b/c/a.md",
        {"_config.yml": "public_dir: p\nsource_dir: text/b\nexclude: [c/*.md]\n"},
        "by `exclude`",
    ),
    # Hugo
    ("content/posts/#a.md", HUGO, "Hugo does not build names like “#a.md”"),
    ("content/old~/a.md", HUGO, "Hugo does not build names like “old~”"),
    ("content/posts/a.Rmd", {"config.yaml": "ignoreFiles: ['\\.Rmd$', '_cache$']\n"}, "by `ignoreFiles`"),
    ("content/b/a.md", {"config/_default/hugo.toml": "ignorefiles = ['/b/']\n"}, "by `ignoreFiles`"),
    ("content/b/a.md", {"hugo.toml": "ignoreFiles = ['(a*)*b']\n"}, "contains `ignoreFiles`, which can hide"),
    ("content/b/a.md", {"hugo.toml": "ignoreFiles = ['(']\n"}, "contains `ignoreFiles`, which can hide"),
    *(
        ("content/a.md", {name: text}, "sets `draft`")
        for name, text in (
            ("hugo.toml", "title = 'A'\n[cascade]\n  draft = true\n"),
            ("hugo.toml", "[[cascade]]\nlist = 'x'\ndraft = true\n"),
            ("hugo.yaml", "cascade:\n- _target: {path: /a/}\n  draft: true\n"),
            ("hugo.json", '{"cascade": {"draft": true}}'),
        )
    ),
    (
        "content/a.md",
        {"hugo.toml": "[[module.mounts]]\nsource = 'content'\nexcludeFiles = 'a*'\n"},
        "“hugo.toml” contains `excludeFiles`, which can hide files",
    ),
    # Zola
    (
        "content/b/a.md",
        {"zola.toml": "base_url = 'x'\nignored_content = ['*.{txt,md}']\n"},
        "ignored_content",
    ),
    ("content/x/b/a.md", {"zola.toml": "base_url = 'x'\nignored_content = ['**/b']\n"}, "ignored_content"),
    # Eleventy
    ("posts/a.md", ELEVENTY | {".eleventyignore": "# no\nposts/a.md\n"}, "“.eleventyignore” excludes it"),
    ("posts/a.md", ELEVENTY | {".gitignore": "/posts\n"}, "“.gitignore” excludes it"),
    ("src/posts/a.md", ELEVENTY | {"src/.eleventyignore": "posts/*.md\n"}, "“.eleventyignore” excludes it"),
    ("posts/a.md", ELEVENTY | {"posts/posts.json": '{"draft": true}'}, "“posts.json” sets `draft`"),
    (
        "posts/x/a.md",
        ELEVENTY | {"posts/posts.json": '{"permalink": false}'},
        "“posts.json” sets `permalink`",
    ),
    (
        "posts/a.md",
        ELEVENTY | {"posts/a.json": '{"permalink": {"build": false}}'},
        "“a.json” sets `permalink`",
    ),
    (
        "posts/a.md",
        ELEVENTY | {"posts/posts.11tydata.json": '{"eleventyExcludeFromCollections": true}'},
        "“posts.11tydata.json” sets `eleventyExcludeFromCollections`",
    ),
    ("posts/a.md", ELEVENTY | {"posts/posts.data.yaml": "draft: true\n"}, "“posts.data.yaml” sets `draft`"),
    (
        "posts/a.md",
        ELEVENTY | {"posts/posts.json": '{"eleventyComputed": {"draft": "{{ x }}"}}'},
        "“posts.json” sets `draft`",
    ),
    ("posts/a.md", ELEVENTY | {"posts/posts.json": '{"draft": true,'}, "“posts.json” sets `draft`"),
    (
        "posts/x/a.md",
        ELEVENTY | {"posts/posts.11tydata.js": "module.exports = {draft: true}"},
        "“posts.11tydata.js” sets `draft`",
    ),
    (
        "posts/a.md",
        ELEVENTY | {"posts/posts.11tydata.cjs": "exports.permalink = (data) => data.wip ? false : '/a/'"},
        "“posts.11tydata.cjs” sets `permalink`",
    ),
    (
        "posts/a.md",
        ELEVENTY | {"posts/a.data.js": "export default {eleventyExcludeFromCollections: true}"},
        "“a.data.js” sets `eleventyExcludeFromCollections`",
    ),
    ("posts/a.md", {".eleventy.js": "c.ignores.add('b');\nc.ignores.add(\"posts\");"}, "by `ignores.add`"),
    ("posts/a.md", {".eleventy.js": "c.ignores.add(path)"}, "“.eleventy.js” contains `ignores.add`"),
    # Astro
    ("src/content/blog/_wip/a.md", ASTRO, "Astro does not build names like “_wip”"),
    ("src/pages/_wip/b/a.md", ASTRO, "Astro does not build names like “_wip”"),
    *(
        (
            "src/content/blog/a.md",
            ASTRO | {name: f"glob({{pattern: {pattern}, base: 'x'}})"},
            f"“{name}” contains",
        )
        for name in ("src/content.config.ts", "src/content/config.ts")
        for pattern in ("['**/*.md', '!**/a.md']", "[\n  `**/*.md`,\n  `!b/*`,\n]", '"!(a).md"')
    ),
    # Pelican
    ("content/a.md", {"pelicanconf.py": "DEFAULT_METADATA = {'status': 'draft'}\n"}, "sets `status`"),
    ("content/b/a.md", {"pelicanconf.py": "ARTICLE_EXCLUDES = ['b']\n"}, "by `ARTICLE_EXCLUDES`"),
    # Pelican also takes the folder from the command line.
    ("text/x/b/a.md", {"pelicanconf.py": "ARTICLE_EXCLUDES = ['x/b']\n"}, "by `ARTICLE_EXCLUDES`"),
    ("text/b/a.md", {"pelicanconf.py": "PATH = 'text'\nPAGE_EXCLUDES = ('b',)\n"}, "by `PAGE_EXCLUDES`"),
    ("content/b/a.md", {"pelicanconf.py": "IGNORE_FILES = ['a.*']\n"}, "by `IGNORE_FILES`"),
    ("content/b/a.md", {"pelicanconf.py": "A = 1\nIGNORE_FILES = B + ['a']\n"}, "contains `IGNORE_FILES`"),
    # Docusaurus
    ("blog/_wip/a.md", DOCUSAURUS, "Docusaurus does not build names like “_wip”"),
    ("blog/__tests__/a.md", DOCUSAURUS, "Docusaurus does not build names like “__tests__”"),
    ("blog/b/a.md", {"docusaurus.config.ts": "x = {exclude: ['**/b/**']}"}, "excludes it by `exclude`"),
    ("blog/b/a.md", {"docusaurus.config.ts": "x = {exclude: ['b/**']}"}, "excludes it by `exclude`"),
    ("web/news/b/a.md", {"docusaurus.config.ts": "x = {exclude: ['b/**']}"}, "excludes it by `exclude`"),
    # VuePress, VitePress
    ("web/posts/a.md", {".vitepress/config.mts": "x = {srcExclude: ['posts/*']}"}, "by `srcExclude`"),
    (
        "posts/a.md",
        {".vitepress/config.mts": "x = {srcExclude: ['**/posts/*']}"},
        "excludes it by `srcExclude`",
    ),
    ("posts/a.md", {".vitepress/config/en.ts": "x = {srcExclude: b}"}, "contains `srcExclude`"),
    ("posts/a.md", {".vuepress/config.ts": "x = {pagePatterns: ['*.md']}"}, "contains `pagePatterns`"),
    (
        "demo/secret.md",
        {".vuepress/theme.ts": "x = {encrypt: {config: {'/demo/secret.html': {password: '1'}}}}"},
        "excludes it by `encrypt`",
    ),
    ("a.md", {".vuepress/theme.ts": "x = {encrypt: {config: {'/': '1'}}}"}, "excludes it by `encrypt`"),
    ("a.md", {".vuepress/theme.ts": "x = {encrypt: options}"}, "contains `encrypt`, which can hide files"),
    # Nuxt Content
    ("content/a.draft.md", NUXT, "Nuxt Content does not build names like “a.draft.md”"),
    ("content/x.draft/a.md", NUXT, "Nuxt Content does not build names like “x.draft”"),
    ("content/blog/_wip/a.md", NUXT, "Nuxt Content does not build names like “_wip”"),
    ("content/b/a.md", {"nuxt.config.ts": "x = {content: {ignores: ['b']}}"}, "excludes it by `ignores`"),
    ("content/c/a.md", {"nuxt.config.ts": "x = {content: {ignores: ['/c']}}"}, "excludes it by `ignores`"),
    # Lume
    ("posts/_c/a.md", LUME, "Lume does not build names like “_c”"),
    ("hold/a.md", LUME, "excludes it by `site.ignore`"),
    # MkDocs
    ("a/b/c/d.md", {"mkdocs.yml": "docs_dir: a/b\nexclude_docs: /c/\n"}, "by `exclude_docs`"),
    ("docs/b/a.md", {"mkdocs.yml": "exclude_docs: |\n  *.md\n  !c.md\n"}, "by `exclude_docs`"),
    ("docs/b/a.md", {"mkdocs.yml": "x: !!python/name:a.b\ndraft_docs: |\n  /b/\n"}, "by `draft_docs`"),
    # Quartz
    ("content/secret/a.md", {"quartz.config.ts": "x = {ignorePatterns: ['secret']}"}, "by `ignorePatterns`"),
    ("content/a.md", {"quartz.config.ts": "x = [Plugin.ExplicitPublish()]"}, "sets `publish`"),
    # Metalsmith, Dendron
    (
        "src/a.md",
        {"metalsmith.json": '{"plugins": {"@metalsmith/drafts": {"default": true}}}'},
        "sets `draft`",
    ),
    ("src/a.md", {"metalsmith.mjs": "x.use(drafts({ default: true }))"}, "sets `draft`"),
    ("vault/a.md", {"dendron.yml": "vaults:\n- fsPath: vault\n  visibility: private\n"}, "sets `visibility`"),
    ("vault/a.md", {"dendron.yml": "publishing:\n  publishByDefault: false\n"}, "sets `published`"),
    ("vault/a.md", {"dendron.yml": "publishing:\n  siteHierarchies:\n    - blog\n"}, "sets `published`"),
]


@pytest.mark.parametrize(("name", "site", "note"), HIDDEN)
def test_a_file_that_is_not_built_becomes_a_draft_with_a_note(read, name, site, note):
    record = read({name: POST, **site})[name]
    assert record.status == "draft"
    assert [text for text in record.notes if note in text and text.endswith("the article became a draft.")]


#: What is public: files, of which none becomes a draft. They repeat the starters in the documentation of
#: the generators, and the names and words of the rules in their other uses.
PUBLIC = [
    # `jekyll new`, and the collections of the documentation
    JEKYLL
    | {"_posts/2020-01-01-welcome-to-jekyll.markdown": POST, "about.markdown": POST, "index.markdown": POST}
    | {"_config.yml": "title: A\ntheme: minima\n# exclude:\n#   - about.markdown\n"},
    {"_config.yml": "collections: {recipes: {output: true}}\n", "_recipes/a.md": POST},
    {"_config.yml": "include: [_pages]\nexclude: [vendor, README.md]\n", "_pages/a.md": POST},
    JEKYLL | {"_posts/cats/20-1-2-a.md": POST, "news/_posts/2020-01-02-a.md": POST, "no-date.md": POST},
    {"_config.yml": "exclude:\ncollections:\ninclude:\n", "_posts/2020-01-02-a.md": POST},
    {
        "_config.yml": "defaults:\n- {scope: {path: '', type: posts}, values: {layout: post}}\n"
        "- {scope: {path: drafts}, values: {published: false}}\n- {scope: {type: pages}, values: {draft: 1}}",
        "_posts/2020-01-02-a.md": POST,
    },
    {
        "_config.yml": "defaults:\n- scope: {path: other}\n  values: {published: false, draft: true}\n",
        "notes/a.md": POST,
        "notes/other/a.md": POST,
    },
    {
        "_config.yml": "source: a/b\nexclude: [wip]\n"
        "defaults: [{scope: {path: a}, values: {published: false}}]\n",
        "a/b/_posts/2020-01-01-wip.md": POST,
        "a/b/news/wip/a.md": POST,
    },
    {"_config.yml": "exclude: [wip]\n", "news/wip/a.md": POST},
    {"_config.yml": "defaults: [{values: {published: false}}]\n", "a.md": PUBLISHED},
    {"_config.yml": "defaults: [a, {scope: b}, {values: c}]\n", "a.md": POST},
    # `hexo init`
    HEXO
    | {
        "source/_posts/hello-world.md": POST,
        "source/about/index.md": POST,
        "source/_posts/a-#1-100%-~x.md": POST,
    },
    # `hugo new site`, blogdown
    HUGO | {"content/posts/my-first-post.md": POST, "content/about.md": POST, "content/posts/c-#.md": POST},
    {
        "hugo.toml": "buildDrafts = false\n[cascade]\ntype = 'x'\n[params]\ndraft = true\n",
        "content/a.md": POST,
    },
    {"hugo.toml": "title = 'A'\n# excludeFiles = 'a'\n[module]\n", "content/a.md": POST},
    {"hugo.yaml": "ignoreFiles: ['\\.Rmd$']\n", "content/post/a/index.md": POST, "content/_x/b.md": POST},
    # eleventy-base-blog
    ELEVENTY
    | {
        "content/blog/a.md": POST,
        "content/blog/blog.11tydata.js": 'export default {tags: ["posts"], layout: "layouts/post.njk"};\n',
        "eleventy.config.js": 'c.addPreprocessor("drafts", "*", (data) => !data.draft);\n',
        ".gitignore": "_site/\nnode_modules/\n.env\n",
        ".eleventyignore": "README.md\n!content/blog\n",
    },
    ELEVENTY
    | {"posts/a.md": POST, "posts/posts.json": '{"layout": "post", "permalink": "/{{ page.fileSlug }}/"}'},
    ELEVENTY
    | {
        "posts/a.md": POST,
        "posts/posts.11tydata.js": "// draft: true\nmodule.exports = {draft: false, permalink: '/a/'};\n",
        "posts/b.11tydata.js": "module.exports = {draft: true};\n",
        "notes.json": '{"draft": true}',
    },
    ELEVENTY | {"posts/a.md": PUBLISHED, "posts/posts.json": '{"draft": true}'},
    {
        ".eleventy.js": "c.setUseGitIgnore(false);\nc.ignores.add('README.md')",
        ".gitignore": "b\n",
        "b/a.md": POST,
    },
    # `npm create astro -- --template blog`
    ASTRO
    | {"src/content.config.ts": "pattern: '**/*.md', x: [a], y: '!b'\n// pattern: '!c'\n", "a.md": POST},
    ASTRO
    | {
        "src/content/blog/first-post.md": POST,
        "src/content.config.ts": "glob({ base: './src/content/blog', pattern: '**/*.{md,mdx}' })",
        "_notes/a.md": POST,
    },
    # `zola init`
    ZOLA | {"content/blog/first.md": POST, "content/about.md": POST},
    {
        "zola.toml": "base_url = 'x'\nignored_content = ['*.{graphml,xlsx}', 'temp.*']\n",
        "content/a.md": POST,
    },
    # `pelican-quickstart`
    PELICAN | {"content/keyboard-review.md": POST, "content/_b/a.md": POST},
    {
        "pelicanconf.py": "ARTICLE_EXCLUDES = ['b']\nPAGE_EXCLUDES = []\nIGNORE_FILES = ['.#*']\n",
        "content/a.md": POST,
    },
    {
        "pelicanconf.py": "DEFAULT_METADATA = {'status': 'draft'}\n",
        "a.md": POST.replace("date", "status: published\ndate"),
    },
    # `nikola init`
    {
        "conf.py": "POSTS = (('posts/*.md', 'posts', 'post.tmpl'),)\n",
        "posts/a.md": POST,
        "posts/_b/a.md": POST,
    },
    # `npm init docusaurus`
    DOCUSAURUS
    | {
        "blog/2019-05-28-first-blog-post.md": POST,
        "blog/2021-08-26-welcome/index.md": POST,
        "docs/intro.md": POST,
        "docusaurus.config.js": "module.exports = {presets: [['classic', {blog: {showReadingTime: true}}]]}",
    },
    {"docusaurus.config.js": "x = {exclude: []}", "blog/a.md": POST},
    # VuePress, VitePress, vuepress-theme-hope
    VUEPRESS | {"posts/a.md": POST, "_posts/no-date.md": POST},
    {".vitepress/config.mts": "export default {\n  // srcExclude: ['x'],\n}", "posts/a.md": POST},
    {".vuepress/config.ts": "export default {\n  // pagePatterns: ['x'],\n}", "posts/a.md": POST},
    {
        ".vuepress/theme.ts": "x = {encrypt: {config: {'/demo/encrypt.html': '1'}}, x: {'/posts/': []}}",
        "posts/a.md": POST,
    },
    # Nuxt Content
    NUXT
    | {
        "content/blog/a.md": POST,
        "content/my.drafting.md": POST,
        "blog/a.draft.md": POST,
        "content/1.blog/2.a.md": POST,
    },
    {"nuxt.config.ts": "export default {content: {ignores: ['b.md', '/c']}}", "content/a.md": POST},
    # Material for MkDocs
    MKDOCS | {"docs/blog/posts/hello-world.md": POST, "docs/about.md": POST},
    {
        "mkdocs.yml": "exclude_docs: |\n  /b/\n  *.py\ndraft_docs: drafts/\n",
        "docs/a/b/c.md": POST,
        "docs/_x/d.md": POST,
    },
    # Lume
    LUME | {"posts/a.md": POST, "posts/my_holder.md": POST},
    # Quartz
    QUARTZ | {"content/a.md": POST, "content/b/c.md": POST},
    {"quartz.config.ts": "// Plugin.ExplicitPublish()\nx = [Plugin.RemoveDrafts()]", "content/a.md": POST},
    {"quartz.config.ts": "x = [Plugin.ExplicitPublish()]", "content/a.md": PUBLISHED},
    # Metalsmith, Dendron
    {"metalsmith.js": "x.use(drafts())", "src/a.md": POST},
    {"metalsmith.js": "x.use(drafts({default: true}))", "src/a.md": PUBLISHED},
    {
        "dendron.yml": "vaults:\n- visibility: public\npublishing:\n  siteHierarchies: [root]\n"
        "  hierarchy:\n    root:\n      publishByDefault: true\n",
        "vault/blog.one.md": POST,
    },
    # Generators without such rules, and folders without one
    {"gatsby-config.js": "module.exports = {plugins: []}", "content/blog/_b/a.md": POST},
    {"next.config.js": "module.exports = {exclude: ['a']}", "posts/_b/a.md": POST, "posts/#a.md": POST},
    {"_posts/no-date.md": POST, "_posts/_ideas/2020-01-01-a.md": POST, "content/#a.md": POST},
    # The folder with the configuration of another generator is nearer.
    JEKYLL | {"docs/mkdocs.yml": "site_name: A\n", "docs/docs/_b/a.md": POST},
]


@pytest.mark.parametrize("files", PUBLIC, ids=lambda files: next(iter(files)))
def test_what_a_generator_builds_is_public(read, files):
    expected = {name for name, text in files.items() if text.startswith("---")}
    assert {name: record.status for name, record in read(files).items()} == dict.fromkeys(
        expected, "published"
    )


@pytest.mark.parametrize("inner", ["site", "site/src", "site/src/content/blog", "site/src/content/blog/_wip"])
def test_the_imported_folder_may_be_any_folder_of_the_site(read, inner):
    records = read(ASTRO | {"src/content/blog/_wip/a.md": POST}, inner)
    assert {record.status for record in records.values()} == {"draft"}


@pytest.mark.parametrize(
    ("generator", "name"),
    [(generator, name) for generator, names in EXCLUSION_SETTINGS.items() for name in names],
)
def test_each_setting_has_examples_that_hide_a_file_and_that_do_not(generator, name):
    for sites in ([site for _, site, _ in HIDDEN], PUBLIC):
        own = [site for site in sites if any(re.match(SITE_FILES_OF[generator], file) for file in site)]
        assert any(name.casefold() in str(site).casefold() for site in own)


@pytest.mark.parametrize("generator", UNBUILT_NAMES)
def test_each_name_has_examples_that_hide_a_file_and_that_do_not(generator):
    source = GENERATOR_NAMES.get(generator, generator.capitalize())
    hidden = [name for name, _, note in HIDDEN if note.startswith(f"{source} does not build")]
    public = [name for site in PUBLIC for name in site if name not in SITE_FILES_OF]
    for pattern in UNBUILT_NAMES[generator]:
        assert any(fnmatchcase(part, pattern) for name in hidden for part in name.split("/"))
        # The same characters elsewhere in a name, or the same name elsewhere.
        assert any(pattern.strip("*") in name for name in public)


@pytest.mark.parametrize(
    ("generator", "name"),
    [(generator, name) for generator, texts in HIDING_SETTINGS.items() for name in texts],
)
def test_each_text_has_examples_that_hide_a_file_and_that_do_not(generator, name):
    pattern, field = HIDING_SETTINGS[generator][name]
    hiding = [site for _, site, note in HIDDEN if note == f"sets `{field}`"]
    assert any(re.search(pattern, text) for site in hiding for text in site.values())
    word = re.split(r"\W", name)[0]
    own = [site for site in PUBLIC if any(re.match(SITE_FILES_OF[generator], file) for file in site)]
    assert any(word in text for site in own for text in site.values())


@pytest.mark.parametrize("name", ELEVENTY_IGNORE_FILES)
def test_the_files_of_patterns_have_an_example(name):
    assert any(name in site for _, site, _ in HIDDEN) and any(name in site for site in PUBLIC)


#: Sites with files outside of the folder that is built: the file, the guess, and the other files.
OUTSIDE = [
    ("docs/a.md", "folder:docs", QUARTZ | {"content/b.md": POST}),
    ("notes/x/a.md", "folder:notes", ZOLA | {"content/b.md": POST}),
    ("a.md", "folder:.", HUGO | {"content/b.md": POST}),
    ("content/a.md", "folder:content", {"hugo.toml": "contentDir = 'text'\n", "text/b.md": POST}),
    ("notes/a.md", "folder:notes", MKDOCS | {"docs/b.md": POST}),
    ("notes/a.md", "folder:notes", PELICAN | {"content/b.md": POST}),
    ("notes/a.md", "folder:notes", HEXO | {"source/_posts/b.md": POST}),
    ("hold.md", "unlisted:SUMMARY.md", {"book.json": "{}", "SUMMARY.md": "* [B](b.md#x)\n", "b.md": POST}),
    (
        "src/hold.md",
        "unlisted:SUMMARY.md",
        {"book.toml": "[book]\n", "src/SUMMARY.md": "- [B](./b.md)\n", "src/b.md": POST},
    ),
]


@pytest.mark.parametrize(("path", "name", "files"), OUTSIDE)
def test_a_file_that_is_surely_not_built_has_a_guess(read, path, name, files):
    records = read({**files, path: POST})
    guesses = {place: [guess.name for guess in record.guesses] for place, record in records.items()}
    built = next(place for place in files if place.endswith("b.md"))
    assert (guesses[path], guesses[built]) == ([name], [])
    assert records[path].guesses[0].note.endswith("; the article became a draft.")


@pytest.mark.parametrize(
    "files",
    [
        QUARTZ | {"docs/a.md": POST},
        HUGO | {"hugo.toml": "[[module.mounts]]\n", "content/b.md": POST, "docs/a.md": POST},
        PELICAN | {"pelicanconf.py": "SITENAME = 'A'\n", "content/b.md": POST, "docs/a.md": POST},
        JEKYLL | {"_posts/2020-01-01-b.md": POST, "docs/a.md": POST},
        {"book.json": "{}", "SUMMARY.md": "* [B](c.md)\n", "docs/a.md": POST},
        {"SUMMARY.md": "* [B](b.md)\n", "b.md": POST, "docs/a.md": POST},
    ],
)
def test_the_rule_counts_only_where_the_folder_is_known(read, files):
    assert read(files)["docs/a.md"].guesses == ()


def test_a_folder_that_was_named_counts_as_built(read):
    records = read(QUARTZ | {"content/b.md": POST, "docs/a.md": POST}, "site/docs")
    assert [record.guesses for record in records.values()] == [()]


@pytest.mark.parametrize(("path", "is_hidden"), [("content/hold/a.md", True), ("content/a.md", False)])
def test_a_cascade_of_the_configuration_counts_for_its_paths(read, path, is_hidden):
    cascade = "[[cascade]]\n[cascade._target]\npath = '/hold/**'\n[cascade.build]\nrender = 'never'\n"
    assert (read({"hugo.toml": cascade, path: POST})[path].status == "draft") == is_hidden


SHOWS_DRAFTS = [
    ("content/a.md", "buildDrafts", {"hugo.toml": "buildDrafts = true\n"}),
    ("source/_drafts/a.md", "render_drafts", {"_config.yml": "render_drafts: true\nskip_render:\n"}),
    ("_drafts/a.md", "show_drafts", {"_config.yml": "show_drafts: true\n"}),
]


@pytest.mark.parametrize("is_on", [True, False])
@pytest.mark.parametrize(("path", "setting", "files"), SHOWS_DRAFTS)
def test_a_configuration_that_shows_drafts_is_a_guess(read, path, setting, files, is_on):
    text = POST.replace("date:", "draft: true\ndate:") if setting == "buildDrafts" else POST
    files = {name: content if is_on else content.replace("true", "false") for name, content in files.items()}
    record = read({**files, path: text})[path]
    if is_on:
        assert [(guess.name, guess.is_new) for guess in record.guesses] == [(f"config:{setting}", False)]
        assert record.status == "published"
    else:
        assert (record.status, record.guesses) == ("draft", ())


def test_zola_builds_names_with_underscores(read):
    assert read(ZOLA | {"content/_a.md": POST})["content/_a.md"].status == "published"


def test_an_index_page_of_pelican_has_no_effect_on_others(read):
    hidden = POST.replace("date", "status: hidden\ndate")
    records = read(PELICAN | {"content/x/index.md": hidden, "content/x/a.md": POST})
    assert records["content/x/a.md"].status == "published"
