"""Tables that PostgreSQL keeps in partitions, by month or by number, so that old rows go as a whole.

`tables` says how a table is divided, `convert` divides a filled one during play (migrations call it), `upkeep` makes
partitions ahead of time and drops old ones, and `functions` has what PostgreSQL does by itself. SQLite knows nothing
of all this: there the tables stay as they are.

A unique index of a partitioned table must contain the column by which the table is divided. So a key that makes
something happen once (`OnceOnly`) is unique within each partition, and for good by a narrow table of keys that is not
divided: a trigger writes it in the same commit as the row. It stays when the row's partition is dropped.
"""
