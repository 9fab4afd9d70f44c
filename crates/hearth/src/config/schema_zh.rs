//! The Chinese texts of the config's keys. The English ones are the documentation of the types; a test holds both
//! together.

/// By the English text.
pub(super) const TEXTS: &[(&str, &str)] = &[
    (
        "Models: any number of named sources. With none, the offline model.",
        "模型：任意多个命名的源；一个也没有时用离线模型",
    ),
    ("A source that speaks OpenAI's chat completions.", "使用 OpenAI 对话接口的源"),
    (
        "Where it is. Default `https://api.openai.com/v1`. An address without a path gets `/v1`, save DeepSeek's.",
        "地址，默认 `https://api.openai.com/v1`。没有路径的地址会加上 `/v1`（DeepSeek 除外）",
    ),
    ("The key. Empty for servers that want none.", "密钥；不需要密钥的服务器留空"),
    ("The model that is asked.", "使用的模型"),
    (
        "The model's window in tokens, prompt and answer together. Known for many models; otherwise 128000.",
        "模型的窗口（提示词加回答），按 token 计。许多模型已知，其余按 128000",
    ),
    (
        "The most tokens it is asked to write. Default 8192, or a quarter of a small window.",
        "一次最多写多少 token。默认 8192，窗口小的取其四分之一",
    ),
    ("More headers.", "附加的请求头"),
    (
        "The longest wait for the beginning of an answer, in seconds. Default 120.",
        "等待回答开始的最长时间，秒。默认 120",
    ),
    ("The longest silence inside an answer, in seconds. Default 60.", "回答中途最长的停顿，秒。默认 60"),
    ("More fields of each request; they win over ours.", "附加到每个请求的字段，优先于内置的"),
    (
        "Whether the model thinks first: `auto` (as the vendor does it by default; DeepSeek: off), `on` or `off`.",
        "是否先思考：`auto`（按厂商默认；DeepSeek 为关）、`on` 或 `off`",
    ),
    (
        "How hard it thinks, where the vendor has a word for it (`low`, `medium`, `high`).",
        "思考强度，厂商支持时有效（`low`、`medium`、`high`）",
    ),
    (
        "Whether thoughts of tool calls are sent back: `auto` (where vendors want it), `on` or `off`.",
        "工具调用的思考是否回传：`auto`（厂商需要时）、`on` 或 `off`",
    ),
    ("A source that speaks Anthropic's Messages API.", "使用 Anthropic Messages 接口的源"),
    ("Where it is. Default `https://api.anthropic.com`.", "地址，默认 `https://api.anthropic.com`"),
    (
        "Whether the model thinks first: `off`, `adaptive` (it decides) or `budget`. Default `off`.",
        "是否先思考：`off`、`adaptive`（由模型决定）或 `budget`。默认 `off`",
    ),
    (
        "With `budget`: the most tokens of thought, beside those of the answer. At least 1024, default 4096.",
        "`budget` 时思考最多用多少 token（不含回答）。至少 1024，默认 4096",
    ),
    ("A source behind a Lua adapter.", "由 Lua 适配脚本连接的源"),
    (
        "The header that carries the key; the script never sees it. Default `authorization`.",
        "携带密钥的请求头，脚本看不到密钥。默认 `authorization`",
    ),
    (
        "The script: a path below Hearth's home, such as `adapters/acme.lua`.",
        "脚本：主目录下的路径，例如 `adapters/acme.lua`",
    ),
    (
        "What stands before the key in its header. Default `Bearer ` with a space.",
        "请求头中密钥前面的文字。默认 `Bearer `（含空格）",
    ),
    (
        "Whatever the script wants to know; it finds this as `request.options`.",
        "脚本需要的其他选项，脚本中为 `request.options`",
    ),
    (
        "Where the vendor is. The script may ask addresses below it only.",
        "厂商的地址；脚本只能访问它之下的地址",
    ),
    ("Its config section has no keys.", "离线模型：没有可配置的键"),
    ("Networks that people talk on: any number of named channels.", "人们聊天的网络：任意多个命名的通道"),
    ("The section `[channels.NAME]` with `kind = \"webhook\"`.", "给程序用的网络：`kind = \"webhook\"`"),
    ("Where Hearth posts what it says.", "Hearth 把要说的话发到这个地址"),
    (
        "The key of the signatures, both ways: HMAC-SHA256 of the body in `X-Hearth-Signature`.",
        "双向签名的密钥：正文的 HMAC-SHA256，放在 `X-Hearth-Signature` 中",
    ),
    (
        "A token instead of or beside the signature: `Authorization: Bearer TOKEN`, both ways.",
        "代替签名或与签名并用的令牌：`Authorization: Bearer TOKEN`，双向",
    ),
    (
        "Where Hearth asks whether something arrived: GET with `?delivery=ID`; 200 for yes, 404 for no.",
        "Hearth 在这里询问是否送达：GET 加 `?delivery=ID`；200 表示到了，404 表示没有",
    ),
    ("What to do when nobody knows whether something arrived.", "不知道是否送达时怎么办"),
    ("Which messages are answered; by the kind of chat if not given.", "回答哪些消息；不写则按聊天类型决定"),
    ("How answers leave.", "回答怎样发出"),
    ("Senders who are the owner.", "哪些发送者是主人"),
    ("`[purposes]`: which sources are asked for what, in this order.", "什么用途按什么顺序用哪些源"),
    (
        "For talking. Empty: all configured sources by name, then the offline model.",
        "对话。空：所有配置的源按名称排序，最后是离线模型",
    ),
    ("`[agent]`", "智能体"),
    ("The file that says who the agent is, relative to the home folder.", "写明它是谁的文件，相对于主目录"),
    (
        "How often a turn may go back to the model after tools; then it must answer. 0: as often as time and tokens allow.",
        "一轮中用完工具后最多几次回到模型，之后必须作答。0：时间和 token 允许就不限",
    ),
    ("How long a turn may work, in seconds; then it must answer.", "一轮最多工作多少秒，之后必须作答"),
    (
        "How many tokens a turn may use, prompts and answers together; then it must answer.",
        "一轮最多用多少 token（提示词加回答），之后必须作答",
    ),
    (
        "How often a turn is begun that Hearth's stopping breaks off before it comes a step further; then it fails.",
        "一轮因 Hearth 停止而中断、毫无进展时，最多开始几次；之后算失败",
    ),
    (
        "After a stop, messages older than this are read and not answered, in seconds.",
        "停机之后，比这更早的消息只读不答，秒",
    ),
    ("What begins a command.", "命令的前缀"),
    (
        "`[rights]`: what the agent may do in the owner's own chats. What others may do is fixed by each tool's role.",
        "在主人自己的聊天里可以做什么；别人能做什么由每个工具的角色决定",
    ),
    ("Look at things.", "查看"),
    ("Change things in the home folder.", "修改主目录里的东西"),
    ("Send messages.", "发送消息"),
    ("Run programs.", "运行程序"),
    ("Change Hearth itself.", "修改 Hearth 自身"),
    ("Where the ledger is kept and how safe a commit is.", "数据存在哪里，提交有多安全"),
    ("`sqlite`: the file `hearth.db` in the home folder.", "`sqlite`：主目录中的 `hearth.db`"),
    ("What a commit survives.", "一次提交能经受什么"),
    ("`[gateway]`", "对外的门"),
    (
        "The address and port of the one HTTP door, as `127.0.0.1:8420` or `[::1]:8420`. Port 0 takes a free one.",
        "HTTP 的地址和端口，例如 `127.0.0.1:8420` 或 `[::1]:8420`；端口 0 取一个空闲的",
    ),
    (
        "`[telemetry]`: where traces of turns, model calls and tool calls go.",
        "轮次、模型调用和工具调用的追踪发往哪里",
    ),
    (
        "The OTLP/HTTP address of a collector, such as `http://localhost:4318`. Empty: no traces.",
        "收集器的 OTLP/HTTP 地址，例如 `http://localhost:4318`；空则不发送",
    ),
    ("More headers for it, such as a key.", "附加的请求头，例如密钥"),
    ("The name under which the collector shows this Hearth.", "收集器里显示的名称"),
    ("Whether `/metrics` is answered without the token.", "`/metrics` 是否不用令牌也回答"),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    /// The texts of keys; those of single choices are part of them.
    fn collect(schema: &Value, texts: &mut BTreeSet<String>) {
        texts.extend(schema["description"].as_str().map(str::to_owned));
        for property in schema["properties"].as_object().into_iter().flat_map(|object| object.values()) {
            collect(property, texts);
        }
        let kinds = schema["additionalProperties"]["oneOf"].as_array();
        kinds.into_iter().flatten().for_each(|kind| collect(kind, texts));
    }

    #[test]
    fn every_key_has_a_chinese_text_and_every_chinese_text_is_used() {
        let mut english = BTreeSet::new();
        collect(&super::super::schema(), &mut english);
        let translated: BTreeSet<String> = TEXTS.iter().map(|(english, _)| (*english).to_owned()).collect();
        let missing: Vec<_> = english.difference(&translated).collect();
        let unused: Vec<_> = translated.difference(&english).collect();
        assert!(
            missing.is_empty() && unused.is_empty(),
            "without Chinese: {missing:#?}\nunused: {unused:#?}"
        );
    }
}
