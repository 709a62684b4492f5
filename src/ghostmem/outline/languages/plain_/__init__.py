"""Ruby, C#, PHP and Kotlin: declarations, imports and base types, without what bodies say."""
