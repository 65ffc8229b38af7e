"""Dragnet: Peters, Lecocq: Content Extraction Using Diverse Feature Sets, WWW Companion 2013."""
