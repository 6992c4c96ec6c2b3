"""Actions that change an event: one file for each verb."""
