"""Expressions of the model format: read, evaluated, rewritten.

A tree is a tuple: ("number", value), ("name", text), ("call", function, arguments), ("negative", a), ("not", a),
("operator", sign, a, b) or ("choice", condition, a, b).
"""
import math
import re

TOKEN = re.compile(r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_][\w.]*)"
                   r"|(?P<sign><=|>=|==|!=|[-+*/^()?:,<>]))")
LEVELS = [["or"], ["and"], ["not"], ["<", "<=", ">", ">=", "==", "!="], ["+", "-"], ["*", "/"]]
CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf}


class Reader:
    """Recursive descent, with the binding of operators that docs/model-format.md describes."""

    def __init__(self, text):
        self.text, self.tokens, place = text, [], 0
        text = text.rstrip()
        while place < len(text):
            found = TOKEN.match(text, place)
            if not found:
                raise ValueError(f"cannot read '{text[place:]}' in '{text}'")
            self.tokens.append((found.lastgroup, found.group(found.lastgroup)))
            place = found.end()
        self.next = 0

    def word(self):
        return self.tokens[self.next][1] if self.next < len(self.tokens) else None

    def take(self, wanted=None):
        kind, word = self.tokens[self.next] if self.next < len(self.tokens) else (None, None)
        if wanted and word != wanted:
            raise ValueError(f"'{wanted}' is missing in '{self.text}'")
        self.next += 1
        return kind, word

    def whole(self):
        tree = self.condition()
        if self.word() is not None:
            raise ValueError(f"unexpected '{self.word()}' in '{self.text}'")
        return tree

    def condition(self):
        tree = self.operators(0)
        if self.word() != "?":
            return tree
        self.take("?")
        yes = self.condition()
        self.take(":")
        return ("choice", tree, yes, self.condition())

    def operators(self, level):
        if level == len(LEVELS):
            return self.signed()
        if LEVELS[level] == ["not"]:
            if self.word() != "not":
                return self.operators(level + 1)
            self.take()
            return ("not", self.operators(level))
        tree = self.operators(level + 1)
        while self.word() in LEVELS[level]:
            sign = self.take()[1]
            tree = ("operator", sign, tree, self.operators(level + 1))
        return tree

    def signed(self):
        if self.word() in ("-", "+"):
            sign = self.take()[1]
            tree = self.signed()
            return ("negative", tree) if sign == "-" else tree
        tree = self.primary()
        if self.word() != "^":
            return tree
        self.take()
        return ("operator", "^", tree, self.signed())

    def primary(self):
        kind, word = self.take()
        if kind == "number":
            return ("number", float(word))
        if word == "(":
            tree = self.condition()
            self.take(")")
            return tree
        if kind != "name":
            raise ValueError(f"a value is missing in '{self.text}'")
        return self.call(word) if self.word() == "(" else ("name", word)

    def call(self, function):
        self.take("(")
        arguments = [self.condition()]
        while self.word() == ",":
            self.take()
            arguments.append(self.condition())
        self.take(")")
        return ("call", function, arguments)


def read(text):
    return Reader(text).whole()


def write(tree):
    kind = tree[0]
    if kind == "number":
        return repr(float(tree[1])) if tree[1] >= 0 else f"({float(tree[1])!r})"
    if kind == "name":
        return tree[1]
    if kind == "call":
        return f"{tree[1]}({', '.join(write(a) for a in tree[2])})"
    if kind == "negative":
        return f"(-{write(tree[1])})"
    if kind == "not":
        return f"(not {write(tree[1])})"
    if kind == "operator":
        return f"({write(tree[2])} {tree[1]} {write(tree[3])})"
    return f"({write(tree[1])} ? {write(tree[2])} : {write(tree[3])})"


def rewrite(tree, change):
    """The tree with every name replaced by the tree change(name), or kept where that is None."""
    kind = tree[0]
    if kind == "number":
        return tree
    if kind == "name":
        new = change(tree[1])
        return tree if new is None else new
    if kind == "call":
        return ("call", tree[1], [rewrite(a, change) for a in tree[2]])
    first = 2 if kind == "operator" else 1
    return tree[:first] + tuple(rewrite(a, change) for a in tree[first:])


def names(tree):
    found = []
    rewrite(tree, found.append)
    return found


def smooth_step(t, t0, y0, t1, y1):
    s = min(1.0, max(0.0, (t - t0) / (t1 - t0)))
    return y0 + (y1 - y0) * s * s * (3 - 2 * s)


FUNCTIONS = {name: getattr(math, name) for name in ("sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt pow"
                                                    " floor hypot").split()}
FUNCTIONS.update({
    "abs": abs, "min": min, "max": max, "sign": lambda x: (x > 0) - (x < 0), "mod": lambda x, p: x - p * math.floor(x / p),
    "step": smooth_step, "ramp": lambda t, a, b: min(1.0, max(0.0, (t - a) / (b - a))),
    "pulse": lambda t, a, b: float(a <= t < b)})
OPERATORS = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b, "^": math.pow,
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "and": lambda a, b: a and b, "or": lambda a, b: a or b}


def value(tree, known):
    """Its number; a KeyError where a name is not known."""
    kind = tree[0]
    if kind == "number":
        return tree[1]
    if kind == "name":
        return float(known[tree[1]]) if tree[1] in known else CONSTANTS[tree[1]]
    if kind == "call":
        return float(FUNCTIONS[tree[1]](*[value(a, known) for a in tree[2]]))
    if kind == "negative":
        return -value(tree[1], known)
    if kind == "not":
        return float(not value(tree[1], known))
    if kind == "choice":
        return value(tree[2] if value(tree[1], known) else tree[3], known)
    return float(OPERATORS[tree[1]](value(tree[2], known), value(tree[3], known)))


# ---- to build them ----

def number(x):
    return ("number", float(x))


def times(tree, factor):
    return tree if factor == 1 else ("operator", "*", tree, number(factor))


def plus(tree, offset):
    return tree if offset == 0 else ("operator", "+", tree, number(offset))


def combination(factors, trees):
    """The sum of factor times tree."""
    total = None
    for factor, tree in zip(factors, trees):
        if factor != 0:
            term = times(tree, factor)
            total = term if total is None else ("operator", "+", total, term)
    return number(0) if total is None else total
