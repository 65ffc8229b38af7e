"""Shared parts of networks that run with torch."""

from __future__ import annotations

import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

from research.chains.labeler import run_lstm

LENGTHS = (7, 1, 4, 7, 2)


def run_packed(lstm, sequences):
    """The same by torch's own packed sequences."""
    lengths = torch.tensor([len(sequence) for sequence in sequences])
    packed = pack_padded_sequence(
        pad_sequence(sequences, batch_first=True), lengths, batch_first=True, enforce_sorted=False
    )
    return pad_packed_sequence(lstm(packed)[0], batch_first=True)[0]


def gradients_of(run, lstm, sequences):
    lstm.zero_grad()
    inputs = [sequence.clone().requires_grad_() for sequence in sequences]
    (run(lstm, inputs) ** 2).sum().backward()
    return [parameter.grad.clone() for parameter in lstm.parameters()] + [each.grad for each in inputs]


def test_an_lstm_gives_the_values_and_gradients_of_packed_sequences():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        lstm = torch.nn.LSTM(3, 5, batch_first=True, bidirectional=True)
        sequences = [torch.randn(length, 3) for length in LENGTHS]
    assert torch.allclose(run_lstm(lstm, sequences), run_packed(lstm, sequences), atol=1e-6)
    own, expected = (gradients_of(run, lstm, sequences) for run in (run_lstm, run_packed))
    assert all(torch.allclose(a, b, atol=1e-5) for a, b in zip(own, expected, strict=True))


def test_the_output_after_the_end_of_a_sequence_is_zero():
    lstm = torch.nn.LSTM(2, 3, batch_first=True, bidirectional=True)
    output = run_lstm(lstm, [torch.ones(3, 2), torch.ones(1, 2)])
    assert output.shape == (2, 3, 6)
    assert output[0].all()
    assert not output[1, 1:].any()
