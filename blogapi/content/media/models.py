"""The tables of media files and of their uses."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Index, String, desc, false
from sqlalchemy.orm import Mapped, mapped_column

from blogapi.storage.database import Base, Identified, Timestamped, current_time


class Media(Identified, Timestamped, Base):
    """A file of the library; `media.folder` stores its bytes under the name `hash`.

    `hash` is the SHA-256 of the stored file. `upload_hash` is the SHA-256 of the uploaded file, from which
    metadata may have been removed. `width` and `height` are in pixels; they are None unless the file is an
    image. `unused_since` is the time since which nothing uses the file, or None if something uses it.
    """

    __tablename__ = "media"
    __table_args__ = (
        Index("ix_media_newest", "created", desc("uuid")),
        Index("ix_media_unused", "unused_since", "uuid"),
    )

    # The file name, with the extension of the type; it is the last part of the file's address.
    name: Mapped[str]
    type: Mapped[str]
    size: Mapped[int] = mapped_column(BigInteger)
    hash: Mapped[str] = mapped_column(String(64), unique=True)
    upload_hash: Mapped[str] = mapped_column(String(64), index=True)
    width: Mapped[int | None]
    height: Mapped[int | None]
    # Whether the picture can be requested in smaller widths.
    is_scalable: Mapped[bool] = mapped_column(default=False, server_default=false())
    alt: Mapped[str] = mapped_column(default="")
    # Whether the picture is decoration: its alternative text is then empty on purpose, and not missing.
    decorative: Mapped[bool] = mapped_column(default=False, server_default=false())
    caption: Mapped[str] = mapped_column(default="")
    unused_since: Mapped[datetime | None] = mapped_column(default=current_time)
    # The user who uploaded the file; None if the user is unknown or was deleted.
    account_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("account.uuid", ondelete="SET NULL"), index=True
    )


class FormerHash(Base):
    """A hash of a replaced file, of its upload, or of a rendition that a former version of blogapi stored.

    Requests for old addresses, and imports of the old file, find the current file by this hash. `width` is
    the width of the rendition, or None for the file itself.
    """

    __tablename__ = "media_former_hash"

    hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    media_id: Mapped[UUID] = mapped_column(ForeignKey("media.uuid", ondelete="CASCADE"), index=True)
    width: Mapped[int | None]


class MediaUse(Base):
    """An item that refers to a file: an article (or a former version), an author, a category or the site.

    `current` is false if only former versions of the article refer to the file.
    """

    __tablename__ = "media_use"
    __table_args__ = (Index("ix_media_use_item", "kind", "item_id"),)

    media_id: Mapped[UUID] = mapped_column(ForeignKey("media.uuid", ondelete="CASCADE"), primary_key=True)
    kind: Mapped[str] = mapped_column(String(16), primary_key=True)
    # There is no foreign key, because the items are in several tables, and revisions outlive their article.
    item_id: Mapped[UUID] = mapped_column(primary_key=True)
    current: Mapped[bool]


class MediaPath(Base):
    """A path that the content of an imported article contains, and the file to which it refers.

    There is no foreign key for the article, so that the paths are still known if a deleted article is
    restored from its revisions.
    """

    __tablename__ = "media_path"

    article_id: Mapped[UUID] = mapped_column(primary_key=True)
    # The path is the value of the attribute in the sanitized HTML, unescaped.
    path: Mapped[str] = mapped_column(primary_key=True)
    media_id: Mapped[UUID] = mapped_column(ForeignKey("media.uuid", ondelete="CASCADE"), index=True)
