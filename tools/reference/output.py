"""Writing reference tables: `time` and the model's output names, 17 significant digits."""

import os


def write_csv(script, name, columns, rows):
    """`rows` of numbers (float, Decimal, mpf) into the file `name` beside `script`."""
    path = os.path.join(os.path.dirname(os.path.abspath(script)), name)
    with open(path, "w", encoding="ascii") as file:
        file.write(",".join(columns) + "\n")
        for row in rows:
            file.write(",".join("%.17g" % (float(v) + 0.0) for v in row) + "\n")
    print(f"{name}: {len(rows)} rows")
