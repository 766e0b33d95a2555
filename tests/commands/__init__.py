"""Commands as a person calls them."""
