"""What every game of the registry must do: one random match for each number of seats and option."""
