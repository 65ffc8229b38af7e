"""Questions about web2text-2026 that are answered: what did not help, and what a part is worth."""
