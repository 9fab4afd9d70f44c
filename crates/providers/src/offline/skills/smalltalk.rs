//! Greetings, thanks, who are you, help: short and honest.

use hearth_contract::language::Language;
use hearth_contract::transcript::ToolResult;

use super::{Job, Kind, Step};
use crate::offline::clause::Clause;
use crate::offline::dialogue::Dialogue;
use crate::offline::pattern::Pattern;
use crate::offline::speak;
use crate::offline::world::World;

/// What is talked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Topic {
    Greeting,
    Night,
    Thanks,
    Sorry,
    Goodbye,
    WhoAreYou,
    AreYouModel,
    Help,
    HowAreYou,
    AboutYou,
    Praise,
    Blame,
    SadMood,
    GladMood,
    Acknowledged,
    Test,
}

#[derive(Debug)]
struct SmallTalk {
    language: Language,
    topic: Topic,
}

pub(super) fn understand(clause: &Clause, _dialogue: &Dialogue) -> Option<Box<dyn Job>> {
    let matches = |pattern: &Pattern| pattern.is_match(&clause.whole) || pattern.is_match(&clause.text);
    let (_, topic) = TOPICS.iter().find(|(pattern, _)| matches(pattern))?;
    let language = if clause.whole.raw().chars().any(char::is_alphanumeric) {
        Language::of(clause.whole.raw())
    } else {
        clause.language
    };
    Some(Box::new(SmallTalk { language, topic: *topic }))
}

impl Job for SmallTalk {
    fn step(&self, _results: &[&ToolResult], _world: &World) -> Step {
        let (en, zh) = match self.topic {
            Topic::Greeting => ("Hello! What can I do for you?", "你好！有什么可以帮你的？"),
            Topic::Night => ("Good night!", "晚安！"),
            Topic::Thanks => ("You're welcome.", "不客气。"),
            Topic::Sorry => ("No problem.", "没关系。"),
            Topic::Goodbye => ("Goodbye! I stay here.", "再见！我一直在。"),
            Topic::WhoAreYou => (
                "I am Hearth, your personal agent. Right now the built-in offline model answers: simple rules, no network, no key. Ask \"what can you do?\" for more.",
                "我是 Hearth，你的个人助手。现在回答你的是内置的离线模型：按简单规则做事，不联网，也不需要密钥。想了解更多，问“你能做什么”。",
            ),
            Topic::AreYouModel => (
                "No large language model: I am the built-in offline model, a set of rules. I say so when I cannot do something.",
                "我不是大语言模型：我是内置的离线模型，一套规则。做不到的事我会直说。",
            ),
            Topic::Help => return Step::Say(speak::abilities(self.language).to_owned()),
            Topic::HowAreYou => {
                ("I am running fine, thank you. How can I help?", "我运行正常，谢谢。有什么要我做的？")
            }
            Topic::AboutYou => (
                "I am a program with simple rules: no tastes, age or feelings of my own.",
                "我是一套按规则运行的程序，没有自己的喜好、年龄和感受。",
            ),
            Topic::Praise => ("Thank you!", "谢谢夸奖！"),
            Topic::Blame => (
                "Sorry about that. I only follow simple rules; tell me what you need and I will try.",
                "抱歉。我只会按简单的规则做事；告诉我要做什么，我再试试。",
            ),
            Topic::SadMood => {
                ("I am sorry to hear that. I hope it gets better soon.", "听起来不太好受，希望你很快好起来。")
            }
            Topic::GladMood => ("Glad to hear that!", "真为你高兴！"),
            Topic::Acknowledged => ("All right.", "好的。"),
            Topic::Test => ("I am here.", "我在。"),
        };
        Step::Say(self.language.pick(en, zh).to_owned())
    }

    fn kind(&self) -> Kind {
        match self.topic {
            Topic::WhoAreYou | Topic::AreYouModel | Topic::Help | Topic::AboutYou => Kind::Act,
            _ => Kind::Talk,
        }
    }
}

static TOPICS: [(Pattern, Topic); 17] = [
    (
        Pattern::new(
            r"^(?:can|could|do) you (?:set|do|remember|read|write|create|make|search|browse|use|access|run|tell|handle|manage|keep|store|understand|speak)(?: [a-z]+){0,2} (?:reminders|timers|alarms|things|stuff|files|web|internet|websites|maths?|arithmetic|facts|commands|chinese|english|sums|notes)\?*$|^你(?:能不能|能|会不会|会|可以|懂)(?:帮我)?(?:设置?|定|记住?|读写|读|写|联网|上网|算|提醒|执行|搜索|取消|做|访问|说|用|记)(?:东西|提醒|闹钟|定时|文件|事情|事|数|算术|数学|我|命令|网页|英文|中文|英语)?(?:吗|么)\?*$",
        ),
        Topic::Help,
    ),
    (
        Pattern::new(
            r"^(?:hi+|hello+|hey+|hiya|yo|howdy|greetings|good (?:morning|afternoon|evening|day)|morning|evening|hi there|hello there|hey there|sup|what's up|whats up)(?:[\s,]+(?:hearth|there|everyone|all|again|you|buddy|friend|mate|assistant|to you))*[\s!.?~,]*$|^(?:你好|您好|嗨|哈喽|哈啰|喂|嘿|hello|hi|早|早安|早上好|上午好|中午好|下午好|晚上好|大家好|好久不见|你好呀|你好啊|嗨喽|在吗|在么|在不在|在不)(?:[\s,]*(?:hearth|呀|啊|哦|朋友|助手|小助手|呢|哈|你好))*[\s!.?~。,]*$",
        ),
        Topic::Greeting,
    ),
    (
        Pattern::new(
            r"^(?:good ?night|nighty? night|sleep well|sweet dreams)[\s!.,\w]{0,12}$|^(?:晚安|睡了|我睡了|我去睡了|我要睡了|好梦|我先睡了)(?:啦|了|哦|喽)?[\s!.~。]*$",
        ),
        Topic::Night,
    ),
    (
        Pattern::new(
            r"^(?:ok(?:ay)?|great|cool|perfect|nice|good|awesome)?[\s,!.]*(?:thanks?|thank you|thx|ty|cheers|much appreciated|many thanks|i appreciate it|thank u|appreciate it|thanks a (?:lot|bunch|million))(?:[\s,]+(?:so much|very much|a lot|hearth|you|again|for (?:the |your )?(?:help|that|everything|reminder|reminding me|it)|buddy|mate|man|pal))*[\s!.~]*$|^(?:好的?|行|太好了|嗯)?[\s,]*(?:谢谢|多谢|谢啦|谢了|感谢|非常感谢|十分感谢|谢谢你|太感谢了|辛苦了|辛苦啦|麻烦你了|3q|thx)(?:[\s,]*(?:你|您|啦|了|哦|呀|啊|hearth|的帮助|提醒|帮忙|帮助))*[\s!.~。]*$",
        ),
        Topic::Thanks,
    ),
    (
        Pattern::new(
            r"^(?:i'?m |i am |so |very )*(?:sorry|my bad|apologies|my apologies|excuse me|pardon)[\s!.,\w]{0,10}$|^(?:对不起|抱歉|不好意思|我错了|sorry)(?:啊|哈|呀|了|哦)?[\s!.~。]*$",
        ),
        Topic::Sorry,
    ),
    (
        Pattern::new(
            r"^(?:bye+|good ?bye|bye bye|see (?:you|ya)(?: later| soon| tomorrow| around)?|later|talk to you later|ttyl|cya|take care|farewell|have a (?:nice|good|great) (?:day|evening|night|one|weekend)|i(?:'m| am) off|gotta go|i have to go)(?:[\s,]+(?:hearth|now|then))*[\s!.~]*$|^(?:再见|拜拜|拜|bye|回头见|回见|下次见|明天见|一会儿?见|先这样|我走了|我先走了|我下线了|告辞|回头聊)(?:啦|了|喽|哦|吧|hearth)*[\s!.~。]*$",
        ),
        Topic::Goodbye,
    ),
    (
        Pattern::new(
            r"^(?:who (?:are|r) (?:you|u)|what are you|what(?:'s| is|s) your name|tell me about yourself|introduce yourself|who am i (?:talking|speaking|chatting) (?:to|with)|who is this|who's this|what should i call you|do you have a name|what is hearth|what's hearth|who made you|who created you)(?: exactly| really| again)?[\s?!.]*$|^(?:你|您)(?:到底|究竟)?(?:是)?(?:谁|什么人|叫什么(?:名字)?|什么东西|啥名字|哪位|叫啥|是什么|名字(?:叫|是)?什么|的名字(?:叫|是)?什么?|是干什么的|是干啥的|是做什么的)(?:啊|呀|呢|来着)?[\s?!.。]*$|^(?:介绍(?:一下)?(?:你)?自己|自我介绍(?:一下)?|请?做个自我介绍|怎么称呼你?|我该怎么称呼你|你怎么称呼|谁(?:创造|开发|做)了?(?:的)?你|hearth是什么|你是hearth吗)[\s?!.。]*$",
        ),
        Topic::WhoAreYou,
    ),
    (
        Pattern::new(
            r"^are you (?:an? )?(?:real |really |actually )?(?:ai|bot|robot|human|person|real|chatgpt|gpt|gpt-?4|claude|llm|large language model|machine|model|program|alive|sentient|computer|online|offline|deepseek|smart|intelligent)(?: person| model| human)?[\s?!.]*$|^(?:is this|am i talking to) an? (?:ai|bot|robot|human|person|real person|machine).*$|^(?:what|which) (?:model|llm|ai)(?: are you| do you use| is this| are you using| powers you| am i (?:talking|speaking) to)[\s\w?!.]*$|^你(?:是|到底是|算)(?:不是)?(?:一?个)?(?:真的?)?(?:人工智能|机器人|真人|人类|人|ai|chatgpt|gpt|gpt4|大模型|语言模型|程序|claude|deepseek|离线模型|联网的|活的)(?:吗|么|还是.{1,6})?[\s?!.。]*$|^你(?:是|用的是|用)(?:什么|哪个|哪种)(?:大)?(?:模型|ai|语言模型)[\s\w?!.。]*$",
        ),
        Topic::AreYouModel,
    ),
    (
        Pattern::new(
            r"^(?:help|help me|/help|\?|commands|menu|options|usage|manual|what (?:can|could|do) (?:you|u) (?:do|help(?: me)? with|offer|know how to do)(?: for me| here)?|what are you (?:able to do|capable of|good (?:at|for))|how (?:can|could|do) you help(?: me)?|what (?:are|is) your (?:features?|abilities|skills|capabilities|functions?|commands?)|what else can you do|how do (?:i|you) (?:use|work)(?: you| this| it)?|how does this work|show me what you can do|what can i (?:do|ask|say)(?: here| you| to you)?|what do you do|what things can you do|list your (?:skills|abilities|commands|features)|i need help|can you help(?: me)?|could you help me|capabilities|what's possible)[\s?!.]*$|^(?:帮助|帮帮我|救命|功能|命令|菜单|说明|使用说明|用法|你(?:都)?(?:能|会|可以)(?:帮我)?(?:做|干|帮|懂)?(?:些|点)?(?:什么|啥|哪些|哪些事|嘛|些啥)(?:事情?|呢|呀|啊|吗)?|你(?:都)?有(?:什么|哪些|啥)(?:功能|本事|能力|技能|用|用处|本领)|(?:能|可以)(?:做|干|帮我做)(?:些)?(?:什么|啥)|(?:你)?怎么(?:用|使用)(?:你|呢)?|(?:你|这个)?(?:怎么用|如何使用)(?:你)?|你的功能|介绍(?:一下)?你的功能|你(?:擅长|会)(?:些)?(?:什么|啥)|我(?:能|可以)(?:让你|叫你|用你|问你)?(?:做|干|问|说)?(?:些)?(?:什么|啥)|有(?:什么|哪些|啥)功能|你能帮(?:我|上)?(?:什么|啥)?(?:忙)?(?:吗)?|我需要帮助|帮个忙|能帮我吗|你能干嘛|你会干嘛|可以帮我吗)[\s?!.。]*$",
        ),
        Topic::Help,
    ),
    (
        Pattern::new(
            r"^(?:how (?:are|r) (?:you|u)|how(?:'s| is) it going|how are things|how do you (?:do|feel)|how have you been|you ok(?:ay)?|are you ok(?:ay)?|how(?:'s| is) your day|how was your day|how you doing|how are you doing|what are you doing|what have you been up to|how's life)(?: today| now| going| so far| doing)*[\s?!.]*$|^(?:你)?(?:还好吗|最近怎么样|最近好吗|过得(?:怎么样|好吗|如何)|今天怎么样|怎么样|好吗|咋样|近来如何|在干(?:嘛|什么|啥)|在做什么|在忙(?:什么|啥)|忙吗|累(?:吗|不累)|吃(?:了|饭了)吗|睡了吗|今天(?:过得)?(?:好吗|如何))(?:啊|呀|呢)?[\s?!.。]*$|^你(?:最近|今天|现在)(?:好吗|怎么样|如何|还好吗|心情(?:怎么样|好吗|如何)|感觉(?:怎么样|如何))[\s?!.。]*$|^你好吗[\s?!.。]*$",
        ),
        Topic::HowAreYou,
    ),
    (
        Pattern::new(
            r"^(?:what|which|who)(?:'s| is| are)? your (?:favou?rite|age|birthday|gender|hobby|hobbies|opinion|dream|job|purpose).*$|^(?:how old are you|where (?:are|do) you (?:from|live|come from|located)|when (?:were you born|is your birthday)|do you (?:like|love|have feelings|have a|have any|sleep|eat|dream|drink|feel|hate|get tired|enjoy|think|believe|want|miss|have friends|have emotions|have consciousness)|what do you (?:like|love|think|want|feel|eat|drink|enjoy|hate|look like)|are you (?:happy|sad|married|single|tired|bored|hungry|conscious|male|female|a boy|a girl|a man|a woman)|can you (?:feel|think|love|sleep|see|hear)|will you marry me|i love you)\b.*$|^你(?:自己)?(?:最)?(?:喜欢|爱|讨厌|喜不喜欢|爱不爱|会不会)(?:吃|喝|玩|看|听|做|去|我)?(?:什么|啥|谁|哪|吗|.{0,12}(?:吗|什么|啥|呢|颜色)).*$|^你(?:今年)?(?:多大|几岁|多少岁)(?:了)?[\s?!.。]*$|^你(?:住|家|来自|在)(?:在)?(?:哪|什么地方).*$|^你(?:有|有没有)(?:感情|意识|朋友|男朋友|女朋友|对象|感觉|思想|爱好|梦想|家人|情绪|孩子).{0,6}$|^你(?:是)?(?:男|女)(?:的)?(?:还是.{1,4}|生|孩)?(?:吗)?[\s?!.。]*$|^你(?:觉得|认为|怎么看).*$|^我(?:爱|喜欢|想)你[\s!.。~]*$|^你(?:爱|喜欢)我吗[\s?!.。]*$",
        ),
        Topic::AboutYou,
    ),
    (
        Pattern::new(
            r"^(?:you(?:'re| are) (?:so |very |really |the )?(?:great|awesome|amazing|good|smart|clever|the best|best|nice|kind|helpful|wonderful|cool|cute|funny)|good (?:job|bot|work|boy|girl)|well done|nice(?: work| job| one)?|great(?: job| work)?|awesome|amazing|excellent|brilliant|perfect|fantastic|impressive|wow|that's (?:great|awesome|amazing|cool|nice|perfect|good)|love it|i like it|cool)[\s!.~]*$|^(?:你)?(?:真|太|好|很|非常)?(?:棒|厉害|聪明|贴心|可爱|牛|强|好用|不错|给力|优秀|靠谱|牛逼)(?:了|啊|呀|哦|啦|的)?[\s!.~。]*$|^(?:干得(?:好|漂亮|不错)|做得(?:好|不错|很好)|哇|赞|点赞|完美|太好了|真好|666+|好样的|很好|非常好)(?:啊|哦|呀)?[\s!.~。]*$",
        ),
        Topic::Praise,
    ),
    (
        Pattern::new(
            r"^(?:you(?:'re| are) (?:so |very |really |a )*(?:stupid|dumb|useless|bad|terrible|idiot|annoying|wrong|slow|broken|liar|moron)|that(?:'s| is| was) (?:wrong|not right|incorrect|bad|useless|not what i (?:asked|wanted|meant|said))|wrong|bad bot|you suck|shut up|stupid|idiot|useless|this is (?:useless|stupid|terrible)|you (?:don't|do not) understand(?: me)?|fuck(?: you| off)?|damn(?: it)?|wtf)[\s!.~]*$|^(?:你)?(?:真|太|好|很|是个?)?(?:笨|傻|蠢|没用|差劲|笨蛋|傻瓜|白痴|垃圾|废物|慢|烦|智障|傻逼|不行)(?:了|啊|呀|哦|死了|的)?[\s!.~。]*$|^(?:不对|错了|不是这个|你错了|答非所问|你没听懂|你听不懂|听不懂|闭嘴|滚|什么鬼|搞什么|你在说什么)(?:啊|呀|吧)?[\s!.~。?]*$",
        ),
        Topic::Blame,
    ),
    (
        Pattern::new(
            r"^(?:i(?:'m| am| feel| am feeling|'m feeling)|im|feeling) (?:so |very |really |a bit |a little |kind of |quite |just |too |pretty |not feeling |not )*(?:tired|sad|bored|lonely|stressed|exhausted|depressed|unhappy|upset|anxious|worried|sick|ill|angry|frustrated|down|overwhelmed|scared|hungry|thirsty|cold|sleepy|nervous|terrible|awful|bad|well|good|okay|ok|lost|confused|heartbroken|annoyed|great today)(?: today| now| right now| tonight| lately| again| at the moment)?[\s!.~]*$|^i (?:had|have) (?:a )?(?:bad|terrible|rough|hard|long|awful|tough) (?:day|week|night|headache|cold|time).{0,12}$|^i (?:can't|cannot) sleep[\s!.~]*$|^(?:我|今天|人家|感觉)(?:现在|今天|最近|真的|有点|好|很|太|非常|特别|觉得|感觉|心情|又|真|有些|也)*(?:累|困|难过|伤心|无聊|孤独|孤单|压力大|压力好大|压力很大|疲惫|郁闷|不开心|不高兴|焦虑|烦|烦躁|生气|害怕|饿|渴|不舒服|难受|生病|失眠|睡不着|失落|沮丧|崩溃|委屈|迷茫|心情不好|不好|糟糕|头疼|感冒|想哭|抑郁|冷|热|紧张|担心)(?:了|啊|呀|死了|极了|哦|的|呢|得很|坏了|透了)*[\s!.~。]*$|^(?:好|太|真|有点)(?:累|困|烦|难过|无聊|饿|难受|郁闷|焦虑)(?:了|啊|呀|哦|死了)*[\s!.~。]*$",
        ),
        Topic::SadMood,
    ),
    (
        Pattern::new(
            r"^(?:i(?:'m| am| feel| am feeling|'m feeling)|im|feeling) (?:so |very |really |quite |just |pretty |super )*(?:happy|glad|excited|great|fantastic|fine|wonderful|proud|relaxed|thrilled|delighted|amazing|awesome|better)(?: today| now| right now| tonight| again)?[\s!.~]*$|^i (?:had|have) (?:a )?(?:good|great|nice|lovely|wonderful|fantastic) (?:day|week|night|time|news).{0,12}$|^(?:我|今天)(?:现在|今天|真的|好|很|太|非常|特别|觉得|感觉|心情|超)*(?:开心|高兴|快乐|幸福|激动|兴奋|心情(?:很|真|非常)?好|不错|满意|满足|轻松)(?:了|啊|呀|哦|极了|的)*[\s!.~。]*$|^(?:好|太|真)(?:开心|高兴|幸福)(?:了|啊|呀)*[\s!.~。]*$",
        ),
        Topic::GladMood,
    ),
    (
        Pattern::new(
            r"^(?:ok(?:ay)?|k|kk|alright|all right|fine|sure|yes|yeah|yep|yup|no|nope|nah|got it|i see|understood|right|hmm+|uh+|um+|lol|haha+|hehe+|ha|cool|good|nothing|never ?mind|no problem|no worries|not really|maybe|whatever|indeed|exactly|correct|true|done|great,? ok)[\s!.~]*$|^(?:好的?|好吧|行|行吧|嗯+|哦+|噢|喔|可以|知道了|明白了?|了解了?|懂了|收到|是的?|对的?|没错|没事了?|不用了?|算了不用了|没什么|没有|不是|算了|哈哈+|呵呵|嘿嘿|嘻嘻|嗯嗯|好哒|好滴|ok|ok的|随便|也许|或许|无所谓|不要|不了|这样啊|原来如此|是吗|真的吗|真的|好嘞|得|成)(?:啊|呀|哦|啦|吧|呢)?[\s!.~。?]*$|^[\s\p{P}\p{S}]+$",
        ),
        Topic::Acknowledged,
    ),
    (
        Pattern::new(
            r"^(?:test(?:ing)?|ping|are you (?:there|here|online|awake|up|listening|working|still there)|you there|anyone (?:there|here|home)|is anyone there|hello\?+|can you hear me|do you work|does this work|is this (?:thing )?(?:on|working))(?:[\s,]*(?:test|1|2|3|one|two|three))*[\s!.?~]*$|^(?:测试|测试一下|试试|试一下|你?在(?:线)?(?:吗|么|不在)|你还在吗|有人(?:吗|在吗)|能听到吗|听得到吗|收到请回复|在不在线)[\s!.?~。]*$",
        ),
        Topic::Test,
    ),
];
