"""Back ends under the names by which programs import them."""
