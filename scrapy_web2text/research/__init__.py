"""Systems of other papers, for comparison. Their labelers need torch, and are imported only when used."""
