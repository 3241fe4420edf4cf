-- Sends the requests of the file named by the first argument in turn, and prints one line of JSON.
local requests = {}

function init(arguments)
  local number = 0
  for cookie in io.lines(arguments[1]) do
    number = number + 1
    requests[number] = wrk.format("GET", nil, { ["Cookie"] = cookie })
  end
end

local last = 0
function request()
  last = last % #requests + 1
  return requests[last]
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format('{"answers":%d,"seconds":%f,"bytes":%d,"failed":%d,"p50":%f,"p99":%f}\n',
    summary.requests, summary.duration / 1e6, summary.bytes, failed, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
