-- An adapter for "Acme", a vendor that does not exist. It streams a JSON value a line:
--   {"kind": "say", "words": "Hel"}
--   {"kind": "act", "number": 1, "tool": "clock", "input": {"zone": "UTC"}}
--   {"kind": "end", "why": "finished", "read": 12, "wrote": 5}

local adapter = {}

-- `request` is what Hearth asks, free of any vendor's shape. What is returned is sent.
function adapter.request(request)
  local turns = json.list()
  for _, message in request.messages do
    if message.role == "assistant" then
      table.insert(turns, { from = "acme", words = message.text, acts = message.calls })
    else
      table.insert(turns, { from = "you", words = message.text, outcomes = message.results })
    end
  end
  return {
    url = "/v2/talk",
    headers = { ["x-acme-mode"] = request.options.mode or "plain" },
    body = {
      brain = request.model,
      rules = request.system,
      turns = turns,
      tools = request.tools,
      most_tokens = request.output_tokens_max,
    },
  }
end

local WHY = { finished = "stop", acting = "tool_calls", ["too long"] = "length", ["not allowed"] = "content_filter" }

-- `event` is a line of the stream. `state` is kept until the answer ends; here it counts the calls.
function adapter.chunk(event, state)
  local line = event.json
  if not line then
    return nil
  end
  if line.kind == "say" then
    return { text = line.words }
  elseif line.kind == "muse" then
    return { reasoning = line.words }
  elseif line.kind == "act" then
    state.calls = (state.calls or 0) + 1
    return { calls = { { index = state.calls, name = line.tool, arguments = line.input } } }
  elseif line.kind == "trouble" then
    return { error = { code = "overloaded", reason = line.words } }
  elseif line.kind == "end" then
    return {
      finish = WHY[line.why] or "stop",
      usage = { prompt_tokens = line.read, completion_tokens = line.wrote },
      done = true,
    }
  end
end

-- The whole answer of a server that does not stream: the same lines, in a list.
function adapter.response(status, headers, body, state)
  local pieces = json.list()
  for _, line in json.decode(body) do
    table.insert(pieces, adapter.chunk({ json = line }, state))
  end
  return pieces
end

-- What a refusal means. Without an answer (nil), Hearth goes by the status.
function adapter.error(status, body)
  if body:find("nap", 1, true) then
    return { code = "overloaded", reason = "Acme takes a nap", retry_after_ms = 2000 }
  elseif body:find("too many words", 1, true) then
    return { code = "context_too_long", reason = "Acme does not read this much" }
  end
end

return adapter
