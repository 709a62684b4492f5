"""What `bench.peers` measures: one small driver a peer, and the corpus that all of them
are given.
"""
