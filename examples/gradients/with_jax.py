"""A run as a function for JAX: grad and jit work, vmap runs one after the other.

    f = results(model, "x", ["L", "c"], end=2)
    jax.grad(lambda p: f(p)[0])(jax.numpy.array([1.0, 0.1]))          # with jax_enable_x64
"""
import numpy


def results(model, of, by, **options):
    """Values of `of` as a function of an array with the numbers `by`."""
    import jax

    first = model.sensitivity(of, by, **options)
    shape = jax.ShapeDtypeStruct(first.values.shape, numpy.float64)
    back = jax.ShapeDtypeStruct((len(first.by),), numpy.float64)

    def values(p):
        return first.at(numpy.asarray(p)).values

    def gradient(p, weights):
        run = first.at(numpy.asarray(p))
        g = run.gradient(numpy.asarray(weights))
        if run.refused:
            raise ValueError(f"no derivative: {run.refused}")
        return g

    @jax.custom_vjp
    def run(p):
        return jax.pure_callback(values, shape, p, vmap_method="sequential")

    run.defvjp(lambda p: (run(p), p), lambda p, w: (jax.pure_callback(gradient, back, p, w, vmap_method="sequential"),))
    return run
