"""People: accounts, their time zone and language, and how they are notified."""
