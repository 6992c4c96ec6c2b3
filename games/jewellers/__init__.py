"""Jewellers, a rising auction with cards for gems from a bag (Jan Divecky)."""
