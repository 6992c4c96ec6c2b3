"""The drill of an operator: from a bare Debian through an accident and two upgrades, on real parts: `make drill`."""
