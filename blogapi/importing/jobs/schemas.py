"""Query parameters and response bodies of imports."""

from __future__ import annotations

import marshmallow as ma
from marshmallow import validate

from blogapi.accounts.users.schemas import UserReferenceSchema
from blogapi.content.custom_fields.schemas import READERS
from blogapi.importing.format_api.source import DEFINE_NONE, UNREAD_RULE_CHOICES
from blogapi.importing.jobs.queries import JobStatus
from blogapi.importing.models import MAX_PROBLEMS
from blogapi.web.fields import Identifier, InputSchema, OutputSchema, Text, TextBoolean, Timestamp, WebAddress
from blogapi.web.uploads import FileQuery


class ImportQuery(FileQuery):
    """The query parameters of an upload for an import: the name of the file, and the options."""

    author = Text(
        max_length=100,
        load_default="",
        metadata={
            "description": "Owner of the articles, and author of files that name none. Default: the caller.",
            "example": "ada",
        },
    )
    base_url = WebAddress(
        load_default="",
        metadata={
            "description": "Former address of the blog, if the file does not contain it.",
            "example": "https://old.example",
        },
    )
    pages = ma.fields.String(
        validate=validate.OneOf(("keep", "skip")),
        load_default="keep",
        metadata={"description": "Import pages as pages, or skip them."},
    )
    define_fields = ma.fields.String(
        validate=validate.OneOf((DEFINE_NONE, *READERS)),
        load_default=DEFINE_NONE,
        metadata={
            "description": "Who can read the custom fields that the import defines. Only admins may "
            "send a value other than `none`."
        },
    )
    publish_undated = TextBoolean(
        load_default=False,
        metadata={"description": "`true` publishes files that have neither front matter nor a date."},
    )


class ImportStartSchema(InputSchema):
    """The options that the trial asks for."""

    unread_rules = ma.fields.String(
        validate=validate.OneOf(UNREAD_RULE_CHOICES),
        metadata={"description": "`public` if the plugins in `unread_rules` of the import hid nothing."},
    )
    publish_marked = ma.fields.List(
        Text(min_length=1, max_length=200),
        validate=validate.Length(max=500),
        metadata={"description": "Names in `marked` of wrong guesses, whose articles are published."},
    )


class ImportOptionsSchema(OutputSchema):
    """The options of an import."""

    author = ma.fields.String(metadata={"example": "ada"})
    base_url = ma.fields.String()
    pages = ma.fields.String()
    define_fields = ma.fields.String()
    publish_undated = ma.fields.Boolean()
    unread_rules = ma.fields.String()
    publish_marked = ma.fields.List(ma.fields.String())


class ImportMarkSchema(OutputSchema):
    """A guess that made articles drafts, and the number of these articles."""

    name = ma.fields.String(metadata={"example": "shortcode:am4show"})
    articles = ma.fields.Integer()


class ImportNumbersSchema(OutputSchema):
    """The numbers of items that are new, changed or the same, and of those that were left out."""

    new = ma.fields.Integer(metadata={"example": 54})
    changed = ma.fields.Integer()
    same = ma.fields.Integer()
    left_out = ma.fields.Integer()


class ImportCountsSchema(OutputSchema):
    """The numbers of articles, and of references to pictures and other files."""

    articles = ma.fields.Nested(ImportNumbersSchema)
    pictures = ma.fields.Nested(ImportNumbersSchema)


class ImportJobSchema(OutputSchema):
    """An import. The counts are from the trial until the import is started."""

    uuid = Identifier()
    name = ma.fields.String(metadata={"description": "The name of the file.", "example": "blog.zip"})
    size = ma.fields.Integer(metadata={"description": "Size of the file in bytes.", "example": 18_400_000})
    created = Timestamp(dump_only=True)
    last_updated = Timestamp(dump_only=True)
    user = ma.fields.Nested(
        UserReferenceSchema,
        allow_none=True,
        metadata={"description": "Who started the import; null if deleted."},
    )
    options = ma.fields.Nested(ImportOptionsSchema)
    status = ma.fields.String(
        metadata={
            "enum": [status.value for status in JobStatus],
            "description": "The trial starts automatically. Imports that are `tried`, `failed` or "
            "`interrupted` (because the server stopped) can be started.",
        }
    )
    stage = ma.fields.String(
        metadata={"description": "`unpacking`, `reading` or `importing`, or empty.", "example": "reading"}
    )
    done = ma.fields.Integer(metadata={"description": "Finished items of the stage.", "example": 97})
    total = ma.fields.Integer(metadata={"description": "All items of the stage.", "example": 142})
    error = ma.fields.String(metadata={"description": "Why the import failed, or empty."})
    counts = ma.fields.Nested(ImportCountsSchema)
    problem_count = ma.fields.Integer(metadata={"description": "The number of files that need attention."})
    unread_rules = ma.fields.String(
        metadata={"description": "Plugins whose rules about readers are not in the file, or empty."}
    )
    public_here_rules_unread = ma.fields.Integer(
        metadata={"description": "Public articles of earlier imports that `unread_rules` may have hidden."}
    )


class ImportProblemSchema(OutputSchema):
    """A file that needs attention."""

    file = ma.fields.String(metadata={"example": "blog/2011/regatta.md"})
    title = ma.fields.String(
        metadata={"description": "Title of the item, if the file contains several items."}
    )
    result = ma.fields.String(
        metadata={"enum": ["created", "updated", "unchanged", "skipped", "refused"], "example": "refused"}
    )
    slug = ma.fields.String(metadata={"description": "Slug of the article, or empty if there is none."})
    article = Identifier(
        allow_none=True,
        metadata={
            "description": "The article that the file became; null if it was left out, and in a trial."
        },
    )
    reasons = ma.fields.List(ma.fields.String(), metadata={"example": ["It has no text."]})


class SingleImportJobSchema(ImportJobSchema):
    """An import, with the files that need attention."""

    problems = ma.fields.List(
        ma.fields.Nested(ImportProblemSchema),
        metadata={"description": f"The first {MAX_PROBLEMS} files that need attention; the report has all."},
    )
    public_here_hidden_there = ma.fields.List(
        ma.fields.Nested(ImportProblemSchema),
        metadata={"description": f"The first {MAX_PROBLEMS} edited articles that the former blog hides."},
    )
    marked = ma.fields.List(ma.fields.Nested(ImportMarkSchema))
    notes = ma.fields.List(
        ma.fields.String(), metadata={"description": "Sentences about the whole import.", "example": []}
    )
