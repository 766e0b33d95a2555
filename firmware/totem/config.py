"""How THIS totem is built: the one file a builder edits. What is not said here is as `defaults` says.

firmware/builds has one of these for each way to build it; hardware.md explains them.
"""

from defaults import *

BUILD = "B"
