"""Back-test a mean-reversion strategy on minute bars and write its ledger.

    python backtest.py bars/EURUSD_2024.parquet --out ledger.parquet

The bars have the columns time, open, high, low, close; one year has some 370,000 of them.
"""
import argparse
from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Settings:
    window: int = 240
    enter_z: float = 2.0
    leave_z: float = 0.5
    lot: float = 10_000.0
    fee: float = 0.00002
    cash: float = 100_000.0


class Ledger:
    """What the account held after every bar."""

    def __init__(self):
        self.rows = []

    def book(self, time, price, units, equity):
        self.rows.append((time, price, units, equity))

    def frame(self):
        return pd.DataFrame(self.rows, columns=["time", "price", "units", "equity"])


class Account:
    def __init__(self, settings: Settings):
        self.settings = settings
        self.cash = settings.cash
        self.units = 0.0

    def target(self, units, price):
        change = units - self.units
        self.cash -= change * price + abs(change) * self.settings.fee
        self.units = units

    def equity(self, price):
        return self.cash + self.units * price


def z_scores(close: pd.Series, window: int) -> np.ndarray:
    rolling = close.rolling(window)
    return ((close - rolling.mean()) / rolling.std()).to_numpy()


def run(bars: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    account, ledger = Account(settings), Ledger()
    times = bars["time"].to_numpy()
    closes = bars["close"].to_numpy()
    scores = z_scores(bars["close"], settings.window)

    for time, price, z in zip(times, closes, scores):
        if not np.isnan(z):
            if account.units == 0.0 and abs(z) > settings.enter_z:
                account.target(-np.sign(z) * settings.lot, price)
            elif account.units != 0.0 and abs(z) < settings.leave_z:
                account.target(0.0, price)
        ledger.book(time, price, account.units, account.equity(price))
    return ledger.frame()


def report(ledger: pd.DataFrame) -> dict:
    equity = ledger.set_index("time")["equity"]
    daily = equity.resample("1D").last().dropna().pct_change().dropna()
    drawdown = 1.0 - equity / equity.cummax()
    return {
        "final_equity": round(float(equity.iloc[-1]), 2),
        "sharpe": float(np.sqrt(252) * daily.mean() / daily.std()) if len(daily) > 1 else 0.0,
        "max_drawdown": float(drawdown.max()),
        "trades": int((ledger["units"].diff().fillna(0) != 0).sum()),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bars")
    parser.add_argument("--out", default="ledger.parquet")
    parser.add_argument("--window", type=int, default=Settings.window)
    args = parser.parse_args()

    ledger = run(pd.read_parquet(args.bars), Settings(window=args.window))
    ledger.to_parquet(args.out)
    for name, value in report(ledger).items():
        print(f"{name:>14}: {value}")


if __name__ == "__main__":
    main()
