"""How the launchers of several machines agree on who takes part."""
