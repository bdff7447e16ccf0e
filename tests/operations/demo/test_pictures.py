"""The pictures of the sample blog."""

from __future__ import annotations

import PIL
import pytest
from PIL import Image, ImageChops, features

from blogapi.operations.demo import seed
from tests.operations.demo import draw_pictures

# The limits of a picture and of all pictures, in bytes.
MAX_SIZE, MAX_TOTAL = 12_000, 150_000


def test_the_pictures_are_small():
    sizes = {path.name: path.stat().st_size for path in seed.PICTURE_FOLDER.iterdir()}
    assert sizes.keys() == draw_pictures.PICTURES.keys()
    assert max(sizes.values()) <= MAX_SIZE and sum(sizes.values()) <= MAX_TOTAL


@pytest.mark.parametrize("name", draw_pictures.PICTURES)
def test_a_file_is_what_the_program_draws(name):
    canvas = draw_pictures.PICTURES[name]()
    with Image.open(seed.PICTURE_FOLDER / name) as picture:
        assert (picture.format, picture.size) == ("WEBP", seed.PICTURE_SIZE)
        stored = picture.convert("RGB")
    # Other versions may draw edges in another way, or write other bytes.
    if PIL.__version__ == draw_pictures.PILLOW_VERSION:
        assert ImageChops.difference(stored, canvas.reduce()).getbbox() is None
        if features.version("webp") == draw_pictures.WEBP_VERSION:
            assert canvas.encode() == (seed.PICTURE_FOLDER / name).read_bytes()
