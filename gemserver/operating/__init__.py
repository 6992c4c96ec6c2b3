"""For who runs the server: figures, probes, alarms, what is forgotten in time. On top of all others, above no page."""
