"""Rules that find repeated procedures in sessions."""
