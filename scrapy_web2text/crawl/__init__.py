"""What the components of one crawl share: settings, workers, answers and how they are counted."""
