"""What all rooms share, and what knows nothing of pages."""
