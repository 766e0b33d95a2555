"""Calibration step by step for somebody at a page: pictures come in, plain values and sentences go out.

Written rules of this room:
- one thread has camera, totem and steps; whoever shows them asks for the newest state and puts orders into a queue;
- an order is a word and plain values, and names no file, no device and no command;
- what a step finds is only written into the profile by an order of its own, and a copy of the profile is kept;
- nothing that goes wrong ends the thread: it is said in a sentence, and the next order is waited for.
Does not belong here: pages and who may see them, the calibrations themselves.
"""
