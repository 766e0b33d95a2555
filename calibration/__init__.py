"""From a box of parts to a calibrated table: commands that write parts of the profile."""
