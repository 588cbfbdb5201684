#!/usr/bin/env python3
"""Reference of case 3: equal rods, massless slider, force 100 sin(pi t). Start at rest at th = pi/4.
See tools/reference/slider_crank.py for the equation."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/reference"))

import slider_crank

slider_crank.run(__file__, ("1", "1", "1", "1", "0", "100"), theta0="0.25", rate0="0")
