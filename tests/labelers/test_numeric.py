from __future__ import annotations

import numpy as np
import pytest

from scrapy_web2text.labelers.numeric import log_softmax, multiply, multiply_each


@pytest.mark.parametrize(("n_members", "n_rows"), [(3, n) for n in (0, 1, 2, 113, 114, 115, 227, 500)] + [(1, 500)])
def test_each_network_multiplies_its_own_part_of_the_rows(n_members, n_rows):
    random = np.random.default_rng(0)
    rows = random.normal(size=(n_rows, n_members, 48)).astype(np.float32)
    weights = random.normal(size=(n_members, 48, 48)).astype(np.float32)  # 113 rows a chunk
    expected = [rows[:, member] @ weights[member] for member in range(n_members)]
    found = multiply_each(rows.reshape(n_rows, 48 * n_members), weights)
    np.testing.assert_allclose(found, np.concatenate(expected, axis=1), atol=1e-4)


def test_no_chunk_is_large_enough_for_the_threads_of_blas(monkeypatch):
    sizes = []
    matmul = np.matmul

    def watched(rows, weight, out):
        sizes.append(rows.shape[-2] * weight[0].size)
        return matmul(rows, weight, out=out)

    monkeypatch.setattr(np, "matmul", watched)
    multiply(np.zeros((1000, 150), np.float32), np.ones((150, 50), np.float32))
    assert len(sizes) == 2  # all whole chunks together, and the rest
    assert 200_000 < max(sizes) <= 262_144


def test_weights_larger_than_a_chunk_are_multiplied_row_by_row():
    rows, weight = np.ones((3, 600), np.float32), np.ones((600, 500), np.float32)
    assert (multiply(rows, weight) == 600).all()


@pytest.mark.parametrize(("n_rows", "n_columns"), [(1, 50), (35, 50), (1000, 1), (1, 1)])
def test_products_with_one_row_or_column_do_not_use_blas(n_rows, n_columns, monkeypatch):
    rows, weight = np.ones((n_rows, 150), np.float32), np.ones((150, n_columns), np.float32)
    shapes = []
    matmul = np.matmul
    monkeypatch.setattr(np, "matmul", lambda a, b, out: shapes.append(out.shape[-2:]) or matmul(a, b, out=out))
    assert (multiply(rows, weight) == 150).all()
    assert all(1 not in shape for shape in shapes)


def test_log_softmax_is_the_logarithm_of_a_distribution():
    logits = np.array([[0.0, 0.0], [1000.0, 0.0], [-3.0, 2.0]], dtype=np.float32)
    np.testing.assert_allclose(np.exp(log_softmax(logits)).sum(axis=1), 1)
    np.testing.assert_allclose(np.diff(log_softmax(logits))[:, 0], [0, -1000, 5])
