"""State shared by the components of one crawl: settings, workers, answers, stats."""
