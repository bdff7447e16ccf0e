-- Prints what wrk measured as one line of JSON, for load.py.
done = function(summary, latency, requests)
  local failed = summary.errors
  io.write(string.format(
    '{"requests": %d, "seconds": %.6f, "p50_ms": %.4f, "p99_ms": %.4f, "errors": %d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    failed.connect + failed.read + failed.write + failed.status + failed.timeout))
end
