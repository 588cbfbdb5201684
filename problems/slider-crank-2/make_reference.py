#!/usr/bin/env python3
"""Reference of case 2: unequal rods, slider of 0.25 kg, force 100 sin(pi t). Start at rest, stretched.
See tools/reference/slider_crank.py for the equation."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/reference"))

import slider_crank

slider_crank.run(__file__, ("3", "6", "1.5", "3", "0.25", "100"), theta0="0", rate0="0")
