"""What a page says of itself: title, metadata, and content that it holds for scripts alone."""
