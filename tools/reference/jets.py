"""Value, first and second derivative with respect to one variable, in decimal arithmetic.

For a mechanism with one coordinate q, writing the position of every point with jets gives all that Lagrange's
equation needs: with M(q) = sum m |p'|^2 + I a'^2 it is M q'' + 1/2 M' q'^2 + V' = Q, and
1/2 M' = sum m p'.p'' + I a' a''.
"""

from decimal import Decimal


class Jet:
    __slots__ = ("v", "d", "dd")

    def __init__(self, v, d=Decimal(0), dd=Decimal(0)):
        self.v, self.d, self.dd = Decimal(v), d, dd

    def __add__(self, o):
        o = lift(o)
        return Jet(self.v + o.v, self.d + o.d, self.dd + o.dd)

    __radd__ = __add__

    def __neg__(self):
        return Jet(-self.v, -self.d, -self.dd)

    def __sub__(self, o):
        o = lift(o)
        return Jet(self.v - o.v, self.d - o.d, self.dd - o.dd)

    def __rsub__(self, o):
        return lift(o) - self

    def __mul__(self, o):
        o = lift(o)
        return Jet(self.v * o.v, self.d * o.v + self.v * o.d,
                   self.dd * o.v + 2 * self.d * o.d + self.v * o.dd)

    __rmul__ = __mul__

    def __truediv__(self, o):
        o = lift(o)
        v = self.v / o.v
        d = (self.d - v * o.d) / o.v
        return Jet(v, d, (self.dd - 2 * d * o.d - v * o.dd) / o.v)

    def __rtruediv__(self, o):
        return lift(o) / self

    def sqrt(self):
        v = self.v.sqrt()
        d = self.d / (2 * v)
        return Jet(v, d, (self.dd / 2 - d * d) / v)


def lift(x):
    return x if isinstance(x, Jet) else Jet(x)
