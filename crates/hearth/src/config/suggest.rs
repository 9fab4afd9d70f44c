//! The nearest right name for a wrong one.

/// The candidate that differs least from `wrong`, if one is near enough to be what was meant.
pub(crate) fn nearest<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (wrong.chars().count() / 3).max(2);
    candidates
        .into_iter()
        .map(|candidate| (distance(wrong, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= limit && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many characters must be added, removed, changed, or swapped with their neighbour (restricted
/// Damerau-Levenshtein distance). Case and `-` against `_` do not count.
fn distance(left: &str, right: &str) -> usize {
    let fold = |text: &str| -> Vec<char> { text.to_lowercase().replace('-', "_").chars().collect() };
    let (left, right) = (fold(left), fold(right));
    let mut older = vec![0; right.len() + 1];
    let mut old: Vec<usize> = (0..=right.len()).collect();
    for i in 1..=left.len() {
        let mut row = vec![i; right.len() + 1];
        for j in 1..=right.len() {
            let change = usize::from(left[i - 1] != right[j - 1]);
            row[j] = (old[j] + 1).min(row[j - 1] + 1).min(old[j - 1] + change);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                row[j] = row[j].min(older[j - 2] + 1);
            }
        }
        older = std::mem::replace(&mut old, row);
    }
    old[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found() {
        let names = ["base_url", "api_key", "model", "kind"];
        for (wrong, right) in [
            ("baseurl", Some("base_url")),
            ("base-url", Some("base_url")),
            ("API_KEY", Some("api_key")),
            ("modle", Some("model")),
            ("knid", Some("kind")),
            ("temperature", None),
            ("x", None),
        ] {
            assert_eq!(nearest(wrong, names), right, "{wrong}");
        }
    }
}
