-- Authorizations of 10.00, spread over the cards: wrk … -- KEY ROUND CARDS. Without CARDS, requests lists of checkouts.
local threads = 0

function setup(thread)
   threads = threads + 1
   thread:set("number", threads)
end

function init(args)
   key, round, cards, made = args[1], args[2], tonumber(args[3] or "0"), 0
   math.randomseed(number * 7919 + tonumber(round))
   wrk.headers["Authorization"] = "ApiKey " .. key
   wrk.headers["Content-Type"] = "application/json"
end

local function list()
   return wrk.format("GET", "/v2/merchant/checkouts?accountId=bench-" .. math.random(0, 9))
end

function request()
   if cards == 0 then return list() end
   made = made + 1
   local card = math.random(1, cards)
   wrk.headers["Idempotency-Key"] = "wrk-" .. round .. "-" .. number .. "-" .. made
   local body = string.format(
      '{"cardId":"00000000-0000-0000-0004-%012x","amount":10.00,"network":"VISA","cardAcceptor":{"mid":"11111"}}', card)
   return wrk.format("POST", "/v2/cards/simulations/transaction/authorization?accountId=bench-" .. card % 10, nil, body)
end

function done(summary, latency, requests)
   local e = summary.errors
   print(string.format("RESULT %d %d %d %d", summary.requests, summary.duration, latency:percentile(99),
      e.connect + e.read + e.write + e.status + e.timeout))
end
