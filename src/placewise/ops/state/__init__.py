"""State: variables and what is kept on a device between ops."""
