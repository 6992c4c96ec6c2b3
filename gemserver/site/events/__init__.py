"""Pages of events: the list, an event with its tables and fixtures, opening and organising one."""
