# SPDX-License-Identifier: MIT
"""How long C handles live.

A handle lives as long as an object, an array, another handle or a running call needs it. A context belongs to one thread at a time, while
objects are collected in any thread: a handle of a context in which a call runs is destroyed when that call is over.
"""
import collections
import threading
import weakref


class Owned:
    """A C handle, which functions of the library take in place of its address. Handles need their context, and what they were made from."""

    def __init__(self, address, destroy, context=None, *needs):
        self._as_parameter_ = address
        self.context, self._needs = context, dict(enumerate(needs))
        if context is None:  # it is one
            self._calls, self._waiting, self._lock = [], collections.deque(), threading.RLock()
        # The finalizer keeps what is needed, the context first, alive until after the handle is gone. At the end of the process the system
        # takes everything: other threads may still be inside of calls.
        weakref.finalize(self, _let_go, context, address, destroy, self._needs).atexit = False

    def need(self, name, other):
        """Keep another handle, or None, under a name, as long as the library reads it."""
        before, self._needs[name] = self._needs.get(name), other
        _let_go(self.context, None, None, before)

    @property
    def root(self):
        """The context."""
        return self.context or self

    def __reduce_ex__(self, protocol):
        raise TypeError("a handle of the library belongs to one process and is not copied")

    def _begin(self):
        with self._lock:
            self._calls.append(None)

    def _end(self):
        self._calls.pop()
        self._settle()

    def _settle(self):
        """Destroy what waits, unless a call is under way, or about to be: it comes here when it ends."""
        while self._waiting and not self._calls and self._lock.acquire(blocking=False):
            try:
                if self._waiting and not self._calls:
                    address, destroy, needs = self._waiting.popleft()
                    if destroy:
                        destroy(address)
                    del needs
            finally:
                self._lock.release()


def _let_go(context, address, destroy, needs):
    if context is None:
        destroy(address)
    else:
        context._waiting.append((address, destroy, needs))
        context._settle()


def counted(function):
    """A function of the library that holds the handles among its arguments, and their contexts, until it returns."""
    def call(*arguments):
        roots = [argument.root for argument in arguments if type(argument) is Owned]
        for root in roots:
            root._begin()
        try:
            return function(*arguments)
        finally:
            for root in roots:
                root._end()
    return call
