# SPDX-License-Identifier: MIT
"""How long C handles live.

A handle lives as long as an object, an array, another handle or a running call needs it. A context belongs to one thread at a time, while
objects are collected in any thread: a handle of a context in which a call runs is destroyed when that call is over.
"""
import collections
import ctypes
import threading
import weakref


class _Calls:
    """The calls that run in a context, and its handles that are to be destroyed when none does."""

    def __init__(self):
        self.running, self.waiting, self.lock = [], collections.deque(), threading.RLock()

    def settle(self):
        """Destroy what waits, unless a call is under way, or about to be: it comes here when it ends."""
        while self.waiting and not self.running and self.lock.acquire(blocking=False):
            try:
                if self.waiting and not self.running:
                    place, destroy, needs = self.waiting.popleft()
                    if destroy:
                        destroy(place.value)
                    del needs
            finally:
                self.lock.release()


class Owned:
    """A C handle, which functions of the library take in place of its address. Handles need their context, and what they were made from."""

    def __init__(self, address, destroy, context=None, *needs):
        self._as_parameter_ = self.place = ctypes.c_void_p(address)  # a function that makes a handle writes it here
        self.context, self.calls = context, context.calls if context else _Calls()
        # The finalizer keeps what is needed, the context first, alive until after the handle is gone. At the end of the process the newest
        # finalizer runs first.
        self._needs = dict(enumerate(needs))
        self._finalizer = weakref.finalize(self, _let_go, context, self.place, destroy, self._needs)

    def need(self, name, other):
        """Keep another handle, or None, under a name, as long as the library reads it."""
        before, self._needs[name] = self._needs.get(name), other
        _, function, arguments, _ = self._finalizer.detach()
        self._finalizer = weakref.finalize(self, function, *arguments)
        _let_go(self.context, None, None, before)

    @property
    def root(self):
        """The context."""
        return self.context or self

    def __reduce_ex__(self, protocol):
        raise TypeError("a handle of the library belongs to one process and is not copied")


def _let_go(context, place, destroy, needs):
    main = threading.main_thread()
    if not main.is_alive() and any(thread is not main for thread in threading.enumerate()):
        return  # the process ends, and daemons may still be inside of calls: the system takes everything
    if context is None:  # it is one, and nothing needs it: no call runs in it
        destroy(place.value)
    else:
        context.calls.waiting.append((place, destroy, needs))
        context.calls.settle()


def counted(function):
    """A function of the library that holds the handles among its arguments, and their contexts, until it returns."""
    def call(*arguments):
        contexts = [argument.calls for argument in arguments if type(argument) is Owned]
        for calls in contexts:
            with calls.lock:
                calls.running.append(None)
        try:
            return function(*arguments)
        finally:
            for calls in contexts:
                calls.running.pop()
                if calls.waiting:
                    calls.settle()
    return call
