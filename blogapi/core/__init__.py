"""What every resource stands on: clock, settings, database, errors, access and the wire."""
