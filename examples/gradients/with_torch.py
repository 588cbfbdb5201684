"""A run as a function for PyTorch: gradients flow through it.

    y = results(model, "x", ["L", "c"], end=2)(torch.tensor([1.0, 0.1], dtype=torch.float64, requires_grad=True))
"""


def results(model, of, by, **options):
    """Values of `of` as a function of a tensor with the numbers `by`."""
    import torch

    first = model.sensitivity(of, by, **options)

    class Run(torch.autograd.Function):
        @staticmethod
        def forward(ctx, p):
            ctx.run = first.at(p.detach().cpu().numpy())
            return torch.as_tensor(ctx.run.values, dtype=p.dtype, device=p.device)

        @staticmethod
        def backward(ctx, grad):
            g = ctx.run.gradient(grad.detach().cpu().numpy())
            if ctx.run.refused:
                raise ValueError(f"no derivative: {ctx.run.refused}")
            return torch.as_tensor(g, dtype=grad.dtype, device=grad.device)

    return Run.apply
