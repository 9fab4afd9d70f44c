//! Time zones of well-known places, in both languages.

/// The IANA zone of a place, if it is a known one.
pub(crate) fn of(place: &str) -> Option<&'static str> {
    let place = place.trim().trim_start_matches("the ");
    ZONES.iter().find(|(_, names)| names.contains(&place)).map(|(zone, _)| *zone)
}

const ZONES: &[(&str, &[&str])] = &[
    ("Asia/Shanghai", &["beijing", "shanghai", "china", "hangzhou", "guangzhou", "shenzhen", "chengdu", "北京", "上海", "中国", "杭州", "广州", "深圳", "成都", "国内"]),
    ("Asia/Hong_Kong", &["hong kong", "香港"]),
    ("Asia/Taipei", &["taipei", "taiwan", "台北", "台湾"]),
    ("Asia/Tokyo", &["tokyo", "japan", "osaka", "东京", "日本", "大阪"]),
    ("Asia/Seoul", &["seoul", "korea", "south korea", "首尔", "韩国"]),
    ("Asia/Singapore", &["singapore", "新加坡"]),
    ("Asia/Bangkok", &["bangkok", "thailand", "曼谷", "泰国"]),
    ("Asia/Kolkata", &["india", "delhi", "new delhi", "mumbai", "bangalore", "印度", "新德里", "孟买"]),
    ("Asia/Dubai", &["dubai", "uae", "迪拜", "阿联酋"]),
    ("Europe/Moscow", &["moscow", "russia", "莫斯科", "俄罗斯"]),
    ("Europe/Istanbul", &["istanbul", "turkey", "伊斯坦布尔", "土耳其"]),
    ("Europe/Athens", &["athens", "greece", "雅典", "希腊"]),
    ("Europe/Berlin", &["berlin", "germany", "munich", "hamburg", "frankfurt", "柏林", "德国", "慕尼黑", "法兰克福"]),
    ("Europe/Paris", &["paris", "france", "巴黎", "法国"]),
    ("Europe/Madrid", &["madrid", "spain", "barcelona", "马德里", "西班牙", "巴塞罗那"]),
    ("Europe/Rome", &["rome", "italy", "milan", "罗马", "意大利", "米兰"]),
    ("Europe/Amsterdam", &["amsterdam", "netherlands", "阿姆斯特丹", "荷兰"]),
    ("Europe/Zurich", &["zurich", "switzerland", "geneva", "苏黎世", "瑞士"]),
    ("Europe/Vienna", &["vienna", "austria", "维也纳", "奥地利"]),
    ("Europe/Stockholm", &["stockholm", "sweden", "斯德哥尔摩", "瑞典"]),
    ("Europe/London", &["london", "uk", "england", "britain", "scotland", "伦敦", "英国"]),
    ("Europe/Lisbon", &["lisbon", "portugal", "里斯本", "葡萄牙"]),
    ("America/New_York", &["new york", "nyc", "boston", "washington", "miami", "toronto", "纽约", "波士顿", "华盛顿", "多伦多"]),
    ("America/Chicago", &["chicago", "houston", "dallas", "芝加哥", "休斯顿"]),
    ("America/Denver", &["denver", "丹佛"]),
    ("America/Los_Angeles", &["los angeles", "la", "san francisco", "sf", "seattle", "california", "vancouver", "洛杉矶", "旧金山", "西雅图", "加州", "温哥华"]),
    ("America/Sao_Paulo", &["sao paulo", "brazil", "rio", "圣保罗", "巴西"]),
    ("America/Mexico_City", &["mexico city", "mexico", "墨西哥"]),
    ("Australia/Sydney", &["sydney", "melbourne", "悉尼", "墨尔本"]),
    ("Pacific/Auckland", &["auckland", "new zealand", "奥克兰", "新西兰"]),
    ("Africa/Cairo", &["cairo", "egypt", "开罗", "埃及"]),
    ("Africa/Johannesburg", &["johannesburg", "south africa", "cape town", "约翰内斯堡", "南非", "开普敦"]),
    ("UTC", &["utc", "gmt", "greenwich", "格林尼治"]),
];
