//! Kinds of things people like: what a drink, a colour, a sport is called, in both languages. This is what lets
//! "what do I like to drink?" find 我最喜欢乌龙茶.

/// A kind of thing: its stable name, the words for the kind itself, and things of that kind in groups whose members
/// answer for each other (`tea` asks for oolong as well).
struct Category {
    name: &'static str,
    kind: &'static [&'static str],
    groups: &'static [&'static [&'static str]],
    others: &'static [&'static str],
}

/// What a text speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Class {
    pub(crate) category: &'static str,
    /// The members of the group, or the one thing; empty when only the kind was named.
    pub(crate) narrow: &'static [&'static str],
}

const CATEGORIES: &[Category] = &[
    Category {
        name: "drink",
        kind: &["drink", "beverage", "drinking", "饮料", "饮品", "喝", "酒水"],
        groups: &[
            &[
                "tea",
                "oolong",
                "matcha",
                "earl grey",
                "茶",
                "乌龙",
                "龙井",
                "普洱",
                "铁观音",
                "碧螺春",
                "大红袍",
                "毛尖",
            ],
            &[
                "coffee",
                "latte",
                "espresso",
                "cappuccino",
                "americano",
                "mocha",
                "flat white",
                "咖啡",
                "拿铁",
                "美式",
                "卡布奇诺",
                "摩卡",
            ],
            &["beer", "ale", "lager", "ipa", "stout", "啤酒", "精酿"],
            &["wine", "merlot", "红酒", "葡萄酒", "白葡萄酒"],
            &[
                "whisky",
                "whiskey",
                "vodka",
                "gin",
                "rum",
                "cocktail",
                "白酒",
                "威士忌",
                "茅台",
                "黄酒",
                "清酒",
                "鸡尾酒",
                "酒",
            ],
            &["juice", "果汁", "橙汁"],
            &["milk", "牛奶", "豆浆", "奶"],
            &["cola", "coke", "pepsi", "soda", "可乐", "雪碧", "汽水"],
        ],
        others: &[
            "water",
            "lemonade",
            "smoothie",
            "cocoa",
            "hot chocolate",
            "cider",
            "水",
            "苏打水",
            "酸梅汤",
        ],
    },
    Category {
        name: "food",
        kind: &[
            "food",
            "dish",
            "meal",
            "eat",
            "eating",
            "cuisine",
            "snack",
            "dessert",
            "breakfast",
            "lunch",
            "dinner",
            "吃",
            "食物",
            "美食",
            "菜",
            "零食",
            "甜点",
            "甜品",
            "口味",
            "早餐",
            "午餐",
            "晚餐",
            "小吃",
        ],
        groups: &[
            &[
                "fruit",
                "apple",
                "banana",
                "mango",
                "orange",
                "grape",
                "strawberry",
                "strawberries",
                "peach",
                "pear",
                "watermelon",
                "durian",
                "pineapple",
                "cherry",
                "cherries",
                "blueberries",
                "水果",
                "苹果",
                "香蕉",
                "芒果",
                "橙子",
                "葡萄",
                "草莓",
                "桃",
                "梨",
                "西瓜",
                "榴莲",
                "菠萝",
                "樱桃",
                "荔枝",
                "橘子",
            ],
            &["noodle", "pasta", "ramen", "spaghetti", "面条", "拉面", "面"],
            &["hotpot", "hot pot", "火锅", "麻辣烫"],
            &["chocolate", "巧克力"],
            &["ice cream", "冰淇淋", "雪糕"],
            &["cake", "蛋糕"],
        ],
        others: &[
            "pizza",
            "sushi",
            "burger",
            "curry",
            "steak",
            "rice",
            "bread",
            "cheese",
            "salad",
            "soup",
            "dumpling",
            "taco",
            "sandwich",
            "kebab",
            "spicy",
            "seafood",
            "fish and chips",
            "pancake",
            "chicken",
            "beef",
            "pork",
            "lamb",
            "tofu",
            "egg",
            "vegetable",
            "香菜",
            "饺子",
            "包子",
            "烤鸭",
            "烧烤",
            "寿司",
            "披萨",
            "汉堡",
            "米饭",
            "鱼",
            "虾",
            "蟹",
            "海鲜",
            "牛肉",
            "羊肉",
            "鸡肉",
            "猪肉",
            "豆腐",
            "辣",
            "甜食",
            "鸡蛋",
            "蔬菜",
            "沙拉",
            "粥",
            "汤圆",
            "粽子",
            "月饼",
            "红烧肉",
            "排骨",
            "麻婆豆腐",
            "螺蛳粉",
            "米粉",
            "花生",
            "肉",
        ],
    },
    Category {
        name: "colour",
        kind: &["colour", "color", "颜色", "色彩", "色"],
        groups: &[
            &["blue", "navy", "azure", "蓝", "天蓝"],
            &["green", "emerald", "绿"],
            &["red", "crimson", "scarlet", "红色", "大红"],
            &["yellow", "黄色"],
            &["purple", "violet", "紫"],
            &["black", "黑色"],
            &["white", "白色"],
            &["pink", "粉色", "粉红"],
            &["gray", "grey", "灰色"],
            &["orange colour", "橙色", "橘色"],
            &["teal", "turquoise", "青色", "墨绿"],
        ],
        others: &[
            "brown", "gold", "silver", "beige", "maroon", "indigo", "magenta", "cyan", "棕色", "金色",
            "银色", "米色",
        ],
    },
    Category {
        name: "sport",
        kind: &["sport", "sports", "exercise", "workout", "运动", "健身", "锻炼"],
        groups: &[
            &["football", "soccer", "足球"],
            &["basketball", "篮球"],
            &["tennis", "网球"],
            &["badminton", "羽毛球"],
            &["table tennis", "ping pong", "乒乓"],
            &["running", "jogging", "marathon", "run", "跑步", "慢跑", "马拉松"],
            &["swimming", "swim", "游泳"],
            &["cycling", "biking", "骑行", "骑车", "自行车"],
            &["climbing", "hiking", "爬山", "登山", "徒步", "攀岩"],
            &["yoga", "瑜伽"],
        ],
        others: &[
            "skiing",
            "golf",
            "boxing",
            "rugby",
            "cricket",
            "volleyball",
            "baseball",
            "skating",
            "surfing",
            "rowing",
            "chess",
            "滑雪",
            "高尔夫",
            "拳击",
            "排球",
            "棒球",
            "滑冰",
            "太极",
            "冲浪",
        ],
    },
    Category {
        name: "music",
        kind: &[
            "music",
            "song",
            "band",
            "singer",
            "musician",
            "genre",
            "artist",
            "listen",
            "listening",
            "音乐",
            "歌",
            "歌手",
            "乐队",
            "听",
            "曲子",
        ],
        groups: &[
            &["jazz", "爵士"],
            &["rock", "摇滚"],
            &["classical", "古典", "bach", "mozart", "巴赫", "莫扎特"],
            &["pop music", "流行音乐"],
            &["hip hop", "rap", "嘻哈", "说唱"],
            &["周杰伦", "jay chou"],
        ],
        others: &[
            "blues",
            "techno",
            "metal",
            "beatles",
            "folk music",
            "country music",
            "民谣",
            "钢琴曲",
            "电子音乐",
        ],
    },
    Category {
        name: "film",
        kind: &[
            "movie",
            "film",
            "show",
            "series",
            "tv",
            "actor",
            "actress",
            "director",
            "watch",
            "电影",
            "电视剧",
            "剧",
            "片子",
            "演员",
            "导演",
            "动漫",
            "动画",
            "看电影",
        ],
        groups: &[],
        others: &[
            "sci-fi",
            "comedy",
            "thriller",
            "horror",
            "anime",
            "documentary",
            "科幻片",
            "喜剧",
            "恐怖片",
            "纪录片",
            "科幻",
        ],
    },
    Category {
        name: "book",
        kind: &[
            "book", "novel", "author", "writer", "read", "reading", "书", "小说", "作家", "读书", "看书",
            "阅读",
        ],
        groups: &[],
        others: &["三体", "红楼梦", "西游记", "dune", "harry potter", "哈利波特", "poetry"],
    },
    Category {
        name: "game",
        kind: &["game", "video game", "board game", "play", "playing", "游戏", "玩", "桌游"],
        groups: &[],
        others: &[
            "minecraft",
            "zelda",
            "tetris",
            "go game",
            "围棋",
            "象棋",
            "王者荣耀",
            "原神",
            "塞尔达",
            "麻将",
        ],
    },
    Category {
        name: "animal",
        kind: &["animal", "pet", "动物", "宠物"],
        groups: &[&["dog", "puppy", "狗"], &["cat", "kitten", "猫"]],
        others: &[
            "panda", "horse", "tiger", "elephant", "dolphin", "penguin", "rabbit", "owl", "熊猫", "马",
            "老虎", "大象", "海豚", "企鹅", "兔子",
        ],
    },
    Category {
        name: "season",
        kind: &["season", "季节"],
        groups: &[
            &["spring", "春天", "春季"],
            &["summer", "夏天", "夏季"],
            &["autumn", "fall", "秋天", "秋季"],
            &["winter", "冬天", "冬季"],
        ],
        others: &[],
    },
    Category {
        name: "place",
        kind: &[
            "place",
            "city",
            "country",
            "town",
            "destination",
            "travel",
            "地方",
            "城市",
            "国家",
            "旅游",
            "旅行",
        ],
        groups: &[],
        others: &[
            "paris",
            "japan",
            "italy",
            "beach",
            "mountains",
            "tokyo",
            "海边",
            "日本",
            "云南",
            "西藏",
            "大理",
        ],
    },
    Category {
        name: "flower",
        kind: &["flower", "plant", "花", "植物"],
        groups: &[&["rose", "玫瑰"], &["lily", "百合"], &["tulip", "郁金香"]],
        others: &["sunflower", "orchid", "peony", "向日葵", "兰花", "牡丹", "荷花", "桂花", "梅花"],
    },
    Category { name: "number", kind: &["number", "数字"], groups: &[], others: &[] },
    Category {
        name: "subject",
        kind: &["subject", "科目", "学科", "课程"],
        groups: &[],
        others: &["maths", "physics", "chemistry", "数学", "物理", "化学", "语文"],
    },
    Category {
        name: "hobby",
        kind: &[
            "hobby",
            "hobbies",
            "pastime",
            "free time",
            "spare time",
            "interests",
            "爱好",
            "兴趣",
            "业余",
            "空闲",
            "消遣",
        ],
        groups: &[],
        others: &[
            "painting",
            "photography",
            "gardening",
            "knitting",
            "fishing",
            "cooking",
            "画画",
            "摄影",
            "园艺",
            "钓鱼",
            "做饭",
            "书法",
            "唱歌",
            "跳舞",
        ],
    },
];

/// What a piece of text speaks of: the kind that it names comes before things of a kind, longer words before shorter.
pub(crate) fn classify(image: &str) -> Option<Class> {
    thing(image).or_else(|| kind(image))
}

/// The kind of thing that is named as such (`drink`, `颜色`).
pub(crate) fn kind(image: &str) -> Option<Class> {
    let mut best: Option<(usize, Class)> = None;
    for category in CATEGORIES {
        for word in category.kind {
            consider(&mut best, image, word, Class { category: category.name, narrow: &[] });
        }
    }
    best.map(|(_, class)| class)
}

/// A thing of some kind (`乌龙茶`, `latte`). A colour is one only by itself: white wine is a drink.
pub(crate) fn thing(image: &str) -> Option<Class> {
    let is_colour = |category: &&Category| category.name == "colour";
    let of = |categories: &mut dyn Iterator<Item = &'static Category>| {
        let mut best: Option<(usize, Class)> = None;
        for category in categories {
            for group in category.groups {
                for word in *group {
                    consider(&mut best, image, word, Class { category: category.name, narrow: group });
                }
            }
            for word in category.others {
                let narrow = std::slice::from_ref(word);
                consider(&mut best, image, word, Class { category: category.name, narrow });
            }
        }
        best.map(|(_, class)| class)
    };
    of(&mut CATEGORIES.iter().filter(|category| !is_colour(category)))
        .or_else(|| of(&mut CATEGORIES.iter().filter(is_colour)))
}

/// The words for a kind of thing, to widen a search.
pub(crate) fn kind_words(name: &str) -> &'static [&'static str] {
    CATEGORIES.iter().find(|category| category.name == name).map_or(&[], |category| category.kind)
}

fn consider(best: &mut Option<(usize, Class)>, image: &str, word: &'static str, class: Class) {
    let longer = best.is_none_or(|(length, _)| word.chars().count() * weight(word) > length);
    if longer && contains_word(image, word) {
        *best = Some((word.chars().count() * weight(word), class));
    }
}

/// A Chinese character says as much as a few letters.
fn weight(word: &str) -> usize {
    if word.is_ascii() { 1 } else { 3 }
}

/// Whether a text holds a word: anywhere for Chinese, as a whole word (or its plural) for English.
pub(crate) fn contains_word(image: &str, word: &str) -> bool {
    if !word.is_ascii() {
        return image.contains(word);
    }
    let outside = |c: Option<char>| c.is_none_or(|c| !c.is_ascii_alphanumeric());
    image.match_indices(word).any(|(at, _)| {
        let after = &image[at + word.len()..];
        let after = after
            .strip_prefix("es")
            .filter(|rest| outside(rest.chars().next()))
            .or_else(|| after.strip_prefix('s'))
            .unwrap_or(after);
        outside(image[..at].chars().next_back()) && outside(after.chars().next())
    })
}
