"""Compiled kernels: the decorator, where compiled code is kept, and compiling ahead in other processes."""
