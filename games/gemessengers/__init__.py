"""Gemessengers, a simultaneous draft of gems and proclamations (Stephen B. Thomas)."""
