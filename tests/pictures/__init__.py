"""The pictures of the documents: `make pictures` draws them anew."""
