"""What cards, host and programs do now: pure readers, a file a vendor, and status files."""
