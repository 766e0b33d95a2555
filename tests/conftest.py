"""What holds for every test: none depends on how fast this machine is just now."""

from hypothesis import settings

settings.register_profile("referee", deadline=None)
settings.load_profile("referee")
