//! Tests of reading pages.

use proptest::prelude::*;

use super::*;

#[test]
fn pages_become_lines() {
    for (page, expected) in [
        ("", ""),
        ("乌龙茶", "乌龙茶"),
        ("<p>one</p><p>two <b>three</b></p>", "one\ntwo three"),
        (
            "<html><head><title>茶 &amp; 水</title><style>p{}</style></head><body>x</body></html>",
            "茶 & 水\nx",
        ),
        ("<script>if (a < b) { '</p>' }</script>after", "after"),
        ("<SCRIPT>x</SCRIPT >after<noscript>no</noscript>", "after"),
        ("<!-- <p>hidden</p> -->shown<!DOCTYPE html>", "shown"),
        ("<ul><li>a<li>b</ul>", "- a\n- b"),
        ("<a href=\"x>y\" title='1 > 0'>link</a> and more", "link and more"),
        ("a &lt;b&gt; &#20013;&#x6587; &nosuch; & c", "a <b> 中文 &nosuch; & c"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("line<br>line<br/>line", "line\nline\nline"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a b"),
        ("  many \n\n blanks\t here ", "many blanks here"),
        ("<p unclosed", ""),
        ("<a href=\"never closed>link</a> text", "link text"),
        ("<svg/><p>x</p>", "x"),
    ] {
        assert_eq!(to_text(page), expected, "{page}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(page in "([<>&;/!\"'= a茶]|<script|</script>|&#x|<!--|-->|<title>){0,60}") {
        let text = to_text(&page);
        prop_assert!(text.len() <= page.len() * 2 + 2, "{text:?}");
    }
}
