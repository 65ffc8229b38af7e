"""From labels to the main content, in each of its forms."""
