"""Search for pages by their headlines, in texts of all systems."""
