"""Weeks of play in minutes: players of different habits, the real actions, sweeps and mails, and no waiting.

`make month` (`python -m tests.simulation`) plays a month of 200 matches and prints the results; the test suite plays a
fortnight of 12. Time is a number that is passed on; everything is drawn from one seed.
"""
