"""From one version to the next, and the way back; `storage.upgrades` runs the migrations."""
