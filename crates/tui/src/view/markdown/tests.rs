//! Markdown as rows.

use super::render;
use crate::view::wrap::columns;

fn rows(text: &str, width: usize) -> String {
    let rows: Vec<String> =
        render(text, width).iter().map(|row| row.to_string().trim_end().to_owned()).collect();
    assert!(rows.iter().all(|row| columns(row) <= width), "wider than {width}: {rows:#?}");
    rows.join("\n")
}

#[test]
fn blocks() {
    insta::assert_snapshot!(rows(
        "# 标题\n\nFirst *paragraph* with `code` and a [link](https://example.org/x).\nSecond line.\n\n\
         - 一\n- two\n  1. inner\n  2. 第二项很长很长很长很长很长很长很长\n- [x] done\n- [ ] open\n\n\
         > quoted 引用的话很长很长很长很长很长很长很长\n\n\
         ```rust\nfn main() {\n    println!(\"你好\");\n}\n```\n\n---\n\nThe ~~end~~ **end**.",
        34
    ));
}

#[test]
fn a_table_with_room() {
    insta::assert_snapshot!(rows("| 名称 | Count |\n|:---|---:|\n| 苹果 | 3 |\n| pears | 12 |", 40));
}

#[test]
fn a_table_without_room_wraps_its_cells() {
    insta::assert_snapshot!(rows(
        "| 名称 | 说明 |\n|---|---|\n| 苹果 | 一种很常见的水果，红色或绿色 |\n| pear | a fruit that is often green |",
        26
    ));
}

#[test]
fn a_table_in_a_very_narrow_place_becomes_a_list() {
    insta::assert_snapshot!(rows(
        "| a | b | c | d | e |\n|-|-|-|-|-|\n| one hundred | two | three | 四五六七八 | five |",
        20
    ));
}

#[test]
fn a_long_line_of_code_is_cut_and_nothing_is_lost() {
    let code = "x".repeat(50);
    let text = rows(&format!("```\n{code}\n```"), 20);
    assert_eq!(text.matches('x').count(), 50);
}

#[test]
fn what_is_being_written_is_readable_at_every_moment() {
    let text =
        "# 标题\n\n| a | b |\n|---|---|\n| 1 | **2** |\n\n```py\nprint('你好')\n```\n- 一\n  - 二 [x](y)";
    for (end, _) in text.char_indices() {
        rows(&text[..end], 20);
    }
}

#[test]
fn any_text_fits_any_width() {
    for text in [
        "> - 1. > deep\n> - 1. > 深深深深",
        "<b>html</b>\n\n<div>\n块\n</div>",
        "![图](a.png)",
        "\u{1b}[31mred\u{1b}[0m",
    ] {
        for width in 4..30 {
            render(text, width);
        }
    }
    assert_eq!(rows("\u{1b}[31mred\u{1b}[0m", 20), "red");
}
