"""For operators: figures, probes, alarms, retention. Above all other apps but the pages."""
