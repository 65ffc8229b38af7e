"""The torch network: batches of pages, and its twin in numpy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from modern_training import training_page

from scrapy_web2text.training.modern.batches import collate
from scrapy_web2text.training.modern.network import TorchNetwork
from scrapy_web2text.training.modern.train import predict, to_numpy_network


def test_pages_in_a_batch_get_the_same_logits_as_alone(network):
    pages = [training_page(number) for number in (1, 2, 5)]
    with torch.inference_mode():
        unary, pairwise, _ = network(collate(pages))
    for i, page in enumerate(pages):
        alone_unary, alone_pairs = predict(network, page)
        np.testing.assert_allclose(unary[i, : page.n_blocks], alone_unary[:, 1], atol=1e-5)
        np.testing.assert_allclose(pairwise[i, : page.n_blocks - 1], alone_pairs.reshape(-1, 4), atol=1e-5)


def test_the_numpy_network_agrees_with_the_torch_network(network):
    for member in network.members:
        for table in (member.names, member.words):
            table.data = table.data.half().float()
    numpy_network = to_numpy_network(network.members[0].choice, network.to_arrays())
    for number, depth in ((1, 0), (2, 0), (4, 0), (4, 50)):
        page = training_page(number, depth)
        unary, pairs = predict(network, page)
        own_unary, own_pairs, *_ = numpy_network(page.features)
        np.testing.assert_allclose(own_unary, unary[:, 1], atol=1e-4)
        np.testing.assert_allclose(own_pairs, pairs.reshape(-1, 4), atol=1e-4)


def test_the_network_of_a_model_file_has_its_answers(network):
    arrays = network.to_arrays()
    loaded = TorchNetwork.from_arrays(arrays, replace(network.members[0].choice, members=2))
    for name, array in loaded.to_arrays().items():
        np.testing.assert_array_equal(array, arrays[name], err_msg=name)
