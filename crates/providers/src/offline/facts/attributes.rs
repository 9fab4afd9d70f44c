//! The attributes: how they are stated and asked for, in both languages. To add one: an entry here.

use std::sync::LazyLock;

use super::{About, Attribute};
use crate::offline::pattern::Pattern;

/// Every attribute. Earlier ones are the more telling.
pub(crate) static ATTRIBUTES: LazyLock<Vec<Attribute>> = LazyLock::new(|| {
    vec![
        Attribute {
            name: "birthday",
            single: true,
            about: About::Person,
            tell: vec![
                Pattern::new(
                    r"^(?:(?:我|咱)(?:家)?的?)?(?:(?P<kin>{kin})|(?P<whose>[^\s,的我是]{2,6}?))?的?(?:阳历|农历|阴历)?生日(?:就)?(?:是|在|为|:)?\s*(?:每年)?(?:的)?(?P<v>.*(?:月|号|日|\d).*?){end}",
                ),
                Pattern::new(
                    r"^(?:我(?:家)?的?)?(?P<kin>{kin})?(?:是|生于|出生于|出生在)?\s*(?P<v>(?:[\d一二三四五六七八九〇零十]+年)?[\d一二三四五六七八九十]+月[\d一二三四五六七八九十]+[日号]?|[\d]{4}年)(?:出生|生|过生日|生日)(?:的)?{end}",
                ),
                Pattern::new(
                    r"^(?:my |our )?(?:(?P<kin>{kin})(?:'s|s)? |(?P<whose>[a-z]+)'s )?(?:birthday|bday|b-day|birth date|birthdate|date of birth)(?:'s| is| falls)?(?: on| in)?:? (?P<v>.+?){end}",
                ),
                Pattern::new(
                    r"^(?:i|my (?P<kin>{kin})|(?P<whose>[a-z]+)) (?:was|were) born (?:on|in) (?P<v>.*\d.*?){end}",
                ),
            ],
            ask: vec![
                Pattern::new(
                    r"(?:我|你)?(?:家)?的?(?P<kin>{kin})的?(?:什么时候|哪天|哪一天|几号|几月几号|几月|何时)?.{0,4}(?:生日|出生|过生)",
                ),
                Pattern::new(
                    r"^(?:那|还记得|记得)?(?P<whose>[^\s,的我你他她什哪]{2,6}?)的?(?:是)?(?:什么时候|哪天|哪一天|哪年|几号|几月几号|几月|何时)?的?(?:过)?(?:生日|出生)",
                ),
                Pattern::new(r"生日|我.{0,6}出生|哪天生的|几月几号生"),
                Pattern::new(
                    r"(?:my |our )?(?P<kin>{kin})(?:'s|s)? (?:birthday|bday|b-day|date of birth|birth date)|(?:was|is) (?:my |our )?(?P<k2>{kin}) born",
                ),
                Pattern::new(
                    r"\bmy (?:birthday|bday|b-day|date of birth|birth date)|\b(?:was|am) i born|\bi was born|\bbirthday do i",
                ),
                Pattern::new(r"(?P<whose>[a-z]+)'s (?:birthday|bday|b-day)|(?:was|is) (?P<w2>[a-z]+) born"),
                Pattern::new(r"^(?:the )?(?P<whose>[a-z]+) birthday"),
            ],
        },
        Attribute {
            name: "name",
            single: true,
            about: About::Person,
            tell: vec![
                Pattern::new(
                    r"^(?:我|咱)的?(?:本名|真名|全名|大名|小名|名字|姓名|昵称|外号|网名|英文名|中文名)(?:叫做?|是|为|:)\s*(?P<v>.{1,30}?){end}",
                ),
                Pattern::new(r"^我(?:的)?(?:名叫|叫做?|姓)\s*(?P<v>[^\s,，。什谁啥哪]{1,20}?){end}"),
                Pattern::new(
                    r"^(?:你)?(?:以后|今后|可以|就)*(?:叫|喊|称呼|管)我(?:为|叫|做|作)?\s*(?P<v>[^\s,，。什谁啥哪]{1,12}?)(?:就(?:行|好|可以))?{end}",
                ),
                Pattern::new(
                    r"^我是(?P<v>{surname}[^\s,，的是个在有]?[^\s,，的是个在有员师生家人工长者医手民子]){end}",
                ),
                Pattern::new(
                    r"^(?:我(?:家)?的?)(?P<kin>{kin})的?(?:名字|大名|小名)?(?:名叫|叫做?|是叫)\s*(?P<v>[^\s,，。什谁啥哪我你他她起醒去来]{1,20}?){end}",
                ),
                Pattern::new(
                    r"^(?:我(?:家)?的?)?(?P<kin>{kin})的(?:名字|大名|小名)(?:叫做?|是|:)\s*(?P<v>.{1,20}?){end}",
                ),
                Pattern::new(
                    r"^我(?:有|养)(?:了)?.{0,4}?(?P<kin>{kin})[,，]?\s*(?:名字)?(?:名叫|叫做?)\s*(?P<v>[^\s,，。]{1,20}?){end}",
                ),
                Pattern::new(
                    r"^(?:大家|别人|朋友们?|同事们?|家人|人家|他们|同学们?)(?:都|一般|平时)*(?:叫|喊|称呼|管)我(?:做|为|叫)?\s*(?P<v>[^\s,，。什谁啥哪]{1,12}?){end}",
                ),
                Pattern::new(
                    r"^(?:i'm|i am|im|this is) (?P<proper>(?P<v>[a-z][a-z'-]+(?: [a-z][a-z'-]+)?)){end}",
                ),
                Pattern::new(
                    r"^my (?:full |first |last |family |given |real |nick)?name(?:'s| is|s)\s+(?P<v>[^,]{1,40}?){end}",
                ),
                Pattern::new(
                    r"^(?:you (?:can|may|should) )?(?:just |please )?(?:call|address) me (?P<v>[a-z][a-z'.-]*(?: [a-z][a-z'.-]*)?){end}",
                ),
                Pattern::new(r"^(?:i am|i'm) (?:called|named|known as) (?P<v>.{1,40}?){end}"),
                Pattern::new(
                    r"^(?:i go by|they call me|people call me|everyone calls me|everybody calls me|friends call me) (?P<v>.{1,40}?){end}",
                ),
                Pattern::new(r"^(?:my |our )(?P<kin>{kin})(?:'s|s)? name(?:'s| is) (?P<v>[^,]{1,40}?){end}"),
                Pattern::new(
                    r"^(?:my |our )(?P<kin>{kin})(?: is| was|'s) (?:called|named) (?P<v>[^,]{1,40}?){end}",
                ),
                Pattern::new(
                    r"^(?:my |our )(?P<kin>{kin}) is (?P<proper>(?P<v>(?:(?:dr|mr|mrs|ms|miss|prof)\.? )?[a-z][a-z'-]+(?: [a-z][a-z'-]+)?)){end}",
                ),
                Pattern::new(
                    r"^(?:i|we) (?:have|'ve got|got|own) (?:a|an|one) (?:[a-z]+ )?(?P<kin>{kin}) (?:named|called|whose name is) (?P<v>[^,]{1,40}?){end}",
                ),
            ],
            ask: vec![
                Pattern::new(r"我(?:家)?的?(?P<kin>{kin})的?(?:名字|大名|叫(?:做)?(?:什么|啥))"),
                Pattern::new(r"^(?P<kin>{kin})的?(?:名字|叫(?:做)?(?:什么|啥))"),
                Pattern::new(
                    r"我(?:的)?(?:名字|姓名|全名|名儿|大名|昵称|小名|外号)|我(?:到底|究竟)?(?:叫|姓)(?:做)?(?:什么|啥|甚|何)|我是谁|(?:怎么|如何|该怎么)(?:称呼|叫)我|(?:叫|称呼|喊)我(?:什么|啥)|我叫(?:什么|啥)|(?:知道|记得)我叫",
                ),
                Pattern::new(
                    r"\b(?:my |our )(?P<kin>{kin})(?:'s|s)? names?\b|\bis (?:my |our )(?P<k2>{kin}) (?:called|named)|\bname of my (?P<k3>{kin})|\b(?:my )(?P<k4>{kin}) (?:is )?called\b",
                ),
                Pattern::new(
                    r"\bwho(?:'s| is| was|s)? (?:my|our) (?P<kin>{kin})\b|我(?:们|家)?的?(?P<k2>{kin})(?:是|叫)(?:谁|哪位)",
                ),
                Pattern::new(
                    r"\bmy (?:full |first |last |family |given |real |nick)?name\b|\bam i (?:called|named)|\bwho (?:am i|i am)\b|\b(?:should|do|will|can|would) you (?:call|address|name) me|\bname do i (?:have|go by)|\bi'm called\b|\baddress me\b|\bcalls? me\b",
                ),
            ],
        },
        Attribute {
            name: "age",
            single: true,
            about: About::Person,
            tell: vec![
                Pattern::new(
                    r"^(?:(?:我|咱)(?:家)?的?(?P<kin>{kin})?|(?P<k2>{kin}))(?:今年|现在|已经|快|刚满|马上)*(?:有|是|满|年龄是|年纪是|的年龄是)?\s*(?P<v>[\d一二三四五六七八九十百两零]+岁.{0,4}?){end}",
                ),
                Pattern::new(
                    r"^(?:i am|i'm|my (?P<kin>{kin}) is|i turned|i just turned) (?P<v>\d{1,3}|[a-z]+(?:[ -][a-z]+)?)(?: years?[ -]old| yrs old| years of age| today){end}",
                ),
                Pattern::new(r"^(?:i am|i'm) (?P<v>\d{1,3}){end}"),
                Pattern::new(r"^my (?:(?P<kin>{kin})'s )?age is (?P<v>.+?){end}"),
            ],
            ask: vec![
                Pattern::new(
                    r"我(?:家)?的?(?P<kin>{kin})?(?:今年|现在)?(?:多大|几岁|多少岁|什么年纪|年龄|岁数|年纪)",
                ),
                Pattern::new(r"\bhow old (?:is|are) my (?P<kin>{kin})"),
                Pattern::new(r"\bhow old (?:am i|i am)|\bmy age\b"),
            ],
        },
        Attribute {
            name: "code",
            single: true,
            about: About::Thing,
            tell: vec![
                Pattern::new(
                    r"^(?:我们|我|咱)?(?:家)?(?:里)?的?(?P<thing>[^,，。是]{1,16}?)?的?(?:登录|开机|锁屏|支付)?(?:密码|口令|验证码|暗号|pin码|pin|密钥|暗码)(?:是|为|:|改成|改为|换成|变成)(?:了)?\s*(?P<v>.+?){end}",
                ),
                Pattern::new(
                    r"^(?:the |my |our )?(?P<thing>[a-z0-9 '-]{1,30}?)?(?:'s)? ?\b(?:pass ?code|code|password|pass ?phrase|passwd|pin(?: code| number)?|combination|secret word)(?: (?:for|of|to|at|in|on) (?:the |my |our )?(?P<t2>[a-z0-9 '-]{1,30}?))?(?:'s| is now| is| are| was changed to| has changed to| changed to|:| =)\s*(?P<v>.+?){end}",
                ),
            ],
            ask: vec![
                Pattern::new(
                    r"(?:我们|我|咱)?(?:家)?(?:里)?的?(?P<thing>[^,，。是\s?我你记得知道]{1,12}?)?的?(?:登录|开机|锁屏)?(?:密码|口令|暗号|验证码|pin码|pin)",
                ),
                Pattern::new(
                    r"(?:pass ?code|code|password|pin|combination)s? (?:for|of|to|at|in|on) (?:the |my |our )?(?P<thing>[a-z0-9 -]{1,30}?)(?: again| is)?[\s?.!]*$",
                ),
                Pattern::new(
                    r"\b(?:the|my|our) (?P<thing>(?:[a-z0-9'-]{2,20} ){1,2}[a-z0-9-]{2,20}) (?:pass ?code|code|password|pin|combination)\b",
                ),
                Pattern::new(
                    r"(?:\b(?:the|my|our|what's|what is|what was) )?(?P<thing>[a-z0-9-]{2,20}(?: door)?)?(?:'s)? (?:pass ?code|code|password|pin|combination)\b",
                ),
            ],
        },
        Attribute {
            name: "allergy",
            single: false,
            about: About::Person,
            tell: vec![
                Pattern::new(
                    r"^(?:我|咱)(?:家)?的?(?P<kin>{kin})?{adv}对\s*(?P<v>.{1,30}?)\s*(?:严重|有点|会|很|都)*过敏{end}",
                ),
                Pattern::new(
                    r"^(?:我|咱)(?:家)?的?(?P<kin>{kin})?{adv}(?:一)?(?:吃|碰|闻|喝)?(?P<v>.{1,12}?)(?:就|会|严重)?过敏{end}",
                ),
                Pattern::new(
                    r"^(?:i am|i'm|im|my (?P<kin>{kin}) is) {adverb}(?:severely |very |deadly |extremely |badly |mildly )?(?:allergic|intolerant) to (?P<v>.+?){end}",
                ),
                Pattern::new(
                    r"^(?:i|my (?P<kin>{kin})) (?:have|has|'ve got|got|suffer from) (?:an? )?(?:severe |bad |mild )?(?P<v>.+? allerg(?:y|ies)|allerg(?:y|ies) to .+?|hay fever){end}",
                ),
            ],
            ask: vec![
                Pattern::new(r"我(?:家)?的?(?P<kin>{kin})?.{0,8}过敏|过敏源|过敏原"),
                Pattern::new(
                    r"我(?:能不能|能|可以|可不可以|不能|不可以|不可|不得|不该|不应该)(?:吃|喝|碰)|忌口|\b(?:can|may|could|should) i (?:not )?(?:eat|have|drink)\b|\b(?:can't|cannot|shouldn't|mustn't) (?:i )?(?:eat|have|drink)\b",
                ),
                Pattern::new(r"\bmy (?P<kin>{kin})\b.*\ballerg"),
                Pattern::new(r"\ballerg(?:ic|y|ies)\b"),
            ],
        },
        Attribute {
            name: "home",
            single: true,
            about: About::Person,
            tell: vec![
                Pattern::new(
                    r"^(?:我们|我|咱)(?:家)?的?(?P<kin>{kin})?{adv}(?:刚|刚刚|搬)?(?:住在|居住在|定居在?|住|家住|家在|住到|安家在?)\s*(?P<v>[^\s,什哪].{0,40}?){end}",
                ),
                Pattern::new(
                    r"^(?:我们|我|咱)(?:家)?{adv}(?:刚|刚刚|都|要)?(?:搬家了[,，\s]*)?(?:搬家?|搬家搬|移居|迁)(?:到|去|来|进|至)(?:了)?\s*(?P<v>[^\s,什哪].{0,40}?)(?:了|住了|去了|来了)?{end}",
                ),
                Pattern::new(
                    r"^(?:我)?(?:刚|已经|才)*(?:搬家了?|搬走了?|搬了)?[,，\s]*(?:现在|目前|如今|新家)(?:就|都)?(?:住在|住|搬到了?|在)\s*(?P<v>[^\s,什哪].{0,40}?){end}",
                ),
                Pattern::new(
                    r"^(?:我们|我|咱)(?:家|的家)(?:庭)?的?(?:地址|住址)?(?:是|在|:)\s*(?P<v>[^\s,什哪].{0,40}?){end}",
                ),
                Pattern::new(r"^(?:我的?)?(?:家庭|家里)?(?:地址|住址|住处)(?:是|在|:)\s*(?P<v>.+?){end}"),
                Pattern::new(
                    r"^(?:i|we|my (?P<kin>{kin})) {adverb}(?:live|lives|reside|resides|stay|dwell) {adverb}(?:in|at|on|near|by) (?P<v>.+?){end}",
                ),
                Pattern::new(
                    r"^(?:i am|i'm|we are|we're) {adverb}(?:living|based|located|residing|staying) (?:in|at|on|near) (?P<v>.+?){end}",
                ),
                Pattern::new(
                    r"^(?:i|we)(?:'ve| have)? (?:just |recently |now |finally )?(?:moved|relocated)(?: away| over| back| house)? (?:to|into) (?P<v>.+?){end}",
                ),
                Pattern::new(
                    r"^my (?:home|home address|address|house|flat|apartment|place|home town now|city)(?:'s| is)(?: in| at| on)? (?P<v>.+?){end}",
                ),
            ],
            ask: vec![
                Pattern::new(r"我(?:家)?的?(?P<kin>{kin}).{0,6}(?:住|家在)(?:在)?(?:哪|什么)"),
                Pattern::new(
                    r"我.{0,8}(?:住|定居|搬)(?:在|到)?.{0,4}(?:哪|什么|那)|我(?:的)?家(?:在|住|是)|我.{0,4}(?:地址|住址|住处|住所)|我(?:现在)?在哪(?:个|座)?(?:城市|里|儿|住)?(?:住)?$|我(?:现在)?在什么(?:城市|地方)|我住(?:的|在)|哪(?:个|座)城市.{0,4}住|搬到(?:了)?哪",
                ),
                Pattern::new(r"\bmy (?P<kin>{kin}) (?:lives?|stays?)\b"),
                Pattern::new(
                    r"\b(?:do|did|am|are|have) (?:i|we) (?:now |currently )?(?:live|living|stay|staying|based|reside|residing|moved?|at home)\b|\b(?:i|we) live\b|\bmy (?:home|address|house|home address|place|apartment|flat|city|hometown now)\b|\bwhere i(?:'m| am) (?:living|based)|\bwhich city (?:do i|am i)|\bwhere(?: am i|'s home| is home)\b|\bi moved\b",
                ),
            ],
        },
        Attribute {
            name: "origin",
            single: true,
            about: About::Person,
            tell: vec![
                Pattern::new(r"^我(?:的)?(?:老家|家乡|籍贯|故乡)(?:是|在|:)\s*(?P<v>.+?){end}"),
                Pattern::new(r"^我(?:是)?(?:来自|从)\s*(?P<v>[^\s,]{2,20}?)(?:来的|来)?{end}"),
                Pattern::new(r"^我是(?P<v>[^\s,个]{2,6}人){end}"),
                Pattern::new(r"^(?:i am|i'm|i come|im) (?:originally )?from (?P<v>.+?){end}"),
                Pattern::new(r"^i (?:grew up|was raised) in (?P<v>.+?){end}"),
                Pattern::new(r"^my (?:home ?town|home country|country)(?:'s| is) (?P<v>.+?){end}"),
            ],
            ask: vec![
                Pattern::new(
                    r"我.{0,4}(?:老家|家乡|籍贯|故乡)|我(?:是)?(?:来自|从)哪|我是(?:哪里|哪儿|什么地方|哪个?国家?)的?人",
                ),
                Pattern::new(
                    r"\b(?:am i|do i come|i'm|i am|i come) (?:originally )?from\b|\bmy (?:home ?town|home country)\b|\bdid i grow up\b",
                ),
            ],
        },
        Attribute {
            name: "job",
            single: true,
            about: About::Person,
            tell: vec![
                Pattern::new(
                    r"^(?:我|咱)(?:家)?的?(?P<kin>{kin})?的?(?:工作|职业|岗位|职位|身份)(?:是|为|:)\s*(?P<v>.+?){end}",
                ),
                Pattern::new(
                    r"^(?:我|咱)(?:家)?的?(?P<kin>{kin})?(?:换工作|跳槽|换了工作)?了?[,，]?{adv}在\s*(?P<v>.{1,30}?)\s*(?:工作|上班|任职|就职|打工|实习|教书|当.{1,10}|做.{1,10}){end}",
                ),
                Pattern::new(
                    r"^(?:我|咱)(?:家)?的?(?P<kin>{kin})?{adv}是(?:一)?(?:名|个|位)?(?P<v>[^\s,，]{0,12}?(?:工程师|程序员|老师|教师|医生|护士|律师|会计|设计师|学生|研究生|博士生|大学生|经理|厨师|司机|警察|记者|作家|画家|音乐家|科学家|农民|工人|销售|教授|公务员|产品经理|运营|演员|导演|歌手|翻译|编辑|摄影师|自由职业者?|退休(?:工人|教师)?|军人|消防员|店主|老板|架构师|分析师|建筑师|药剂师|牙医|兽医|员|师)){end}",
                ),
                Pattern::new(r"^(?:我|咱){adv}(?:做|从事|干)\s*(?P<v>.{1,12}?)(?:工作|行业|的|这行){end}"),
                Pattern::new(
                    r"^(?:i|my (?P<kin>{kin})) {adverb}works? {adverb}(?:at|for|in|as|with|from|on) (?P<v>.+?){end}",
                ),
                Pattern::new(
                    r"^(?:i am|i'm) {adverb}(?:working|employed|interning) (?:at|for|in|as|with) (?P<v>.+?){end}",
                ),
                Pattern::new(
                    r"^my (?:(?P<kin>{kin})'s )?(?:new )?(?:job|profession|occupation|work|career|employer|company)(?:'s| is) (?P<v>.+?){end}",
                ),
                Pattern::new(
                    r"^(?:i am|i'm|my (?P<kin>{kin}) is|i work as|i became) (?:an?|the) (?P<v>(?:[a-z-]+ ){0,3}(?:engineer|teacher|doctor|nurse|lawyer|accountant|designer|student|manager|chef|cook|driver|officer|journalist|writer|author|artist|painter|musician|scientist|farmer|worker|salesman|professor|developer|programmer|actor|actress|director|singer|translator|editor|photographer|pilot|plumber|electrician|carpenter|mechanic|architect|analyst|consultant|dentist|vet|researcher|librarian|baker|butcher|barista|waiter|waitress|firefighter|soldier|therapist|pharmacist|surgeon|freelancer|founder|ceo|cto|secretary|cashier|biologist|chemist|physicist|tester|administrator|operator|technician|gardener|hairdresser|retiree)(?: (?:at|for|in|with|from) .{1,40}?)?){end}",
                ),
            ],
            ask: vec![
                Pattern::new(
                    r"我(?:家)?的?(?P<kin>{kin})?.{0,6}(?:在哪.{0,4}(?:上班|工作|任职)|做什么(?:工作|的)?|干(?:什么|啥|嘛)(?:的|工作)?|是做(?:什么|啥)|什么(?:工作|职业)|(?:的)?(?:工作|职业|职位|单位)(?:是)?|在什么(?:公司|单位)|上班)",
                ),
                Pattern::new(r"\b(?:my )(?P<kin>{kin})(?:'s)?\b.*\b(?:work|job|do for a living)"),
                Pattern::new(
                    r"\b(?:do|am|where) i (?:now |currently )?(?:work|working|employed)\b|\bmy (?:job|profession|occupation|work|employer|career|company)\b|\bdo i do (?:for a living|for work|all day)|\bi do for a living|\bi work\b|\bwhat do i do$|\bwhat do i do\?",
                ),
            ],
        },
        Attribute {
            name: "pet",
            single: false,
            about: About::Person,
            tell: vec![
                Pattern::new(
                    r"^(?:我们|我|咱)(?:家)?(?:里)?{adv}(?:有|养)(?:了|着)?(?P<v>.{0,6}(?:狗|猫|兔子|仓鼠|鹦鹉|金鱼|鱼|乌龟|宠物|鸟|蜥蜴|猪).{0,20}?){end}",
                ),
                Pattern::new(
                    r"^(?:i|we) (?:have|'ve got|got|own|adopted|just got|keep) (?P<v>(?:an?|one|two|three|four|some|my) (?:[a-z]+ )?(?:dog|cat|puppy|kitten|rabbit|hamster|parrot|goldfish|fish|turtle|tortoise|bird|horse|snake|pet|lizard)s?\b.{0,40}?){end}",
                ),
                Pattern::new(r"^my (?:pet|pets) (?:is|are) (?P<v>.+?){end}"),
            ],
            ask: vec![
                Pattern::new(
                    r"(?:我|我们|我家).{0,4}(?:养|宠物)|我.{0,4}(?:有几|有没有).{0,3}(?:猫|狗|宠物)",
                ),
                Pattern::new(
                    r"\bpets?\b.*\bi\b|\bmy pets?\b|\bdo i (?:have|own|keep) .*\b(?:pet|dog|cat|animal)s?\b|\bpets? do i\b|\bmany (?:dog|cat|pet)s do i",
                ),
            ],
        },
        Attribute {
            name: "dislike",
            single: true,
            about: About::Category,
            tell: vec![
                Pattern::new(
                    r"^(?:我|咱)(?P<fav>最)?{adv}(?:讨厌|厌恶|不喜欢|不太喜欢|不怎么喜欢|不爱|受不了|恨|反感|害怕|怕)(?P<verb>喝|吃|看|听|玩)?(?:的)?(?:(?P<cat>[^,，是]{1,8}?)是)?\s*(?P<v>.{1,60}?){end}",
                ),
                Pattern::new(
                    r"^(?:我|咱){adv}(?:不|不能|从不|不太|吃不了|喝不了|戒)(?P<verb>吃|喝)\s*(?P<v>.{1,40}?){end}",
                ),
                Pattern::new(
                    r"^(?:i|my (?P<kin>{kin})) {adverb}(?:do not|don't|dont|doesn't|never|cannot|can't|can not) {adverb}(?:like|love|enjoy|stand|bear|(?P<verb>eat|drink|watch))(?: (?:to |eating |drinking )?)(?P<v>.+?){end}",
                ),
                Pattern::new(
                    r"^(?:i|my (?P<kin>{kin})) {adverb}(?:hate|hates|dislike|dislikes|detest|detests|loathe|loathes|despise) (?:to )?(?P<verb>eat(?:ing)?|drink(?:ing)?)? ?(?P<v>.+?){end}",
                ),
                Pattern::new(
                    r"^(?:i am|i'm) (?:not (?:a fan of|fond of|into)|afraid of|scared of|terrified of) (?P<v>.+?){end}",
                ),
                Pattern::new(r"^my (?P<fav>least favou?rite) (?P<cat>.{1,20}?) is (?P<v>.+?){end}"),
            ],
            ask: vec![
                Pattern::new(r"我.{0,6}(?:讨厌|厌恶|不喜欢|不爱|受不了|不吃|不喝|不能吃|不能喝|忌口|怕)"),
                Pattern::new(
                    r"\bi (?:\w+ )?(?:hate|dislike|detest|not like|not eat|not drink|don't like|don't eat|don't drink|can't eat|can't stand)\b|\b(?:don't|can't|shouldn't) i (?:like|eat|drink|stand)\b|\bmy least favou?rite\b|\bam i (?:afraid|scared) of",
                ),
            ],
        },
        Attribute {
            name: "like",
            single: true,
            about: About::Category,
            tell: vec![
                Pattern::new(
                    r"^(?:我|咱)(?:的)?最?(?P<fav>最爱|心头好)(?:的(?P<cat>.{1,8}?))?(?:是|:)\s*(?P<v>.{1,60}?){end}",
                ),
                Pattern::new(
                    r"^(?:我|咱){adv}(?P<fav>最(?:为)?(?:喜欢|爱|喜爱|中意|钟爱)|(?:更|更加|改)(?:喜欢|爱)|(?:喜欢|爱上))的\s*(?P<cat>[^,，是]{1,10}?)(?:是|:|就是|变成了?|改成了?)\s*(?P<v>.{1,60}?){end}",
                ),
                Pattern::new(
                    r"^(?:我|咱)(?:现在|其实|还是|一直|真的|平时|从小|就|也|都)*(?P<fav>最(?:为)?(?:喜欢|爱|喜爱|中意|钟爱)|更加?(?:喜欢|爱)|改(?:喜欢|喝|吃|爱)|爱上(?:了)?)(?P<verb>喝|吃|看|听|玩|读|穿|去|打)?\s*(?P<v>[^的什啥].{0,60}?){end}",
                ),
                Pattern::new(
                    r"^(?:我|咱){adv}(?:喜欢|喜爱|偏爱|热爱|迷上(?:了)?|爱上(?:了)?|钟爱|中意|爱)(?:上了?)?(?P<verb>喝|吃|看|听|玩|读|穿|去|打)?\s*(?P<v>[^的什啥好].{0,60}?){end}",
                ),
                Pattern::new(
                    r"^(?P<v>[^,，。]{1,30}?)(?:是|才是)我(?P<fav>最(?:喜欢|爱)|的最爱)(?P<verb>喝|吃|看|听|玩)?(?:的)?(?P<cat>.{0,8}?){end}",
                ),
                Pattern::new(r"^我(?:的)?(?P<cat>爱好|兴趣|兴趣爱好)(?:是|有|:|包括)\s*(?P<v>.+?){end}"),
                Pattern::new(
                    r"^我平时(?:都|只|一般|经常)?(?P<verb>喝|吃|看|听|玩|打)\s*(?P<v>[^什啥].{0,40}?){end}",
                ),
                Pattern::new(
                    r"^(?:my|the user's) (?:new |current |all[- ]time |absolute )*(?P<fav>fav(?:ou?rite|e|s)?)(?: kind of| type of| sort of)?(?: (?P<cat>[a-z][a-z -]{1,24}?))?(?: (?:thing )?to (?P<verb>drink|eat|read|watch|play))?(?:'s| is| are| has to be| would be| will always be| has become|:)(?: now| currently| always)? (?P<v>.+?){end}",
                ),
                Pattern::new(
                    r"^(?P<v>[a-z][a-z' -]{0,40}?) (?:is|are) (?:now )?my (?:all[- ]time |new |absolute )*(?P<fav>fav(?:ou?rite|e)?)(?: kind of| type of)?(?: (?P<cat>[a-z ]{2,20}?))?(?: now)?{end}",
                ),
                Pattern::new(
                    r"^i {adverb}(?P<fav>prefer) (?:to |(?P<verb>drinking|eating|reading|watching|playing|listening to) )?(?P<v>.+?){end}",
                ),
                Pattern::new(
                    r"^i {adverb}(?P<fav>like|love) (?:to )?(?P<verb>drink(?:ing)?|eat(?:ing)?|read(?:ing)?|watch(?:ing)?|play(?:ing)?|listen(?:ing)? to)? ?(?P<v>.+?) (?:best|most|the most|the best|more than anything|better|more)(?: now)?{end}",
                ),
                Pattern::new(
                    r"^(?:i|we|my (?P<kin>{kin})) {adverb}(?:like|likes|love|loves|enjoy|enjoys|adore|adores|fancy|dig) (?:to )?(?P<verb>drink(?:ing)?|eat(?:ing)?|read(?:ing)?|watch(?:ing)?|play(?:ing)?|listen(?:ing)? to)? ?(?P<v>.+?){end}",
                ),
                Pattern::new(
                    r"^(?:i am|i'm) {adverb}(?:into|fond of|(?:an? )?(?:big |huge )?(?:fan|lover) of|crazy about|mad about|keen on|addicted to) (?:(?P<verb>drinking|eating|reading|watching|playing|listening to) )?(?P<v>.+?){end}",
                ),
                Pattern::new(r"^i {adverb}(?P<verb>drink|eat|read|watch|play) (?P<v>.+?){end}"),
                Pattern::new(
                    r"^my (?P<cat>hobby|hobbies|interests|pastime) (?:is|are|includes?|:) (?P<v>.+?){end}",
                ),
            ],
            ask: vec![
                Pattern::new(
                    r"(?:我|咱).{0,8}?(?:(?P<fav>最(?:喜欢|爱|喜爱|中意)|更喜欢|的最爱)|喜欢|爱(?:喝|吃|看|听|玩|好|什么|啥)|偏爱|钟爱|中意|偏好|平时(?:喝|吃|听|看|玩)|一般(?:喝|吃)|常(?:喝|吃)|(?:喝|吃)(?:什么|啥))",
                ),
                Pattern::new(
                    r"(?:什么|啥|哪种|哪个).{0,10}(?:是)?我(?P<fav>最)?(?:的)?(?:喜欢|爱)|我的?(?:兴趣|爱好|口味|喜好|最爱)|合我(?:的)?口味",
                ),
                Pattern::new(
                    r"\bmy (?:\w+ )?(?P<fav>fav(?:ou?rite|e)?)s?\b(?: (?P<cat>[a-z][a-z -]{1,20}))?|\b(?:do|did|would|might) i (?:\w+ )?(?:like|love|enjoy|prefer|fancy|usually drink|usually eat|drink|eat|adore)\b|\bi (?:most |really |usually |always )?(?:like|love|enjoy|prefer|drink|eat|adore)\b|\bmy (?:hobby|hobbies|interests|taste|tastes|preferences?|go-to)\b|\bam i (?:into|a fan|fond)|\bi'm into\b|\bdo i (?:like|love) ",
                ),
            ],
        },
        Attribute {
            name: "identity",
            single: false,
            about: About::Person,
            tell: vec![
                Pattern::new(r"^(?:我|咱){adv}是(?:一)?(?:名|个|位)?(?P<v>[^什谁啥哪\s,].{1,20}?){end}"),
                Pattern::new(r"^(?:i am|i'm) (?:an? )(?P<v>.+?){end}"),
            ],
            ask: vec![Pattern::new(r"我是(?:什么|个什么)"), Pattern::new(r"\bwhat am i\b")],
        },
        Attribute {
            name: "my",
            single: true,
            about: About::Thing,
            tell: vec![
                Pattern::new(
                    r"^(?:我们|我|咱|我家)(?:家)?的?(?:(?P<kin>{kin})的)?(?P<thing>[^\s,，。是的想要叫在喜爱不有很刚今昨觉认一]{1,10})(?:现在)?(?:是|:|改成了?|换成了?|为)\s*(?P<v>.+?){end}",
                ),
                Pattern::new(
                    r"^我的(?P<thing>[^\s,，。是]{1,12})(?:现在)?(?:是|:|在|改成了?|换成了?|为|叫)\s*(?P<v>.+?){end}",
                ),
                Pattern::new(
                    r"^(?P<kin>{kin})的?(?P<thing>电话|手机号?|号码|电话号码|邮箱|地址|微信|生肖|星座|鞋码|身高)(?:是|:)?\s*(?P<v>.+?){end}",
                ),
                Pattern::new(r"^我(?:是)?(?P<thing>属)(?P<v>[鼠牛虎兔龙蛇马羊猴鸡狗猪])(?:的)?{end}"),
                Pattern::new(
                    r"^(?:我|我们)?(?:刚)?换(?:了)?(?:新)?(?P<thing>手机号|手机号码|电话|电话号码|号码|邮箱|微信号?|地址|车牌)了?[,，。\s]*(?:现在|新的?)?(?:手机|电话|车牌)?(?:号码?|邮箱|地址)?(?:是|:|为)\s*(?P<v>.+?){end}",
                ),
                Pattern::new(
                    r"^(?P<whose>[a-z]+|[^\s,，。我你他她的]{2,6}?)\s*的(?P<thing>电话|手机号?|号码|电话号码|邮箱|地址|微信号?|生肖|星座|鞋码|身高)(?:号码)?(?:是|:)\s*(?P<v>.+?){end}",
                ),
                Pattern::new(
                    r"^(?P<whose>[a-z]+)'s (?P<thing>phone number|number|phone|mobile number|cell|email|email address|address|wechat|shoe size|height)(?:'s| is|:) (?P<v>.+?){end}",
                ),
                Pattern::new(
                    r"^我(?P<thing>身高|体重|血型|鞋码|星座|属相|生肖|电话|手机号?|邮箱|微信|车牌|国籍)(?:是|:|属)?\s*(?P<v>.+?){end}",
                ),
                Pattern::new(
                    r"^(?:my|our) (?:(?P<kin>{kin})'s )?(?P<thing>[a-z][a-z0-9' -]{1,40}?)(?:'s| is now| is| are now| are| was| will be|:| =) (?P<v>.+?){end}",
                ),
            ],
            ask: vec![
                Pattern::new(
                    r"(?:几号|哪个|哪一个|哪间|哪张|多少号)(?P<thing>车位|停车位|房间|会议室|座位|柜子|储物柜|床位|工位|教室|病房|登机口|站台|包厢)",
                ),
                Pattern::new(
                    r"我(?:们|家)?的?(?:(?P<kin>{kin})的)?(?P<thing>电话号码|手机号码|电话|手机号?|号码|邮箱|微信号?|车牌号?|鞋码|身高|体重|血型|星座|生肖|属相|国籍|专业|学校|公司|车|纪念日|结婚纪念日)",
                ),
                Pattern::new(r"我(?:是)?(?P<thing>属)(?:什么|啥|哪)"),
                Pattern::new(
                    r"^(?P<whose>[a-z]+|[^\s,，。我你他她的]{2,6}?)\s*的(?P<thing>电话号码|手机号码|电话|手机号?|号码|邮箱|地址|微信号?|生肖|星座|鞋码|身高)",
                ),
                Pattern::new(
                    r"(?:^|\s)(?P<whose>[a-z]+)'s (?P<thing>phone number|number|phone|mobile number|cell|email address|email|address|wechat|shoe size|height)",
                ),
                Pattern::new(
                    r"我(?:的|家的)(?:(?P<kin>{kin})的)?(?P<thing>[^\s,，。是的?什哪几多在]{1,10})(?:是|在|叫|有|有什么|什么|哪|几|多|\?|$)",
                ),
                Pattern::new(
                    r"^(?P<kin>{kin})的?(?P<thing>电话号码|手机号码|电话|手机号?|号码|邮箱|地址|微信号?|生肖|星座|鞋码|身高)",
                ),
                Pattern::new(
                    r"\b(?:my|our) (?:(?P<kin>{kin})'s )?(?P<thing>[a-z][a-z0-9 -]{1,30}?)(?: again| is| are| now)?[\s?.!]*$",
                ),
            ],
        },
        Attribute {
            name: "note",
            single: true,
            about: About::Thing,
            tell: vec![
                Pattern::new(
                    r"^(?P<thing>[^\s,，。是我你他她它这那不就也都还只]{1,16}?)(?:是|(?:停|放|搁|藏|存|挂|丢|摆|锁)?在|叫|有|:)\s*(?P<v>.+?){end}",
                ),
                Pattern::new(
                    r"^(?:the |our )?(?P<thing>[a-z][a-z0-9' -]{1,40}?) (?:is now|is|are|was|will be|:|=) (?P<v>.+?){end}",
                ),
            ],
            ask: vec![],
        },
    ]
});
