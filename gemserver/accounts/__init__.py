"""People: accounts, their time zone and language, and how they want to be told."""
