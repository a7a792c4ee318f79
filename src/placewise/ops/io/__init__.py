"""Files, records and parsing."""
