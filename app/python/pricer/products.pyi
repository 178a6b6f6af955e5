# app/python/make_table.py writes this.
from collections.abc import Mapping, Sequence
from typing import Literal, Optional

from .trade import Numbers, Schedule, Time, Trade

__all__ = ["european", "digital", "asian", "barrier", "double_barrier", "touch", "lookback", "forward_start", "basket", "spread", "cliquet", "variance_swap", "autocallable", "american"]

def european(
    id: Optional[str] = None,
    *,
    asset: str,
    option: Literal["call", "put"],
    strike: float,
    expiry: Time,
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    quanto: Optional[Mapping[str, str]] = None,
    tags: Optional[Mapping[str, str]] = None,
) -> Trade: ...

def digital(
    id: Optional[str] = None,
    *,
    asset: str,
    option: Literal["call", "put"],
    strike: float,
    payout: Literal["cash", "asset"],
    expiry: Time,
    cash: Optional[float] = None,
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    quanto: Optional[Mapping[str, str]] = None,
    tags: Optional[Mapping[str, str]] = None,
) -> Trade: ...

def asian(
    id: Optional[str] = None,
    *,
    asset: str,
    option: Literal["call", "put"],
    averaging: Literal["arithmetic", "geometric"],
    strike_type: Literal["fixed", "floating"],
    expiry: Time,
    fixings: Optional[Schedule] = None,
    fixing_times: Optional[Schedule] = None,
    strike: Optional[float] = None,
    past: Optional[Mapping[str, float]] = None,
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    quanto: Optional[Mapping[str, str]] = None,
    tags: Optional[Mapping[str, str]] = None,
) -> Trade: ...

def barrier(
    id: Optional[str] = None,
    *,
    asset: str,
    option: Literal["call", "put"],
    strike: float,
    barrier: float,
    direction: Literal["up", "down"],
    knock: Literal["out", "in"],
    monitoring: Schedule,
    expiry: Time,
    rebate: Optional[float] = None,
    rebate_at: Optional[Literal["expiry", "hit"]] = None,
    hit: Optional[bool] = None,
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    quanto: Optional[Mapping[str, str]] = None,
    tags: Optional[Mapping[str, str]] = None,
) -> Trade: ...

def double_barrier(
    id: Optional[str] = None,
    *,
    asset: str,
    option: Literal["call", "put"],
    strike: float,
    lower: float,
    upper: float,
    knock: Literal["out", "in"],
    monitoring: Schedule,
    expiry: Time,
    hit: Optional[bool] = None,
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    quanto: Optional[Mapping[str, str]] = None,
    tags: Optional[Mapping[str, str]] = None,
) -> Trade: ...

def touch(
    id: Optional[str] = None,
    *,
    asset: str,
    touch: Literal["one", "no"],
    monitoring: Schedule,
    expiry: Time,
    barrier: Optional[float] = None,
    direction: Optional[Literal["up", "down"]] = None,
    lower: Optional[float] = None,
    upper: Optional[float] = None,
    cash: Optional[float] = None,
    pay_at: Optional[Literal["expiry", "hit"]] = None,
    hit: Optional[bool] = None,
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    quanto: Optional[Mapping[str, str]] = None,
    tags: Optional[Mapping[str, str]] = None,
) -> Trade: ...

def lookback(
    id: Optional[str] = None,
    *,
    asset: str,
    option: Literal["call", "put"],
    strike_type: Literal["fixed", "floating"],
    monitoring: Schedule,
    expiry: Time,
    strike: Optional[float] = None,
    extreme: Optional[float] = None,
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    quanto: Optional[Mapping[str, str]] = None,
    tags: Optional[Mapping[str, str]] = None,
) -> Trade: ...

def forward_start(
    id: Optional[str] = None,
    *,
    asset: str,
    option: Literal["call", "put"],
    strike_ratio: float,
    expiry: Time,
    start: Optional[Time] = None,
    past: Optional[Mapping[str, float]] = None,
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    quanto: Optional[Mapping[str, str]] = None,
    tags: Optional[Mapping[str, str]] = None,
) -> Trade: ...

def basket(
    id: Optional[str] = None,
    *,
    assets: Sequence[str],
    kind: Literal["average", "geometric", "best_of", "worst_of"],
    option: Literal["call", "put"],
    strike: float,
    expiry: Time,
    weights: Optional[Numbers] = None,
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    quanto: Optional[Mapping[str, str]] = None,
    tags: Optional[Mapping[str, str]] = None,
) -> Trade: ...

def spread(
    id: Optional[str] = None,
    *,
    assets: Sequence[str],
    option: Literal["call", "put"],
    expiry: Time,
    strike: Optional[float] = None,
    weights: Optional[Numbers] = None,
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    quanto: Optional[Mapping[str, str]] = None,
    tags: Optional[Mapping[str, str]] = None,
) -> Trade: ...

def cliquet(
    id: Optional[str] = None,
    *,
    asset: str,
    reset_times: Schedule,
    notional: float,
    expiry: Time,
    local_floor: Optional[float] = None,
    local_cap: Optional[float] = None,
    global_floor: Optional[float] = None,
    global_cap: Optional[float] = None,
    past: Optional[Mapping[str, float]] = None,
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    quanto: Optional[Mapping[str, str]] = None,
    tags: Optional[Mapping[str, str]] = None,
) -> Trade: ...

def variance_swap(
    id: Optional[str] = None,
    *,
    asset: str,
    strike_volatility: float,
    notional: float,
    expiry: Time,
    fixings: Optional[Schedule] = None,
    fixing_times: Optional[Schedule] = None,
    past: Optional[Mapping[str, float]] = None,
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    quanto: Optional[Mapping[str, str]] = None,
    tags: Optional[Mapping[str, str]] = None,
) -> Trade: ...

def autocallable(
    id: Optional[str] = None,
    *,
    assets: Sequence[str],
    observation_times: Schedule,
    call_level: float,
    coupon: float,
    protection_level: float,
    notional: float,
    expiry: Time,
    initial: Optional[Numbers] = None,
    coupon_level: Optional[float] = None,
    coupon_day_count: Optional[str] = None,
    memory: Optional[bool] = None,
    past: Optional[Mapping[str, float]] = None,
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    quanto: Optional[Mapping[str, str]] = None,
    tags: Optional[Mapping[str, str]] = None,
) -> Trade: ...

def american(
    id: Optional[str] = None,
    *,
    option: Literal["call", "put"],
    strike: float,
    expiry: Time,
    exercise: Optional[Schedule] = None,
    exercise_times: Optional[Schedule] = None,
    asset: Optional[str] = None,
    assets: Optional[Sequence[str]] = None,
    kind: Optional[Literal["average", "geometric", "best_of", "worst_of"]] = None,
    weights: Optional[Numbers] = None,
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    quanto: Optional[Mapping[str, str]] = None,
    tags: Optional[Mapping[str, str]] = None,
) -> Trade: ...
