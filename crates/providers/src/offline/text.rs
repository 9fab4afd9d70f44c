//! A user's text beside its matching image: the same characters folded to half-width, simplified and lower case.
//!
//! Folding maps one character to one character, so a place in the image is a place in the text, and what a pattern
//! captures can be handed on in the user's own spelling.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

/// A text and its image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text {
    raw: String,
    image: String,
}

impl Text {
    pub(crate) fn new(raw: &str) -> Self {
        let raw = raw.trim().to_owned();
        let image = raw.chars().map(fold).collect();
        Self { raw, image }
    }

    pub(crate) fn raw(&self) -> &str {
        &self.raw
    }

    pub(crate) fn image(&self) -> &str {
        &self.image
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    /// The text at a byte range of the image.
    pub(crate) fn raw_slice(&self, range: Range<usize>) -> &str {
        &self.raw[self.raw_at(range.start)..self.raw_at(range.end)]
    }

    /// The text without some byte ranges of the image (sorted, apart from each other); a space takes their place.
    pub(crate) fn without(&self, ranges: &[Range<usize>]) -> Text {
        let mut left = String::new();
        let mut from = 0;
        for range in ranges {
            left.push_str(self.raw_slice(from..range.start));
            left.push(' ');
            from = range.end;
        }
        left.push_str(self.raw_slice(from..self.image.len()));
        Text::new(&left)
    }

    fn raw_at(&self, image_at: usize) -> usize {
        let nth = self.image[..image_at].chars().count();
        self.raw.char_indices().nth(nth).map_or(self.raw.len(), |(at, _)| at)
    }
}

/// The image of any string.
pub(crate) fn image_of(raw: &str) -> String {
    raw.chars().map(fold).collect()
}

fn fold(c: char) -> char {
    let narrow = match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '\u{3000}' | '\u{a0}' | '\t' => ' ',
        '“' | '”' | '„' | '「' | '」' | '『' | '』' | '«' | '»' => '"',
        '‘' | '’' | '`' if c != '`' => '\'',
        '–' | '—' | '−' => '-',
        other if other.is_whitespace() && other != '\n' => ' ',
        other => other,
    };
    SIMPLIFIED.get(&narrow).copied().unwrap_or_else(|| narrow.to_ascii_lowercase())
}

/// Traditional characters that occur in everyday requests, each before its simplified form.
static SIMPLIFIED: LazyLock<HashMap<char, char>> = LazyLock::new(|| {
    let pairs: Vec<char> = PAIRS.chars().filter(|c| !c.is_whitespace()).collect();
    pairs.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
});

const PAIRS: &str = "
記记 憶忆 歡欢 樂乐 烏乌 龍龙 愛爱 麼么 嗎吗 點点 鐘钟 鍾钟 時时 間间 後后 醒醒 誰谁 這这 裡里 裏里 個个 們们 說说 話话 讀读 寫写
檔档 內内 開开 關关 嗎吗 還还 沒没 過过 對对 電电 號号 碼码 門门 媽妈 爺爷 嬸婶 親亲 歲岁 業业 師师 員员 園园 國国 語语 學学 書书
買买 賣卖 錢钱 飯饭 麵面 魚鱼 雞鸡 貓猫 鳥鸟 馬马 車车 顏颜 藍蓝 綠绿 紅红 黃黄 紫紫 請请 幫帮 問问 聽听 視视 覺觉 應应 該该 會会
議议 課课 運运 動动 練练 習习 體体 藥药 醫医 療疗 護护 養养 週周 現现 從从 來来 進进 遠远 邊边 東东 區区 縣县 鎮镇 鄉乡 灣湾 廣广
州州 蘇苏 滬沪 漢汉 達达 設设 計计 劃划 劉刘 張张 陳陈 趙赵 楊杨 吳吴 鄭郑 孫孙 許许 韓韩 馮冯 鄧邓 蔣蒋 葉叶 羅罗 謝谢 鄒邹 蕭萧
錯错 換换 為为 與与 當当 場场 聲声 響响 氣气 溫温 熱热 涼凉 飲饮 嗜嗜 厭厌 惡恶 討讨 過过 敏敏 單单 雙双 兩两 萬万 億亿 幾几 歷历
數数 員员 質质 題题 訊讯 網网 頁页 頭头 腦脑 機机 燈灯 爐炉 煙烟 窗窗 鎖锁 鑰钥 鞋鞋 襪袜 褲裤 壽寿 節节 慶庆 聖圣 誕诞 曆历 農农
尋寻 搜搜 查查 尋寻 刪删 除除 執执 行行 終终 結结 組组 織织 線线 紙纸 細细 經经 給给 絕绝 總总 級级 維维 續续 變变 讓让 認认 識识
試试 詢询 詞词 詩诗 誤误 調调 談谈 諾诺 證证 警警 譯译 貝贝 負负 財财 貨货 費费 資资 賓宾 賽赛 贈赠 趕赶 跡迹 轉转 輕轻 較较 輸输
辦办 農农 連连 適适 選选 遞递 郵邮 醬酱 鋼钢 鐵铁 長长 閉闭 閱阅 隊队 陽阳 陰阴 階阶 隨随 險险 雖虽 雜杂 離离 難难 雲云 項项 順顺
預预 領领 願愿 類类 顧顾 風风 飛飞 餓饿 館馆 驗验 髮发 發发 鬧闹 魯鲁 麗丽 齊齐 齡龄 實实 寶宝 將将 專专 導导 屬属 島岛 帶带 廠厂
廳厅 廟庙 強强 彈弹 徑径 復复 恆恒 悅悦 惱恼 戰战 戲戏 戶户 擇择 擔担 據据 擾扰 攝摄 敗败 斷断 於于 術术 條条 極极 樓楼 標标 樣样
樹树 橋桥 檢检 櫃柜 權权 歌歌 殺杀 毀毁 氫氢 決决 況况 淚泪 淨净 湯汤 滅灭 滿满 潔洁 災灾 無无 爾尔 牆墙 獎奖 獨独 環环 產产 畫画
異异 痠酸 盤盘 眾众 禮礼 種种 稱称 穩稳 競竞 筆笔 築筑 簡简 糧粮 緊紧 編编 練练 縮缩 羣群 聞闻 聯联 職职 腳脚 臉脸 臺台 舊旧 藝艺
處处 虧亏 蟲虫 衛卫 裝装 複复 覽览 觀观 訂订 託托 訓训 評评 詳详 誌志 譜谱 豬猪 貼贴 賴赖 趨趋 軟软 載载 辭辞 遊游 違违 遲迟 還还 鄰邻
";
