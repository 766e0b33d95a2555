"""The scoreboard and the operator's page: what the table looks like, and what a person decides."""
