"""What can be extracted, and where it is: a page in any form, and its URL."""
