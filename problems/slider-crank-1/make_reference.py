#!/usr/bin/env python3
"""Reference of case 1: equal rods, massless slider, no force. Start: th = pi/4, xQ' = -2 sin(th) th' = -4 m/s, so
th' = 2 sqrt(2) rad/s. See tools/reference/slider_crank.py for the equation."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/reference"))

import slider_crank

slider_crank.run(__file__, ("1", "1", "1", "1", "0", "0"), theta0="0.25", rate0="2")
