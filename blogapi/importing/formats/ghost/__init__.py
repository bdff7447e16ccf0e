"""Read the exports of Ghost, from version 0.x to 6.x: JSON files with the tables of its database."""
