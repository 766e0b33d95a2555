"""Doors through which frames come in: live cameras, videos, folders of pictures; one contract (`base`)."""
