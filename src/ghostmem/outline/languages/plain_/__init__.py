"""Ruby, C#, PHP and Kotlin: declarations, imports and base types, without the content of bodies."""
