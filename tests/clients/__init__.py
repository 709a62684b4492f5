"""Real agent clients run with Ghost, against a scripted model on loopback."""
