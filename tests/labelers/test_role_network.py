"""The network of roles, the signs in names that it sees, and what options make of roles."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from scrapy_web2text.exceptions import ModelError
from scrapy_web2text.features.modern.page import modern_features
from scrapy_web2text.labelers.base import Labeling
from scrapy_web2text.labelers.modern.labeler import ModernLabeler
from scrapy_web2text.labelers.modern.roles import N_NAME_COLUMNS, NAMES, RoleNetwork, read_name_columns, role_shapes
from scrapy_web2text.labelers.roles import exclude_roles, include_roles, mark_comments, name_roles
from scrapy_web2text.labelers.weights import find_model, load_model
from scrapy_web2text.labels.pages import read_blocks
from scrapy_web2text.options import ROLES, Options
from scrapy_web2text.page.blocks import BlockSequence
from scrapy_web2text.page.reader import hash_name


def softmax(row):
    powers = np.exp(row - row.max())
    return powers / powers.sum()


@pytest.mark.parametrize("n", [1, 2, 5])
def test_the_network_sees_each_block_between_its_neighbors(n):
    random = np.random.default_rng(n)
    tensors = {name: random.normal(size=shape).astype(np.float32) for name, shape in role_shapes(7, 4).items()}
    rows = random.normal(size=(n, 7 + N_NAME_COLUMNS)).astype(np.float32)
    inner, outer = (tensors[f"roles.{number}.weight"].astype(np.float64) for number in (0, 1))
    hidden = [np.maximum(row @ inner + tensors["roles.0.bias"], 0) for row in rows]
    padded = [np.zeros(4), *hidden, np.zeros(4)]
    expected = [softmax(np.concatenate(padded[i : i + 3]) @ outer + tensors["roles.1.bias"]) for i in range(n)]
    chances = RoleNetwork(tensors)([rows[:, :3], rows[:, 3:]])
    np.testing.assert_allclose(chances, expected, rtol=1e-3, atol=1e-5)


def words_of(element):
    return {number for name in ("class", "id") for number in hash_name(element.get(name, ""))}


def test_signs_are_those_of_the_own_elements_and_of_all_around_them():
    found = read_blocks(
        "<body class=post><div id=comments><p class='author-name'>Ada</p><p><b class=date>May</b> first</p></div>"
        "<ul><li>One</ul></body>"
    )
    page, blocks = found.page, found.blocks
    signs = read_name_columns(modern_features(page, blocks))
    assert signs.shape == (blocks.n_blocks, N_NAME_COLUMNS)
    hashes = {sign: {number for word in words.split() for number in hash_name(word)} for sign, words in NAMES.items()}
    near = [["p"], ["b", "p"], ["li"]]
    for i, leaf in enumerate(blocks.leaves[blocks.starts].tolist()):
        above = [page.elements[int(page.owners(page.leaf_slots[leaf : leaf + 1])[0])]]
        above += [*above[0].iterancestors()]
        own = [element for element in above if element.tag in near[i]]
        for k, sign in enumerate(NAMES):
            assert signs[i, k] == any(words_of(element) & hashes[sign] for element in own), (i, sign)
            assert signs[i, k + len(NAMES)] == any(words_of(element) & hashes[sign] for element in above), (i, sign)


def labeling_of(roles, labels=None, chance=0.9):
    """Return a labeling of blocks that most likely have *roles*; content is "c" in *labels*."""
    n = len(roles)
    chances = np.full((n, len(ROLES)), (1 - chance) / (len(ROLES) - 1))
    chances[np.arange(n), [ROLES.index(role) for role in roles]] = chance
    is_content = np.array([letter == "c" for letter in labels or "c" * n])
    blocks = BlockSequence(np.arange(n), np.arange(n))
    return Labeling(blocks, is_content.astype(np.int64), None, np.full(n, 3), roles=lambda: chances)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "--cc-"),
        ({"lead": "include"}, "-ccc-"),
        ({"captions": "include"}, "--ccc"),
        ({"captions": "exclude", "lead": "exclude"}, "--cc-"),
        ({"comments": "exclude"}, "--c--"),
        ({"comments": "separate", "bylines": "include"}, "c-c--"),
    ],
    ids=str,
)
def test_options_include_and_exclude_by_role(options, expected):
    labeling = labeling_of(["byline", "lead", "body", "comment", "caption"], "--cc-")
    labels = exclude_roles(include_roles(labeling, Options(**options)), Options(**options))
    assert "".join("-c"[label] for label in labels) == expected


def test_a_page_without_content_gets_none_by_roles():
    labeling = labeling_of(["lead", "body"], "--")
    assert include_roles(labeling, Options(lead="include")) is labeling


def test_an_unlikely_lead_is_included_and_an_unlikely_caption_is_not():
    labeling = labeling_of(["lead", "caption", "body"], "--c", chance=0.2)
    labels = include_roles(labeling, Options(lead="include", captions="include")).labels
    assert labels.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("roles", "expected"),
    [
        ("body", "-"),
        ("body comment", "-x"),
        ("body post_header comment", "-xx"),
        ("post_header body comment post_header", "--xx"),
        ("body post_header", "--"),
        ("post_header title", "--"),
    ],
)
def test_a_header_belongs_to_the_text_after_it_or_else_before_it(roles, expected):
    assert "".join("-x"[each] for each in mark_comments(labeling_of(roles.split())).astype(int)) == expected


def test_a_labeling_without_roles_stays_as_it_is():
    blocks = BlockSequence(np.arange(2), np.arange(2))
    labeling = Labeling(blocks, np.array([0, 1]), None, np.array([3, 3]))
    options = Options(lead="include", comments="exclude")
    assert include_roles(labeling, options) is labeling
    assert exclude_roles(labeling, options) is labeling.labels
    assert name_roles(labeling) is None
    assert not mark_comments(labeling).any()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda roles: [*reversed(roles)], "roles: expected the roles title, lead, "),
        (lambda roles: [*roles, "footer"], "roles: expected the roles title, lead, "),
        (lambda _: "abc", "roles: expected the roles title, lead, "),
        (lambda _: {}, "roles: expected the roles title, lead, "),
    ],
    ids=["order", "unknown", "a-text", "a-table"],
)
def test_a_model_with_other_roles_is_refused(tmp_path, change, message):
    folder = shutil.copytree(find_model("web2text-2026"), tmp_path / "model")
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    manifest["roles"] = change(manifest["roles"])
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(ModelError, match=message):
        ModernLabeler(load_model(folder))


def test_a_model_without_roles_tells_none(tmp_path):
    folder = shutil.copytree(find_model("web2text-2026"), tmp_path / "model")
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    del manifest["roles"]
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    labeler = ModernLabeler(load_model(folder))
    assert not labeler.has_roles
    assert labeler.label(read_blocks("<p>Some words of a text").page).roles is None
