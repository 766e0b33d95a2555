"""The totem's own program: its codec, its logic, and both under a real MicroPython."""
