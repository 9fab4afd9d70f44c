//! One thing that was said, ready to be understood: politeness peeled off, question or not, in which language.

use hearth_contract::language::Language;

use super::pattern::Pattern;
use super::text::Text;

/// One thing that was said.
#[derive(Debug, Clone)]
pub(crate) struct Clause {
    /// As it was said.
    pub(crate) whole: Text,
    /// Without what merely leads up to it (`please`, `帮我`).
    pub(crate) lead: Text,
    /// Without politeness at either end.
    pub(crate) text: Text,
    /// What stands after `do you know`, `tell me`, `你还记得`.
    pub(crate) asked: Option<Text>,
    /// Whether it asks something.
    pub(crate) question: bool,
    /// The language to answer in.
    pub(crate) language: Language,
}

impl Clause {
    pub(crate) fn new(raw: &str) -> Self {
        let whole = Text::new(raw);
        let (lead, requested) = peel_front(whole.clone());
        let mut text = peel_back(lead.clone(), &POLITE_BACK);
        if requested {
            text = peel_back(text, &REQUEST_BACK);
        }
        let asked = ASKED
            .find(&text)
            .or_else(|| HAND_OVER.find(&text))
            .and_then(|found| found.get("rest").map(Text::new));
        let question = asked.is_some() || is_question(&text) || TAG.is_match(&lead);
        let language = language_of(&lead);
        Self { whole, lead, text, asked, question, language }
    }

    /// What is asked about: the text, or what stands after `do you know`.
    pub(crate) fn matter(&self) -> &Text {
        self.asked.as_ref().unwrap_or(&self.text)
    }
}

/// Chinese as soon as there is a Chinese character, except in an English sentence that only carries some.
fn language_of(text: &Text) -> Language {
    if ENGLISH_OPENING.is_match(text) { Language::En } else { Language::of(text.raw()) }
}

/// Whether a text asks something, with or without a question mark.
pub(crate) fn is_question(text: &Text) -> bool {
    QUESTION_ZH.is_match(text)
        || QUESTION_EN.is_match(text)
        || TAG.is_match(text)
        || ((ALTERNATIVE.is_match(text) || says_both_ways(text.image())) && !REGARDLESS.is_match(text))
}

/// `爱不爱`, `去没去`: a word, a negation and the same word ask whether.
fn says_both_ways(image: &str) -> bool {
    let next = || image.chars().skip(1).zip(image.chars().skip(2));
    image.chars().zip(next()).any(|(first, (between, last))| {
        first == last && matches!(between, '不' | '没') && !matches!(first, '不' | '没')
    })
}

/// Peels what leads up to a request; also whether it was put as a question (`can you …`).
fn peel_front(mut text: Text) -> (Text, bool) {
    let mut requested = false;
    for _ in 0..8 {
        let found = FRONT.iter().find_map(|pattern| {
            pattern.find(&text).map(|found| (found.get("rest").map(Text::new), found.has("can")))
        });
        let Some((Some(rest), can)) = found else { break };
        if rest.is_empty() {
            break;
        }
        requested |= can;
        text = rest;
    }
    (text, requested)
}

fn peel_back(mut text: Text, pattern: &'static Pattern) -> Text {
    for _ in 0..4 {
        let Some(rest) = pattern.find(&text).and_then(|found| found.get("rest").map(Text::new)) else {
            break;
        };
        text = rest;
    }
    text
}

static ENGLISH_OPENING: Pattern = Pattern::new(
    r"^(?:remember|note|write|create|make|save|append|add|read|show|open|what|who|where|when|which|how|do|does|did|is|are|am|i|my|please|can|could|remind|set|search|find|replace|change|put|store|list|fetch|forget|call|wake|tell|the|delete|cancel)(?:'s|'m|'re)?\s",
);

static FRONT: [Pattern; 9] = [
    Pattern::new(
        r"(?s)^you (?:can|may|could|might) (?:now |just |also |please )?(?P<rest>(?:forget|cancel|delete|remove|erase|drop|stop|clear|scrap|remember|note)\b.*)$",
    ),
    Pattern::new(r"(?s)^(?:对|是的?|没错|行|好|算了|不)[,。!]\s*(?P<rest>\S.*)$"),
    Pattern::new(r"(?s)^(?:\d{1,2}[.)、]|[-*•])\s+(?P<rest>[^\d\s].*)$"),
    Pattern::new(
        r"(?s)^(?:just so you know|so you know|for your information|for the record|you should know(?: that)?|please know(?: that)?|let me tell you(?: that)?|guess what|listen)[\s,:;-]+(?P<rest>\S.*)$",
    ),
    Pattern::new(
        r"(?s)^(?:don't forget to|do not forget to|remember to|make sure to|be sure to|make sure you|记得|别忘了?|不要忘了?)\s*(?P<rest>(?:remind|wake|ping|set|提醒我|叫我|喊我).*)$",
    ),
    Pattern::new(
        r"(?s)^(?:(?P<can>(?:can|could|would|will) (?:you|u)(?: please| kindly| maybe)?|would you mind|do you think you could|are you able to|is it possible to|i was wondering if you (?:can|could)|can i ask you to|may i ask you to|could i ask you to)|please|pls|plz|kindly|hey|hi|hiya|howdy|hello|ok|okay|so|well|um+|uh+|hmm+|right|alright|great|cool|sure|yes|yeah|yep|no|nope|oh|ah|just|quickly|also|then|and|but|first|finally|next|afterwards|after that|btw|by the way|oh by the way|fyi|do me a favou?r(?: and)?|i want you to|i need you to|i'd like you to|i would like you to|i'll need you to|you should|you must|you need to|be so kind (?:as )?to|be a dear and|actually|in fact|to be honest|honestly|correction|wrong|for the record|for your information|just so you know|so you know|wait|don't worry|go ahead and|let's|hearth|dear hearth|hey there|hi there|hello there|help me(?: to)?|if you (?:can|could)|if possible|when you (?:can|get a chance)|quick question|question|good (?:morning|evening|afternoon)|thanks|thank you)(?:[\s,:;!.…-]+)(?P<rest>\S.*)$",
    ),
    Pattern::new(
        r"(?s)^(?:(?P<can>(?:你|您)?(?:能不能|可不可以|能否|可否|可以|能|会不会|愿意|方便)(?:请你|请您|麻烦你|麻烦您)?)[\s,]*)(?P<rest>(?:帮|给|替|提醒|记|写|读|设|定|查|把|告诉|叫|喊|新建|创建|列|搜|找|打开|在|跟|和|存|忘|取消|算|看|执行|运行|念|保存|不能|\d|[一二两三四五六七八九十半明今后下周]).*)$",
    ),
    Pattern::new(
        r"(?s)^(?:请问|请你|请您|请|麻烦(?:你|您)?|劳驾(?:你|您)?|拜托(?:你|您)?(?:了)?|帮(?:我|忙|个忙)(?:一下)?|给我|替我|为我|嘿|喂|嗨|哎|诶|欸|哈喽|嗯+|呃+|好的|好吧|对了|话说|顺便(?:问一下|说一下|说一句)?|另外|还有|然后|接着|随后|最后|首先|其次|同时|并且|而且|以及|那么|那个|我想(?:让|请)(?:你|您)|我(?:要|需要|希望)(?:你|您)|小助手|助手|hearth|谢谢|我?跟你(?:说|讲)(?:一下|个事|件事|一声)?|我?告诉你(?:一下|个事|件事|一声|吧)?|你听好|听好了?|其实|实际上|事实上|说实话|不对|错了|更正一?下?|纠正一下|说错了|您好|你好|早上好|下午好|晚上好|噢|哦|啊|你好呀|在吗|问一下|问你个事|问个问题|想问一下|想问下)[\s,、:!。~?]*(?P<rest>\S.*)$",
    ),
    Pattern::new(
        r"(?s)^(?:再|先|快|赶紧|那|也|就|并|你|您|你再|你也|你就|你来|一会儿?)[\s,]*(?P<rest>(?:帮|给我|提醒|请|记住|记下|记一|写一|读一|设|定个|定一|查一|来|加一|把|告诉|叫我|喊我|新建|创建|列出|搜索|打开|替|忘掉|忘记|取消|算一|看一|别忘|记得).*)$",
    ),
];

static POLITE_BACK: Pattern = Pattern::both(
    r"(?s)^(?P<rest>.*\S)(?:[\s,.!。]+(?:你呢|您呢|and you|what about you|how about you)[\s.!?~]*|[\s,.!。~]+(?:please|pls|plz|thanks(?: a lot| so much)?|thank you(?: so much| very much)?|thx|for me(?: please)?|will you|would you|ok|okay|alright|if you can|if possible|cheers|btw|by the way|fyi|just so you know|though|lol|haha+)[\s.!?~]*|[\s,。!~]*(?:谢谢(?:你|您|啦|了)?|多谢|好吗|好不好|好么|行吗|行不行|行么|可以吗|可不可以|拜托(?:了|啦)?|辛苦(?:了|啦|你了)|麻烦(?:了|啦|你了)|谢啦|谢了|感谢)[\s.!?。~]*|(?:吧|哈|呗|哦|噢|啊|啦|呀|喔|哟|嘛)[\s.!。~]*|[\s,.!。~…]+)$",
);

static REQUEST_BACK: Pattern = Pattern::both(r"(?s)^(?P<rest>.*[^\s什])(?:吗|么|\?)[\s.!?。~]*$");

static ASKED: Pattern = Pattern::new(
    r"(?s)^(?:(?:do|can|could|did|would|will) you (?:still |even |happen to |perhaps )?(?:know|remember|recall|tell me|have any idea|remind me)(?: about| of)?|(?:please )?tell me(?: again)?(?: about)?|remind me(?: again)?(?: of)?|let me know|i(?:'d| would)? (?:want|like) to know|i wonder|i forgot|i forget|i can't remember|i don't remember|any idea|got any idea|you remember|you know|remember|say|have you (?:stored|saved|remembered|noted)|did i (?:ever )?tell you|have i told you|(?:你|您)?(?:还|还能|能)?(?:记得|记不记得|知不知道|知道|记住了|晓得|想得起来|记着)|(?:再)?告诉(?:我|下我|一下我)?|(?:我)?想知道|我忘了|我忘记了|我不记得|我想不起来|说说|说一下|说下|提醒我一下|有没有记|我(?:有没有)?(?:跟|和|对)你(?:说过|讲过|提过))[\s,:]*(?P<rest>(?:what|who|whose|where|when|which|how|why|if|whether|my|the|i\b|am i|our|about|of|any|where|is\b|are\b|that\b|关于|我|妈|爸|什么|谁|哪|几|多少|多大|怎么|为什么|现在|今天|明天|[^\s]+(?:吗|么|什么|谁|哪|多少|几|的|密码|生日|名字|电话|地址)).*|[^\s]*\?)$",
);

/// `give me the door code` asks for it.
static HAND_OVER: Pattern = Pattern::new(
    r"^(?:give me|i need|i want|show me|what about|how about|tell me)\s+(?P<rest>(?:the |my |our )[a-z0-9' ]{0,40}\b(?:code|password|pin|birthday|number|address|name|email))$",
);

static QUESTION_ZH: Pattern = Pattern::new(
    r"什么|啥|谁|哪|几点|几号|几岁|几个|几月|几天|几时|周几|星期几|礼拜几|第几|等于几|是几|多少|多大|多久|多高|多重|多远|怎么|怎样|如何|为何|是否|是不是|有没有|会不会|能不能|要不要|喜不喜欢|爱不爱|住不住|吗[\s?。!.]*$|吗[,，]|么[\s?]*$|呢\?*$|何时|^[^\s,，]{1,10}(?:密码|生日|电话号码|手机号|地址|邮箱)[\s。]*$|咋|\?$|来着[\s?]*$",
);

static QUESTION_EN: Pattern = Pattern::new(
    r"\?[\s!.)]*$|^(?:what|who|whose|whom|which|where|when|why|how|is|are|am|was|were|does|did|has|had|can|could|will|would|should|shall|may|might)(?:'s|'re|'d|s)?\b|^(?:in|at|on|for|to|from|by|with|of) (?:what|which|whom|whose)\b|^(?:do|have) (?:i|you|we|they|my|the|any)\b|^(?:(?:the|my|our) )?(?:[a-z0-9']+ |front door |bank card |credit card )?(?:code|password|pin|birthday|phone number|address)[\s.]*$|^whats\b|^wheres\b|^whos\b|^(?:is|are|was|were|do|does|did|has|have|had|could|would|should|can|will)(?:n't|'t) (?:i|we|my|our|the|he|she|it|they|that|there|this)\b|\b(?:my|the|i|our) .*\b(?:is|am|are|was|live|work|called|born) (?:what|who|where|when|which)[\s.!]*$|^(?:i'm|i am) (?:not sure|unsure|curious|wondering) (?:what|who|where|when|which|how|if|whether)\b|^(?:i've|i have) forgotten (?:what|who|where|when|which|how|if|whether)\b",
);

/// What turns a statement into a question after it was made.
static TAG: Pattern = Pattern::new(
    r"(?:对吧|是吧|没错吧|对不|是不|不是吗|对吗|对么|(?:了|过)(?:[^,，。]{0,8})(?:没有?|不))[\s.。!~?]*$|, ?(?:right|correct|huh|eh|yes|yeah|no|true|innit|or no)[\s.!?]*$|, ?(?:is|are|am|was|were|do|does|did|have|has|had|can|could|will|would|should)(?: not|n't)? (?:i|you|he|she|it|we|they|there)(?: not)?[\s.!?]*$|\b(?:is|are|was|were|do|does|did|have|has|had|could|would|should)n't (?:i|you|he|she|it|we|they|there)[\s.!?]*$",
);

/// One or the other: the answer is one of two things that are named.
static ALTERNATIVE: Pattern = Pattern::new(
    r"(?:喜欢|喜爱|偏爱|偏好|爱|是|要|想|住在?|在|喝|吃|看|听|玩|养|用|穿|开|坐|选|姓|叫|属|买|去|学|放在?)[^,，。的还]{1,10}[,，]?还是[^喜爱最更那这没很觉想会要不住,，。]|(?:喜欢|爱|是|要|想|住|不)[^,，。]{1,10}[,，]?还是(?:更|最)?(?:喜欢|爱|要|想|住|不)[^,，。]{1,10}$|是[^,，。]{1,10}还是[^,，。]{1,12}$|\bi (?:[a-z]+ )?(?:prefer|favou?r) .+ or |\bi (?:[a-z]+ )?(?:like|love|enjoy) .+ or .+ (?:more|better|best|most)[\s.!]*$|\bor not[\s.!]*$",
);

/// What holds either way is no question: `不管喝茶还是咖啡，我都加糖`.
static REGARDLESS: Pattern =
    Pattern::new(r"不管|无论|不论|管他|随便|\bwhether\b|\bno matter\b|\bregardless\b|\beither\b");
