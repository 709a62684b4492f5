"""Conversations that other programs recorded, one module per format behind one table
(`choose.py`).
"""
