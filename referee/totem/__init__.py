"""From bytes to scrambles: protocol, clock, links, contacts, fingers."""
