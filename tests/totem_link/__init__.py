"""Bytes of the totem to scans on the table clock: protocol, clock, links, recording."""
