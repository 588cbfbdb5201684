#!/usr/bin/env python3
"""Reference of the motion along the slider-crank branch: start at th = pi/2, xP' = -th' = -2 m/s (eta1 = -2, eta2 = 0).
See tools/reference/slider_crank.py for the equation."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/reference"))

import slider_crank

SQRT2 = "1.41421356237309504880168872420969807856967187537694"  # rate0 counts in units of sqrt(2)
slider_crank.run(__file__, ("1", "1", "1", "1", "0", "0"), theta0="0.5", rate0=SQRT2)
