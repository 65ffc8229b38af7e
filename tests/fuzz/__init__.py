"""Fuzzing: oracles for the answers to hostile input, targets that apply them, and the driver of ``make fuzz``."""
