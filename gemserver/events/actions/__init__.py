"""What changes an event: one file for each verb."""
