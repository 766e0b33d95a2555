"""The games' rules: pure functions from events to rulings."""
