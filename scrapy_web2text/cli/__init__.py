"""The command ``web2text``: a module for each of its commands, and what they share."""
