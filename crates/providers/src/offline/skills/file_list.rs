//! Which files there are: `工作区有哪些文件`, `ls`, `list files`.

use hearth_contract::language::Language;
use hearth_contract::transcript::ToolResult;
use serde_json::Value;

use super::{Job, Step, call};
use crate::offline::clause::Clause;
use crate::offline::dialogue::Dialogue;
use crate::offline::pattern::{Pattern, first};
use crate::offline::quotes::unquoted;
use crate::offline::speak;
use crate::offline::world::World;

/// So much of a listing is shown.
const LISTING_CHARS_MAX: usize = 2_000;

#[derive(Debug)]
struct ListFiles {
    language: Language,
    path: Option<String>,
}

pub(super) fn understand(clause: &Clause, _dialogue: &Dialogue) -> Option<Box<dyn Job>> {
    let found = first(&LISTS, &clause.text).or_else(|| first(&LISTS, clause.matter()))?;
    let path = found.any_of(&["path", "p2"]).map(|path| unquoted(path).to_owned());
    Some(Box::new(ListFiles { language: clause.language, path }))
}

impl Job for ListFiles {
    fn step(&self, results: &[&ToolResult], _world: &World) -> Step {
        let Some(result) = results.first() else {
            return call("list_dir", self.path.iter().map(|path| ("path", Value::from(path.clone()))));
        };
        if let Some(trouble) = speak::trouble(self.language, result) {
            return Step::Say(trouble);
        }
        let listing = result.text.trim();
        Step::Say(if listing.is_empty() {
            self.language.pick("It is empty.", "是空的。").to_owned()
        } else {
            speak::excerpt(self.language, listing, LISTING_CHARS_MAX)
        })
    }
}

static LISTS: [Pattern; 12] = [
    // Going there first: `打开工作区看看有啥文件`, `open the workspace and show me what files are there`.
    Pattern::new(
        r"^(?:(?:打开|进入|进|去|到|翻一?下|翻翻|在|上)\s*(?:一下)?(?:我|你|咱们?)?的?(?:工作区|工作目录|当前目录|目录|文件夹|workspace)(?:里面?|中|下面?|内)?[\s,]*)?(?:帮我|给我|让我|我)?(?:看看?|看一下|瞧瞧|瞧一下|瞅瞅|列出?|列一下|查一?下|查看|数数|说说|检查一?下)(?:我|你|咱们?)?的?(?:工作区|工作目录|当前目录|目录|文件夹|workspace)?(?:里面?|中|那里|那儿|下面)?(?:都|现在|一共|到底)*(?:有|放了|存了|放着|存着)(?:些|了)?(?:什么|哪些|啥|几个|多少|没有)(?:个)?(?:文件|文档|东西|内容)(?:在)?(?:里面|里)?{ask}",
    ),
    Pattern::new(
        r"^(?:open|go to|go into|look (?:at|in|into|inside|through)|(?:have|take) a (?:quick )?look (?:at|in|into|inside)|check|browse|peek (?:in|into))(?: up)?(?: the| my| our| your)? (?:workspace|working directory|work folder|current (?:directory|folder))(?:,? (?:and |to )?(?:then )?(?:(?:list|show|tell|give|see|check|look)(?: me)?(?: at)? )?(?:what(?:'s| is| files?| documents?)?|which files?|all|the files?|everything|its files?|its contents?|the contents?)?(?: (?:files?|documents?|stuff))?(?: (?:is|are|there|in|inside|it|here|i have|we have|you have|you find|that's))*)?{ask}",
    ),
    Pattern::new(
        r"^what (?:do|did|have) (?:i|we|you) (?:have|got|keep|store|put)? ?in (?:the|my|your|our) (?:workspace|folder|directory){ask}",
    ),
    Pattern::new(r"^(?:ls|dir|ll)(?: -[a-z]+)?(?: (?P<path>[\w./-]+))?[\s.]*$"),
    Pattern::new(
        r"^(?:列出?一?下?|列举|显示|查看|看一?下|看看|罗列|展示|给我看看?|浏览|查一下|list)(?:一下)?(?:我)?(?:的)?(?:所有|全部|当前|现在)?(?:的)?(?:工作区|工作目录|目录|文件夹|workspace)?(?:里面?|中|下面?|内)?(?:的|有哪些|都有哪些|有什么|都有什么)?(?:所有|全部)?(?:的)?(?:文件|目录|东西|内容)(?:列表|清单|夹|们)?{ask}",
    ),
    Pattern::new(
        r"^(?:我的?|现在|当前|这个)?(?:工作区|工作目录|当前目录|目录|文件夹|workspace|这里|这儿|硬盘|这)(?:里面?|中|下面?|内)?(?:现在|都)?(?:有|放了|存了|还有|放着|存着|保存了)(?:些)?(?:什么|哪些|啥|多少|几个|没有)(?:个)?(?:文件|东西|内容|文档)?{ask}",
    ),
    Pattern::new(
        r"^(?:我)?(?:现在|这里|一共|总共|都)*(?:有|存了|保存了|写过|写了)(?:哪些|什么|啥|几个|多少|没有)(?:个)?(?:文件|文档){ask}|^(?:文件|目录|文件夹)(?:列表|清单|都有哪些|有哪些|有什么|有几个){ask}|^(?:哪些|什么)文件{ask}|^看看?(?:工作区|目录|文件夹|workspace){ask}",
    ),
    Pattern::new(
        r"^(?:列出?一?下?|显示|看一?下|看看|查看)?\s*(?P<path>[\w\-./]+)\s*(?:这个)?(?:目录|文件夹)(?:里面?|下面?|中|内)?(?:都)?(?:的|有)(?:什么|哪些|啥|些什么)?(?:文件|东西|内容)?{ask}",
    ),
    Pattern::new(
        r"^(?:list|show|display|view|see|give me|print|enumerate|browse|check)(?: me)?(?: all| the| my| every| of| a list of| current)* ?(?:files?|directory|directories|folders?|workspace|documents?|dir)(?: (?:contents?|listing|list|files))?(?: (?:there are|that exist|i have|we have|you have))?(?: (?:in|inside|of|under|from)(?: the| my| this| your)?(?: (?:workspace|current directory|current folder|folder|directory|dir)\b)?(?: ?(?P<path>[\w./-]+))??(?: folder| directory| dir)?)?{ask}",
    ),
    Pattern::new(
        r"^(?:what|which|how many)(?: kind of)? (?:files|documents|folders)(?: and folders)? (?:are|do|exist|have|is|can|did)\b.*$|^(?:are|is) there (?:any|some|a) files?\b.*$|^do (?:i|we|you) have (?:any|some) files\b.*$",
    ),
    Pattern::new(
        r"^(?:what's|what is|what's there|what is there|whats|show me what's|anything)(?: there| stored| currently)?(?: in| inside)(?: the| my| this| your)? (?:workspace|folder|directory|working directory|current directory|work folder|files|documents){ask}",
    ),
    Pattern::new(
        r"^(?:what's|what is|whats|show me what's|list what's)(?: there)?(?: in| inside)(?: (?:the|my)\b)? (?:folder|directory) (?P<path>[\w./-]+){ask}|^(?:what's|what is|whats)(?: there)?(?: in| inside)(?: (?:the|my)\b)? (?P<p2>[\w./-]+) (?:folder|directory){ask}",
    ),
];
