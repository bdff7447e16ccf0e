"""What a format imports and what it hands over: files, options, records, reports and signs of privacy."""
