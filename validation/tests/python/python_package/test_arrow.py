"""The table as Arrow's stream, read as a consumer in C does: structures are moved, children taken
one by one, and all that was held is released."""

from __future__ import annotations

import ctypes
import gc
import math
import struct

import pytest
from books import call, market

import pricer
from pricer import _arrow

get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


@pytest.fixture(scope="module")
def results() -> pricer.Results:
    trades = [call("A"), call("Zürich", option="put"), call("USD", asset="EURUSD", strike=1.1)]
    book = pricer.Book(market(), trades * 1)
    return book.price(engine="cpu", paths=4096, greeks=["delta"], check="none")


def function(pointer, *arguments):
    return ctypes.CFUNCTYPE(ctypes.c_int, *(ctypes.c_void_p for _ in arguments))(pointer)(*arguments)


def release(structure):
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(structure.release)(ctypes.addressof(structure))
    assert not structure.release


def moved(structure):
    """Takes a structure as consumers do: a copy, the original being marked as released."""
    copy = type(structure).from_buffer_copy(structure)
    structure.release = None
    return copy


def read(schema, column):
    pointers = column.buffers
    valid = pointers[0]
    bits = ctypes.string_at(valid, (column.length + 7) // 8) if valid else None
    if schema.format == b"u":
        ends = struct.unpack(f"{column.length + 1}i", ctypes.string_at(pointers[1], 4 * column.length + 4))
        text = ctypes.string_at(pointers[2], ends[-1])
        values = [text[a:b].decode() for a, b in zip(ends, ends[1:])]
    else:
        assert schema.format == b"g"
        values = list(struct.unpack(f"{column.length}d", ctypes.string_at(pointers[1], 8 * column.length)))
    if bits is None:
        assert column.null_count == 0
        return values
    nulls = [not bits[i // 8] >> i % 8 & 1 for i in range(column.length)]
    assert sum(nulls) == column.null_count > 0
    return [None if null else value for null, value in zip(nulls, values)]


def consume(capsule):
    at = get_pointer(capsule, b"arrow_array_stream")
    stream = moved(_arrow.Stream.from_address(at))
    schema, array, end = _arrow.Schema(), _arrow.Array(), _arrow.Array()
    here = ctypes.addressof(stream)
    assert function(stream.get_schema, here, ctypes.addressof(schema)) == 0
    assert function(stream.get_next, here, ctypes.addressof(array)) == 0
    assert function(stream.get_next, here, ctypes.addressof(end)) == 0
    assert array.release and not end.release
    release(stream)
    assert schema.format == b"+s" and schema.n_children == array.n_children
    children = [array.children[i].contents for i in range(array.n_children)]
    taken = {i: moved(child) for i, child in enumerate(children) if i % 2}
    columns = {}
    for i in range(schema.n_children):
        if i not in taken:
            about = schema.children[i].contents
            columns[about.name.decode()] = read(about, children[i])
    release(array)
    for i, column in taken.items():  # they live on
        about = schema.children[i].contents
        columns[about.name.decode()] = read(about, column)
        release(column)
    release(schema)
    return columns


def test_a_consumer_reads_the_table(results):
    before = len(_arrow._HELD)
    columns = consume(results.__arrow_c_stream__())
    table = results.table()
    assert set(columns) == set(table) and "delta:SX5E" in columns
    for name, values in table.items():
        wanted = [None if isinstance(v, float) and math.isnan(v) else v for v in values]
        assert columns[name] == wanted, name
    assert columns["trade_id"][1] == "Zürich" and columns["delta:SX5E"][2] is None
    assert columns["reference"] == [None, None, None] and columns["price"][0] > 0
    gc.collect()
    assert len(_arrow._HELD) == before == 0


def test_a_column_s_schema_outlives_its_table_s():
    schema = _arrow._schema({"a name of its own " * 8: [], "other": []})
    child = moved(schema.children[0].contents)
    assert "a name of its own " * 8 == _arrow._HELD[child.private_data][0].decode()
    release(schema)
    gc.collect()
    assert child.name.decode() == "a name of its own " * 8
    release(child)
    assert not _arrow._HELD


@pytest.mark.parametrize(("error", "number"), [(ValueError, 12), (OverflowError, 75)])
def test_an_exception_is_told(error, number, monkeypatch):
    def fail(*_):
        raise error

    capsule = _arrow.stream_capsule({"good": ["A"], "bad": ["B"]})
    at = get_pointer(capsule, b"arrow_array_stream")
    stream = _arrow.Stream.from_address(at)
    for get, out in ((stream.get_schema, _arrow.Schema()), (stream.get_next, _arrow.Array())):
        ctypes.memset(ctypes.addressof(out), 1, ctypes.sizeof(out))
        monkeypatch.setattr(_arrow, "_finish", fail)
        assert function(get, at, ctypes.addressof(out)) == number
        assert not out.release
    del stream, capsule
    gc.collect()
    assert not _arrow._HELD


def test_what_nobody_reads_is_released(results):
    capsule = results.__arrow_c_stream__()
    assert len(_arrow._HELD) == 2
    del capsule
    assert not _arrow._HELD


def test_consumers_that_are_installed(results):
    pyarrow = pytest.importorskip("pyarrow")
    if not hasattr(pyarrow.RecordBatchReader, "from_stream"):
        pytest.skip("pyarrow is too old for the capsules of streams")
    assert pyarrow.table(results).column("price").to_pylist() == list(results.price)
