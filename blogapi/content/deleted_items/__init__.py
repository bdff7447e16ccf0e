"""Articles and pages that were deleted: they are kept as documents for BIN_DAYS and can be restored."""
