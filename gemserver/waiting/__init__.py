"""The waiting process: keeps the requests of programs that know the present answer until there is another."""
