"""The database: locks, patience, faults, prepared statements, partitions."""
