"""The posts of a forum, and the comments below an article: their texts, authors and dates."""
