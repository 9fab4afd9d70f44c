-- Servers that speak OpenAI's chat completions, as a Lua adapter. Hearth has this built in (kind = "openai"); it stands
-- here as an example that does everything an adapter can.

local adapter = {}

local function encode_call(call)
  return {
    id = call.id,
    type = "function",
    -- `arguments` is a text of JSON in this protocol.
    ["function"] = { name = call.name, arguments = json.encode(call.arguments) },
  }
end

local function messages_of(request)
  local messages = json.list()
  if request.system ~= "" then
    table.insert(messages, { role = "system", content = request.system })
  end
  for _, message in request.messages do
    if message.role == "assistant" then
      local encoded = { role = "assistant", content = message.text }
      for _, call in message.calls do
        encoded.tool_calls = encoded.tool_calls or {}
        table.insert(encoded.tool_calls, encode_call(call))
      end
      table.insert(messages, encoded)
    else
      for _, result in message.results do
        table.insert(messages, { role = "tool", tool_call_id = result.id, content = result.text })
      end
      if message.text ~= "" then
        table.insert(messages, { role = "user", content = message.text })
      end
    end
  end
  return messages
end

function adapter.request(request)
  local body = {
    model = request.model,
    messages = messages_of(request),
    max_tokens = request.output_tokens_max,
    stream = true,
    stream_options = { include_usage = true },
  }
  for _, tool in request.tools do
    body.tools = body.tools or {}
    table.insert(body.tools, { type = "function", ["function"] = tool })
  end
  return { url = "/chat/completions", body = body }
end

local FINISH = {
  length = "length",
  tool_calls = "tool_calls",
  function_call = "tool_calls",
  content_filter = "content_filter",
}

local function usage_of(usage)
  if not usage then
    return nil
  end
  local details = usage.prompt_tokens_details or {}
  return {
    prompt_tokens = usage.prompt_tokens,
    cached_tokens = details.cached_tokens or usage.prompt_cache_hit_tokens,
    completion_tokens = usage.completion_tokens,
  }
end

-- One object of the answer; `part` is where the words stand in it.
local function piece_of(answer, part)
  if answer.error then
    return { error = { code = "server", reason = answer.error.message } }
  end
  local piece = { model = answer.model, usage = usage_of(answer.usage) }
  local choice = answer.choices and answer.choices[1]
  if not choice then
    return piece
  end
  local delta = choice[part] or {}
  piece.text = delta.content
  piece.reasoning = delta.reasoning_content or delta.reasoning
  piece.calls = json.list()
  for _, call in delta.tool_calls or {} do
    local called = call["function"] or {}
    table.insert(piece.calls, { index = call.index, id = call.id, name = called.name, arguments = called.arguments })
  end
  if choice.finish_reason and choice.finish_reason ~= "" then
    piece.finish = FINISH[choice.finish_reason] or "stop"
  end
  return piece
end

function adapter.chunk(event)
  if event.data == "[DONE]" then
    return { done = true }
  end
  if event.json then
    return piece_of(event.json, "delta")
  elseif event.complete then
    return { error = { code = "server", reason = "a piece of the answer is not JSON" } }
  end
  -- Half an event: the connection ended inside it, and Hearth says so.
end

function adapter.response(status, headers, body)
  local is_json, answer = pcall(json.decode, body)
  if is_json and type(answer) == "table" then
    return piece_of(answer, "message")
  end
  return { error = { code = "server", reason = "the answer is not a JSON object" } }
end

return adapter
