-- The load: bodies from a file, one a line, in turn. At the end one line of JSON, times in microseconds.

local requests = {}
local position = 0

function init(args)
  local headers = { ["Content-Type"] = args[2] }
  for form in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format("POST", nil, headers, form)
  end
end

function request()
  position = position % #requests + 1
  return requests[position]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%.0f,"duration":%.0f,"bytes":%.0f,"p50":%.0f,"p90":%.0f,"p99":%.0f,"max":%.0f,' ..
    '"refused":%.0f,"broken":%.0f,"timedOut":%.0f}\n',
    summary.requests, summary.duration, summary.bytes,
    latency:percentile(50), latency:percentile(90), latency:percentile(99), latency.max,
    errors.status, errors.connect + errors.read + errors.write, errors.timeout
  ))
end
