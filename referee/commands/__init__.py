"""One module a command; each is thin over the rooms."""
