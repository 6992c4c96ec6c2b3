"""The games that this server offers: rules, tutorials, and the guard around those of others."""
