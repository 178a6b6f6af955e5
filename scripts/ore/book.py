"""The book: its market in BOOK.cfg, its trades in BOOK.csv."""
import os
import re

COLUMNS = ("id type asset option strike expiry quantity exercise barrier direction knock lower upper touch pay_at monitoring hit rebate "
           "rebate_at payout cash averaging strike_type fixing_times settlement_days tag.counterparty tag.netting_set").split()


def field(value):
    text = f"{value:.15g}" if isinstance(value, float) else str(value)
    return '"' + text.replace('"', '""') + '"' if re.search(r'[",\n]|^\s|\s$', text) else text


def plain(path):
    """Returns the name of a file as a comment and a text of a book may hold it."""
    return re.sub(r"[^\w.+-]", "_", os.path.basename(path))


def write_book(path, portfolio, market, rows):
    trades = os.path.splitext(path)[0] + ".csv"
    columns = [c for c in COLUMNS if any(c in row for row in rows)]
    with open(trades, "w", encoding="utf-8") as file:
        for row in [dict(zip(columns, columns))] + rows:
            file.write(",".join(field(row.get(c, "")) for c in columns) + "\n")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"// Made by scripts/from-ore of {plain(portfolio)} and {plain(market.path)}.\n\n"
                   f'valuation_date = "{market.today}";\n\nmarket = {{\n  currencies = (\n')
        file.write(",\n".join(f'    {{ name = "{name}"; {text} }}' for name, text in market.currencies.items()))
        file.write("\n  );\n  assets = (\n")
        file.write(",\n".join(f'    {{ name = "{name}"; {text} }}' for name, text in market.assets.items()))
        file.write(f'\n  );\n}};\n\nbook = {{ name = "{plain(portfolio)}"; trades_file = "{os.path.basename(trades)}"; }};\n')
