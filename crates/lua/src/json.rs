//! `json.encode`, `json.decode`, `json.list` and `json.null`.

use mlua::{Lua, Table, Value as LuaValue};

use crate::convert;

/// The table `json`.
pub(crate) fn table(lua: &Lua) -> mlua::Result<Table> {
    let json = lua.create_table()?;
    json.raw_set("null", LuaValue::NULL)?;
    let decode = |lua: &Lua, text: mlua::LuaString| {
        let value = serde_json::from_slice(&text.as_bytes())
            .map_err(|error| mlua::Error::runtime(format!("not JSON: {error}")))?;
        convert::to_lua(lua, &value)
    };
    json.raw_set("decode", lua.create_function(decode)?)?;
    let encode = |lua: &Lua, value: LuaValue| {
        let value = convert::from_lua(lua, value).map_err(mlua::Error::runtime)?;
        lua.create_string(value.to_string())
    };
    json.raw_set("encode", lua.create_function(encode)?)?;
    let list = |lua: &Lua, table: Option<Table>| {
        let table = table.map_or_else(|| lua.create_table(), Ok)?;
        convert::as_list(lua, &table)?;
        Ok(table)
    };
    json.raw_set("list", lua.create_function(list)?)?;
    Ok(json)
}
