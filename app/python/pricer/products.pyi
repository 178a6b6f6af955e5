# app/python/make_stub.py writes this.
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Optional, Union

from .trade import Time, Trade

__all__ = [
    "european",
    "digital",
    "asian",
    "barrier",
    "double_barrier",
    "touch",
    "lookback",
    "forward_start",
    "basket",
    "spread",
    "cliquet",
    "variance_swap",
    "autocallable",
    "american",
    "forward",
    "future",
    "position",
    "cash",
    "premium",
    "fee",
]

def european(
    id: Optional[str] = None,
    *,
    asset: str,
    expiry: Time,
    option: Literal["call", "put"],
    strike: float,
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    tags: Optional[Mapping[str, Any]] = None,
    quanto: Optional[Mapping[str, Any]] = None,
) -> Trade: ...

def digital(
    id: Optional[str] = None,
    *,
    asset: str,
    expiry: Time,
    option: Literal["call", "put"],
    payout: Literal["cash", "asset"],
    strike: float,
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    cash: Optional[float] = None,
    tags: Optional[Mapping[str, Any]] = None,
    quanto: Optional[Mapping[str, Any]] = None,
) -> Trade: ...

def asian(
    id: Optional[str] = None,
    *,
    asset: str,
    expiry: Time,
    option: Literal["call", "put"],
    averaging: Literal["arithmetic", "geometric"],
    strike_type: Literal["fixed", "floating"],
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    strike: Optional[float] = None,
    past: Optional[Mapping[str, Any]] = None,
    fixings: Optional[int] = None,
    fixing_times: Optional[Union[Sequence[Time], Mapping[str, Any]]] = None,
    tags: Optional[Mapping[str, Any]] = None,
    quanto: Optional[Mapping[str, Any]] = None,
) -> Trade: ...

def barrier(
    id: Optional[str] = None,
    *,
    asset: str,
    expiry: Time,
    option: Literal["call", "put"],
    direction: Literal["up", "down"],
    knock: Literal["out", "in"],
    strike: float,
    barrier: float,
    monitoring: Union[int, Literal["continuous"], Sequence[Time], Mapping[str, Any]],
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    rebate_at: Optional[Literal["expiry", "hit"]] = None,
    rebate: Optional[float] = None,
    hit: Optional[bool] = None,
    tags: Optional[Mapping[str, Any]] = None,
    quanto: Optional[Mapping[str, Any]] = None,
) -> Trade: ...

def double_barrier(
    id: Optional[str] = None,
    *,
    asset: str,
    expiry: Time,
    option: Literal["call", "put"],
    knock: Literal["out", "in"],
    strike: float,
    lower: float,
    upper: float,
    monitoring: Union[int, Literal["continuous"], Sequence[Time], Mapping[str, Any]],
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    hit: Optional[bool] = None,
    tags: Optional[Mapping[str, Any]] = None,
    quanto: Optional[Mapping[str, Any]] = None,
) -> Trade: ...

def touch(
    id: Optional[str] = None,
    *,
    asset: str,
    expiry: Time,
    touch: Literal["one", "no"],
    monitoring: Union[int, Literal["continuous"], Sequence[Time], Mapping[str, Any]],
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    direction: Optional[Literal["up", "down"]] = None,
    pay_at: Optional[Literal["expiry", "hit"]] = None,
    cash: Optional[float] = None,
    barrier: Optional[float] = None,
    lower: Optional[float] = None,
    upper: Optional[float] = None,
    hit: Optional[bool] = None,
    tags: Optional[Mapping[str, Any]] = None,
    quanto: Optional[Mapping[str, Any]] = None,
) -> Trade: ...

def lookback(
    id: Optional[str] = None,
    *,
    asset: str,
    expiry: Time,
    option: Literal["call", "put"],
    strike_type: Literal["fixed", "floating"],
    monitoring: Union[int, Literal["continuous"], Sequence[Time], Mapping[str, Any]],
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    strike: Optional[float] = None,
    extreme: Optional[float] = None,
    tags: Optional[Mapping[str, Any]] = None,
    quanto: Optional[Mapping[str, Any]] = None,
) -> Trade: ...

def forward_start(
    id: Optional[str] = None,
    *,
    asset: str,
    expiry: Time,
    option: Literal["call", "put"],
    start: Time,
    strike_ratio: float,
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    past: Optional[Mapping[str, Any]] = None,
    tags: Optional[Mapping[str, Any]] = None,
    quanto: Optional[Mapping[str, Any]] = None,
) -> Trade: ...

def basket(
    id: Optional[str] = None,
    *,
    assets: Sequence[str],
    expiry: Time,
    option: Literal["call", "put"],
    strike: float,
    kind: Literal["average", "geometric", "best_of", "worst_of"],
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    weights: Optional[Sequence[float]] = None,
    tags: Optional[Mapping[str, Any]] = None,
    quanto: Optional[Mapping[str, Any]] = None,
) -> Trade: ...

def spread(
    id: Optional[str] = None,
    *,
    assets: Sequence[str],
    expiry: Time,
    option: Literal["call", "put"],
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    strike: Optional[float] = None,
    weights: Optional[Sequence[float]] = None,
    tags: Optional[Mapping[str, Any]] = None,
    quanto: Optional[Mapping[str, Any]] = None,
) -> Trade: ...

def cliquet(
    id: Optional[str] = None,
    *,
    asset: str,
    expiry: Time,
    notional: float,
    reset_times: Union[Sequence[Time], Mapping[str, Any]],
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    past: Optional[Mapping[str, Any]] = None,
    local_floor: Optional[float] = None,
    local_cap: Optional[float] = None,
    global_floor: Optional[float] = None,
    global_cap: Optional[float] = None,
    tags: Optional[Mapping[str, Any]] = None,
    quanto: Optional[Mapping[str, Any]] = None,
) -> Trade: ...

def variance_swap(
    id: Optional[str] = None,
    *,
    asset: str,
    expiry: Time,
    notional: float,
    strike_volatility: float,
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    past: Optional[Mapping[str, Any]] = None,
    fixings: Optional[int] = None,
    fixing_times: Optional[Union[Sequence[Time], Mapping[str, Any]]] = None,
    tags: Optional[Mapping[str, Any]] = None,
    quanto: Optional[Mapping[str, Any]] = None,
) -> Trade: ...

def autocallable(
    id: Optional[str] = None,
    *,
    assets: Sequence[str],
    expiry: Time,
    notional: float,
    observation_times: Union[Sequence[Time], Mapping[str, Any]],
    call_level: float,
    coupon: float,
    protection_level: float,
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    past: Optional[Mapping[str, Any]] = None,
    initial: Optional[Sequence[float]] = None,
    coupon_day_count: Optional[Literal["ACT/365F", "ACT/360", "30/360", "ACT/ACT"]] = None,
    coupon_level: Optional[float] = None,
    memory: Optional[bool] = None,
    tags: Optional[Mapping[str, Any]] = None,
    quanto: Optional[Mapping[str, Any]] = None,
) -> Trade: ...

def american(
    id: Optional[str] = None,
    *,
    expiry: Time,
    option: Literal["call", "put"],
    strike: float,
    asset: Optional[str] = None,
    assets: Optional[Sequence[str]] = None,
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    kind: Optional[Literal["average", "geometric", "best_of", "worst_of"]] = None,
    weights: Optional[Sequence[float]] = None,
    exercise: Optional[Union[int, Literal["american"]]] = None,
    exercise_times: Optional[Union[Sequence[Time], Mapping[str, Any]]] = None,
    tags: Optional[Mapping[str, Any]] = None,
    quanto: Optional[Mapping[str, Any]] = None,
) -> Trade: ...

def forward(
    id: Optional[str] = None,
    *,
    asset: str,
    expiry: Time,
    strike: float,
    quantity: Optional[float] = None,
    settlement_days: Optional[int] = None,
    tags: Optional[Mapping[str, Any]] = None,
    quanto: Optional[Mapping[str, Any]] = None,
) -> Trade: ...

def future(
    id: Optional[str] = None,
    *,
    asset: str,
    expiry: Time,
    strike: float,
    quantity: Optional[float] = None,
    tags: Optional[Mapping[str, Any]] = None,
    quanto: Optional[Mapping[str, Any]] = None,
) -> Trade: ...

def position(
    id: Optional[str] = None,
    *,
    asset: str,
    quantity: Optional[float] = None,
    tags: Optional[Mapping[str, Any]] = None,
) -> Trade: ...

def cash(
    id: Optional[str] = None,
    *,
    currency: str,
    amount: float,
    quantity: Optional[float] = None,
    pay_date: Optional[Time] = None,
    tags: Optional[Mapping[str, Any]] = None,
) -> Trade: ...

def premium(
    id: Optional[str] = None,
    *,
    currency: str,
    amount: float,
    pay_date: Time,
    quantity: Optional[float] = None,
    tags: Optional[Mapping[str, Any]] = None,
) -> Trade: ...

def fee(
    id: Optional[str] = None,
    *,
    currency: str,
    amount: float,
    quantity: Optional[float] = None,
    pay_date: Optional[Time] = None,
    tags: Optional[Mapping[str, Any]] = None,
) -> Trade: ...
