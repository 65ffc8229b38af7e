"""Feeds in a storage that is compatible with S3, as JSON Lines and as Parquet."""

from __future__ import annotations

import io
import json

import pytest
from mockserver import ADDON, SENTENCE, article, crawl, spider_of

pytest.importorskip("moto", reason="needs moto[s3]")
parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet")

import boto3  # noqa: E402
from moto import mock_aws  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")  # of boto3 and moto


@pytest.fixture
def bucket(monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        client = boto3.client("s3")
        client.create_bucket(Bucket="clean")
        yield client


def read_objects(client, suffix: str) -> list[bytes]:
    found = client.list_objects_v2(Bucket="clean")["Contents"]
    keys = sorted(entry["Key"] for entry in found if entry["Key"].endswith(suffix))
    return [client.get_object(Bucket="clean", Key=key)["Body"].read() for key in keys]


def test_feeds_are_stored_in_files_of_some_items_each(bucket, site):
    urls = [site.add(f"/s3/{n}", article(title=f"Page {n}")) for n in range(5)]

    pages = spider_of(*urls)
    settings = {
        **ADDON,
        "WEB2TEXT_BLOCKS": "content",
        "FEEDS": {
            "s3://clean/%(name)s-%(batch_id)05d.jsonl": {"format": "jsonlines", "batch_item_count": 2},
            "s3://clean/%(name)s-%(batch_id)05d.parquet": {"format": "web2text-parquet", "batch_item_count": 2},
        },
    }
    crawl(pages, settings)
    lines = [json.loads(line) for data in read_objects(bucket, ".jsonl") for line in data.splitlines()]
    tables = [parquet.read_table(io.BytesIO(data)) for data in read_objects(bucket, ".parquet")]
    assert [len(table) for table in tables] == [2, 2, 1]
    rows = [row for table in tables for row in table.to_pylist()]
    assert sorted(row["url"] for row in rows) == sorted(line["url"] for line in lines) == sorted(urls)
    for row in rows:
        (line,) = (line for line in lines if line["url"] == row["url"])
        assert SENTENCE in row["text"]
        assert (row["text"], row["blocks"]) == (line["main_content"], line["blocks"])
        assert {name: row[name] for name in line["web2text"]} == line["web2text"]
