"""A simulated table that enters by the same doors as the real one."""
