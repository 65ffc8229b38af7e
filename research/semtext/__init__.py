"""SemText: Zhang, Wang: Boilerplate Detection via Semantic Classification of TextBlocks."""
