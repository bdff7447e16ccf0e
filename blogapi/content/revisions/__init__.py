"""Former versions of articles."""
