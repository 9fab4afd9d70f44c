//! Functions of the interpreter that do much in one step, with bounds put before them.

use mlua::{Function, Lua, MultiValue, Table, Value};

use crate::limits::{PATTERN_BYTES_MAX, SEARCH_WORK_MAX};

/// Searches: the first argument is looked in, the second looked for. A long one costs its length at each place.
const SEARCHES: &[&str] = &["find", "match", "gmatch", "gsub", "split"];

/// Puts the bounds in place.
pub(crate) fn bound(lua: &Lua) -> mlua::Result<()> {
    let strings: Table = lua.globals().raw_get("string")?;
    for name in SEARCHES {
        let plain: Function = strings.raw_get(*name)?;
        let bounded = lua.create_function(move |_, arguments: MultiValue| {
            let length = |at: usize| match arguments.get(at) {
                Some(Value::String(text)) => text.as_bytes().len(),
                _ => 0,
            };
            if length(1) > PATTERN_BYTES_MAX || length(0).saturating_mul(length(1)) > SEARCH_WORK_MAX {
                return Err(mlua::Error::runtime("what is looked for, or looked in, is too long"));
            }
            plain.call::<MultiValue>(arguments)
        })?;
        strings.raw_set(*name, bounded)?;
    }
    // It moves any range in one step, however empty.
    let tables: Table = lua.globals().raw_get("table")?;
    tables.raw_set("move", Value::Nil)
}
