"""Talks with the door as the official OpenAI client does. Prints one JSON object of what it saw."""

import json
import sys

import openai

base_url, key = sys.argv[1], sys.argv[2]
client = openai.OpenAI(base_url=base_url, api_key=key, max_retries=0, timeout=60)
seen = {}


def ask(text, **more):
    return client.chat.completions.create(model="hearth", messages=[{"role": "user", "content": text}], **more)


def failure(call):
    try:
        call()
    except openai.APIStatusError as error:
        return [type(error).__name__, error.status_code, error.code, error.message]
    except openai.APIError as error:
        return [type(error).__name__, None, error.code, error.message]
    return None


seen["models"] = [model.id for model in client.models.list()]
seen["model"] = client.models.retrieve("hearth").id
seen["no_model"] = failure(lambda: client.models.retrieve("gpt-4o"))

whole = ask("plain", temperature=0.2, max_tokens=20, user="ann")
seen["whole"] = {
    "object": whole.object,
    "id": whole.id.split("-")[0],
    "role": whole.choices[0].message.role,
    "content": whole.choices[0].message.content,
    "finish_reason": whole.choices[0].finish_reason,
    "usage": [whole.usage.prompt_tokens, whole.usage.completion_tokens, whole.usage.total_tokens],
    "cached": whole.usage.prompt_tokens_details.cached_tokens,
}

raw = client.chat.completions.with_raw_response.create(
    model="hearth",
    messages=[{"role": "user", "content": "plain"}],
    extra_headers={"X-Hearth-Session": "cli:me:work", "Idempotency-Key": "once"},
)
seen["session"] = raw.headers["x-hearth-session"]

pieces = list(ask("streamed", stream=True, stream_options={"include_usage": True}))
seen["streamed"] = {
    "objects": sorted({piece.object for piece in pieces}),
    "ids": len({piece.id for piece in pieces}),
    "role": pieces[0].choices[0].delta.role,
    "text": "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices),
    "finish_reason": [piece.choices[0].finish_reason for piece in pieces if piece.choices][-1],
    "usage": pieces[-1].usage.total_tokens,
    "no_usage_before": all(piece.usage is None for piece in pieces[:-1]),
}

with client.chat.completions.stream(
    model="hearth", messages=[{"role": "user", "content": "streamed"}]
) as stream:
    for _ in stream:
        pass
    seen["gathered"] = stream.get_final_completion().choices[0].message.content

seen["failed"] = failure(lambda: ask("broken"))
seen["failed_in_stream"] = failure(lambda: list(ask("broken", stream=True)))
# With retries on, a turn that has failed must not be asked for again.
retrying = client.with_options(max_retries=2)
seen["not_retried"] = failure(
    lambda: retrying.chat.completions.create(model="hearth", messages=[{"role": "user", "content": "broken once"}])
)
seen["bad_request"] = failure(lambda: ask("plain", n=2))
seen["bad_key"] = failure(lambda: client.with_options(api_key="wrong").models.list())

print(json.dumps(seen))
