"""The arithmetic Asian of inputs/asian.cfg's kind in torch.compile: fresh random numbers to price, for comparison.

    python3 validation/bench/torch_asian.py [paths]

252 fixings of geometric Brownian motion, in double and in float. Each compiled call draws and walks UNROLLED steps, so that
the compiler fuses generator, path and sum into one kernel that touches memory once in UNROLLED steps. Prints the median of
20 runs, by CUDA events, and the price against its standard error.
"""
import statistics
import sys

import torch

PATHS = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 20
STEPS, UNROLLED = 252, 21
SPOT, STRIKE, RATE, VOLATILITY, EXPIRY = 100.0, 100.0, 0.03, 0.2, 1.0


@torch.compile
def walk(x, total, drift, volatility):
    for _ in range(UNROLLED):
        x = x + drift + volatility * torch.randn_like(x)
        total = total + torch.exp(x)
    return x, total


def price(dtype):
    dt = EXPIRY / STEPS
    drift = (RATE - 0.5 * VOLATILITY**2) * dt
    x = torch.full((PATHS,), torch.tensor(SPOT).log().item(), dtype=dtype, device="cuda")
    total = torch.zeros_like(x)
    for _ in range(STEPS // UNROLLED):
        x, total = walk(x, total, drift, VOLATILITY * dt**0.5)
    payoff = torch.clamp(total / STEPS - STRIKE, min=0.0) * torch.exp(torch.tensor(-RATE * EXPIRY))
    return payoff.double()


for dtype in (torch.float64, torch.float32):
    price(dtype), price(dtype)
    times = []
    for _ in range(20):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        payoff = price(dtype)
        mean = payoff.mean()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1e-3)
    median = statistics.median(times)
    print(f"torch.compile {dtype}: {median * 1e3:.3f} ms, {PATHS * STEPS / median / 1e9:.1f} G path-steps/s, "
          f"price {mean.item():.4f} +- {payoff.std().item() / PATHS**0.5:.4f}")
