"""The open archive: finished public matches as files for anybody, by month."""
