"""Systems of other papers, for comparison: their labelers run with torch and are loaded only when one is named."""
