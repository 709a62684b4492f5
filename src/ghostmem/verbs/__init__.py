"""The use cases, one per file, one public function each; every face calls these and nothing below."""
