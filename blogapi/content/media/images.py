"""Runs the image worker, and limits its time, its memory, and the number of running workers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flask import Flask, current_app

from blogapi.config import VARIABLE_PREFIX, AppState
from blogapi.rendering.media_types import MediaType
from blogapi.web.errors import Invalid, Problem, StorageFull, Unavailable

_WORKER_FILE = Path(__file__).with_name("image_worker.py")
# The time limit of a worker, longer than the limit of its processor time, because the machine can be busy.
_WORKER_SECONDS = 120.0
# SIGKILL and SIGXCPU: the worker used too much processor time, or the system ran out of memory.
_LIMIT_STATUSES = (-9, -24)
# The maximum numbers of running workers and of waiting uploads, and how long an upload waits.
_MAX_WORKERS, _MAX_WAITING, _WAIT_SECONDS = 2, 2, 15.0
# The size limit of the output, as a multiple of MAX_MEDIA_SIZE: an encoder can make a file larger.
_OUTPUT_FACTOR = 2
# One worker at a time resizes stored pictures; other requests wait for it at most this long.
_SCALING_WAIT_SECONDS = 5.0

_FORMATS = {"jpg": "JPEG", "png": "PNG", "gif": "GIF", "webp": "WEBP", "avif": "AVIF", "svg": "SVG"}
_ERROR_MESSAGES = {
    "damaged": "The image is damaged or incomplete. Save it again in an image editor before the upload.",
    "too_large": "The image has too many pixels or frames. Upload a smaller version of it, with at most 50 "
    "million pixels and 2,000 frames.",
    "too_slow": "The image takes too long to decode. Upload a smaller version of it, or a JPEG.",
}


@dataclass(frozen=True, slots=True)
class ProcessedImage:
    """An image without metadata, in `path`; the sizes are in pixels."""

    path: Path
    width: int
    height: int
    is_still: bool  #: whether the image is neither a drawing nor an animation
    note: str = ""  #: a sentence if text was removed from the picture


class ImageQueue:
    """Limits the number of workers that run, and the number of threads that wait for a worker."""

    def __init__(
        self, max_threads: int, wait_seconds: float = _WAIT_SECONDS, *, workers: int = _MAX_WORKERS
    ) -> None:
        """Set the limits: `max_threads` threads may run a worker or wait for one."""
        self._wait_seconds = wait_seconds
        self._workers = threading.BoundedSemaphore(min(workers, max_threads))
        self._threads = threading.BoundedSemaphore(max_threads)

    @contextmanager
    def wait_for_turn(self) -> Iterator[None]:
        """Wait until a worker may start; raise Unavailable if too many threads wait or the time is over."""
        if not self._threads.acquire(blocking=False):
            raise self._make_busy_problem()
        try:
            if not self._workers.acquire(timeout=self._wait_seconds):
                raise self._make_busy_problem()
            try:
                yield
            finally:
                self._workers.release()
        finally:
            self._threads.release()

    @staticmethod
    def _make_busy_problem() -> Unavailable:
        return Unavailable("The server is processing other images; try again in a second.")


_UPLOAD_QUEUE, _SCALING_QUEUE = AppState[ImageQueue]("image-queue"), AppState[ImageQueue]("scaling-queue")


def init_app(app: Flask, *, threads: int | None = None) -> None:
    """Create the queues; each uses at most half of `threads`, the number of threads for writes."""
    max_threads = _MAX_WORKERS + _MAX_WAITING
    if threads is not None:
        max_threads = max(1, min(max_threads, threads // 2))
    _UPLOAD_QUEUE.set(app, ImageQueue(max_threads))
    # Anyone can request pictures in other widths, so these workers do not use the queue of uploads.
    _SCALING_QUEUE.set(app, ImageQueue(max_threads, _SCALING_WAIT_SECONDS, workers=1))


def process_image(source: Path, type: MediaType, folder: Path) -> ProcessedImage:
    """Decode an image, and write it without metadata into the folder.

    Raises Invalid for an image that cannot be decoded within the limits, StorageFull if the disk is full, and
    Unavailable if the server is busy.
    """
    output = folder / "image"
    job = {
        "source": str(source.absolute()),
        "format": _FORMATS[type.extension],
        "output": str(output.absolute()),
    }
    with _UPLOAD_QUEUE.get().wait_for_turn():
        result = _run_worker(job)
    if "error" in result:
        raise _make_worker_problem(result["error"], result.get("detail", ""))
    return ProcessedImage(
        output, result["width"], result["height"], result["is_still"], result.get("note", "")
    )


def wait_for_scaling_turn() -> AbstractContextManager[None]:
    """Wait until `scale_picture` may be called; raises the same errors as `ImageQueue.wait_for_turn`."""
    return _SCALING_QUEUE.get().wait_for_turn()


def scale_picture(source: Path, output: Path, width: int, extension: str) -> None:
    """Write a stored picture in a smaller width, in the format with this extension.

    Raises the same errors as `process_image`; call it within `wait_for_scaling_turn`.
    """
    job = {
        "source": str(source.absolute()),
        "format": _FORMATS[source.suffix[1:]],
        "output": str(output.absolute()),
        "width": width,
        "target": _FORMATS[extension],
    }
    result = _run_worker(job)
    if "error" in result:
        raise _make_worker_problem(result["error"], result.get("detail", ""))


def _run_worker(job: dict[str, Any]) -> dict[str, Any]:
    """Return the result of the job; `error` is `timeout` or `too_slow` if a limit ended the worker."""
    max_bytes = _OUTPUT_FACTOR * max(current_app.config["MAX_MEDIA_SIZE"], 2**20)
    try:
        worker = subprocess.run(  # noqa: S603, the command is our own
            [sys.executable, "-P", str(_WORKER_FILE), str(max_bytes)],
            input=json.dumps(job).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # A decoder that an attacker has taken over finds no secrets in the environment.
            env={name: value for name, value in os.environ.items() if not name.startswith(VARIABLE_PREFIX)},
            timeout=_WORKER_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return {"error": "timeout"}
    except OSError as error:
        current_app.logger.error("the image worker cannot be started: %s", error.strerror)
        return {"error": "failed"}
    if worker.returncode == 0:
        result: dict[str, Any] = json.loads(worker.stdout)
        return result
    current_app.logger.warning("the image worker ended with status %s", worker.returncode)
    if worker.returncode in _LIMIT_STATUSES:
        return {"error": "too_slow"}
    # A negative status is a signal: the decoder crashed.
    return {"error": "damaged" if worker.returncode < 0 else "failed"}


def _make_worker_problem(error: str, detail: str = "") -> Problem:
    if error == "storage_full":
        return StorageFull(
            "The disk is full; nothing was stored. Free some space and send the request again."
        )
    if error == "timeout":
        return Unavailable(
            "The image takes too long to decode. Send it again when the server is less busy, or send a "
            "smaller version of it."
        )
    if error == "failed":
        return Unavailable("Images cannot be processed now; the log of the server gives the reason.")
    detail = detail or _ERROR_MESSAGES[error]
    return Invalid(detail, errors={"file": [detail]})
