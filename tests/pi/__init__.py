"""Tests of what makes a Raspberry Pi run a table: installation, unit, watchdog, service."""
