"""Where an op runs, and why. Pure: looks at declarations, requests and devices, never at values."""
