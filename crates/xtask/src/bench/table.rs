//! A Markdown table of two columns.

/// Rows of what was measured.
#[derive(Debug, Default)]
pub(crate) struct Table(Vec<(String, String)>);

impl Table {
    pub(crate) fn row(&mut self, what: &str, value: String) {
        eprintln!("{what}: {value}");
        self.0.push((what.to_owned(), value));
    }

    pub(crate) fn render(&self) -> String {
        let mut text = String::from("| what | measured |\n| --- | --- |\n");
        for (what, value) in &self.0 {
            text.push_str(&format!("| {what} | {value} |\n"));
        }
        text
    }
}
