"""From this machine to facts, one module a family: `probe(plan)` looks, waits within its limits and judges nothing.

A probe runs in a process of its own (`referee.doctor.child`); what it imports may hang or crash there. A device that is
missing, busy or broken is a fact and no exception.
"""
