"""Calls the functions test_* of a script, in the order they are written; a third argument chooses those with it in their names."""
import sys
import traceback


def run(names):
    """Exit code for the globals() of a script."""
    passed = failed = 0
    for name, test in list(names.items()):
        if not name.startswith("test_") or (len(sys.argv) > 3 and sys.argv[3] not in name):
            continue
        try:
            test()
            passed += 1
        except Exception:
            failed += 1
            print(f"FAILED {name}")
            traceback.print_exc(file=sys.stdout)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0
