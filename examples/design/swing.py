"""The data of swing.csv: a damped swing in closed form, with noise.   python3 swing.py > swing.csv"""
import math
import random

random.seed(1)
m, k, c, s0 = 1.5, 40, 3, 0.5
w, z = math.sqrt(k/m), c/(2*math.sqrt(k*m))
d = w*math.sqrt(1 - z*z)
print("time,stretch")
for i in range(121):
    t = i/60
    print(f"{t:.6f},{s0*math.exp(-z*w*t)*(math.cos(d*t) + z*w/d*math.sin(d*t)) + random.gauss(0, 0.01):.6f}")
