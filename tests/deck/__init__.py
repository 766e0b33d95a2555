"""The deck room."""
