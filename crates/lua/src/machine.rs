//! One script, loaded and ready to be called.

use std::sync::Arc;

use hearth_contract::clock::Clock;
use mlua::chunk::ChunkMode;
use mlua::{Function, Lua, LuaOptions, MultiValue, StdLib, Table, Value as LuaValue, VmState};
use serde_json::Value;

use crate::convert;
use crate::error::ScriptError;
use crate::json;
use crate::limits::{LOG_CHARS_MAX, Limits};
use crate::strings;
use crate::watch::Watch;

/// What a script finds beside its own names. No files, no system, no other scripts, no compiled code.
const LIBRARIES: [StdLib; 6] =
    [StdLib::TABLE, StdLib::STRING, StdLib::MATH, StdLib::BIT, StdLib::COROUTINE, StdLib::UTF8];

/// Names of the interpreter itself that are taken away: they load code, look into other code, or steer the collector.
const TAKEN_AWAY: &[&str] = &[
    "require",
    "loadstring",
    "load",
    "loadfile",
    "dofile",
    "getfenv",
    "setfenv",
    "newproxy",
    "collectgarbage",
    "debug",
    "os",
    "io",
    "package",
];

/// A script in a machine of its own. It must return a table of functions; these are what can be called.
///
/// Calls block for as long as the script runs: at most the time its limits give it.
pub struct Machine {
    name: String,
    lua: Lua,
    functions: Table,
    state: Table,
    watch: Arc<Watch>,
}

impl Machine {
    /// Loads a script. `name` stands in its errors, as `name:line:`.
    ///
    /// # Errors
    /// The script is too long, cannot be read, fails while it is loaded, or returns no table.
    pub fn load(
        name: &str,
        source: &str,
        limits: Limits,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ScriptError> {
        if source.len() > limits.source_bytes_max {
            let reason = format!("{name}: the script is longer than {} bytes", limits.source_bytes_max);
            return Err(ScriptError::script(&reason));
        }
        let watch = Arc::new(Watch::new(clock, limits));
        let made = sandbox(name, limits, &watch).and_then(|lua| Ok((lua.create_table()?, lua)));
        let (state, lua) = made.map_err(|error| ScriptError::script(&format!("{name}: {error}")))?;
        watch.begin();
        let chunk = lua.load(source).set_name(format!("={name}")).set_mode(ChunkMode::Text);
        let returned = chunk.eval::<LuaValue>();
        let returned = settled(name, &watch, limits, returned)?;
        let LuaValue::Table(functions) = returned else {
            return Err(ScriptError::script(&format!(
                "{name}: the script must end with `return` and a table"
            )));
        };
        Ok(Self { name: name.to_owned(), lua, functions, state, watch })
    }

    /// Whether the script has a function of this name.
    pub fn has(&self, function: &str) -> bool {
        self.functions.raw_get::<Option<Function>>(function).is_ok_and(|found| found.is_some())
    }

    /// Calls a function. After `arguments` it is given a table that is the machine's own and kept between calls.
    ///
    /// # Errors
    /// There is no such function, it fails, it gives back what is no JSON value, or it uses more than it may.
    pub fn call(&self, function: &str, arguments: &[Value]) -> Result<Value, ScriptError> {
        let Ok(Some(found)) = self.functions.raw_get::<Option<Function>>(function) else {
            return Err(ScriptError::script(&format!("{}: there is no function `{function}`", self.name)));
        };
        self.watch.begin();
        let returned = arguments
            .iter()
            .map(|argument| convert::to_lua(&self.lua, argument))
            .chain([Ok(LuaValue::Table(self.state.clone()))])
            .collect::<mlua::Result<MultiValue>>()
            .and_then(|arguments| found.call::<LuaValue>(arguments));
        let returned = settled(&self.name, &self.watch, self.watch.limits(), returned)?;
        convert::from_lua(&self.lua, returned).map_err(|reason| {
            ScriptError::script(&format!("{}: what `{function}` gives back: {reason}", self.name))
        })
    }
}

impl std::fmt::Debug for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Machine").field("name", &self.name).finish_non_exhaustive()
    }
}

fn sandbox(name: &str, limits: Limits, watch: &Arc<Watch>) -> mlua::Result<Lua> {
    let libraries = LIBRARIES.into_iter().fold(StdLib::NONE, |all, library| all | library);
    let lua = Lua::new_with(libraries, LuaOptions::new())?;
    let globals = lua.globals();
    for taken in TAKEN_AWAY {
        globals.raw_set(*taken, LuaValue::Nil)?;
    }
    let list = lua.create_table()?;
    list.raw_set("__metatable", false)?;
    list.set_readonly(true);
    lua.set_named_registry_value(convert::LIST, list)?;
    strings::bound(&lua)?;
    let json = json::table(&lua)?;
    json.set_readonly(true);
    globals.raw_set("json", json)?;
    let log = logger(&lua, name)?;
    globals.raw_set("print", log.clone())?;
    globals.raw_set("log", log)?;
    lua.sandbox(true)?;
    let asked = Arc::clone(watch);
    lua.set_interrupt(move |_| match asked.may_go_on() {
        true => Ok(VmState::Continue),
        false => Err(mlua::Error::runtime("stopped")),
    });
    lua.set_memory_limit(limits.memory_bytes_max)?;
    Ok(lua)
}

/// `log(…)`: a line of the log at the level of details, marked with the script's name.
fn logger(lua: &Lua, name: &str) -> mlua::Result<Function> {
    let name = name.to_owned();
    lua.create_function(move |_, values: MultiValue| {
        let mut line = String::new();
        for value in &values {
            let text = match value {
                LuaValue::String(text) => text.to_string_lossy(),
                LuaValue::Number(number) => number.to_string(),
                LuaValue::Boolean(flag) => flag.to_string(),
                other => other.type_name().to_owned(),
            };
            let room = LOG_CHARS_MAX.saturating_sub(line.chars().count());
            line.extend(text.chars().chain([' ']).take(room));
        }
        tracing::debug!(script = name, "{}", line.trim_end());
        Ok(())
    })
}

/// What a call came to. A call that was stopped has failed, whatever it made of the error that stopped it.
fn settled(
    name: &str,
    watch: &Watch,
    limits: Limits,
    returned: mlua::Result<LuaValue>,
) -> Result<LuaValue, ScriptError> {
    if watch.is_over() {
        return Err(ScriptError::Limit { name: name.to_owned(), limit: watch.limit() });
    }
    returned.map_err(|error| {
        if is_memory(&error) {
            let limit = format!("{} bytes of memory", limits.memory_bytes_max);
            return ScriptError::Limit { name: name.to_owned(), limit };
        }
        ScriptError::script(&described(name, &error))
    })
}

fn is_memory(error: &mlua::Error) -> bool {
    match error {
        mlua::Error::MemoryError(_) => true,
        mlua::Error::CallbackError { cause, .. } => is_memory(cause),
        mlua::Error::RuntimeError(reason) => {
            reason.lines().next().is_some_and(|l| l.ends_with("not enough memory"))
        }
        _ => false,
    }
}

/// An error in one line, with the script's line where it is known.
fn described(name: &str, error: &mlua::Error) -> String {
    match error {
        mlua::Error::SyntaxError { message, .. } => message.clone(),
        mlua::Error::RuntimeError(reason) if reason.starts_with(name) => reason.clone(),
        mlua::Error::RuntimeError(reason) => format!("{name}: {reason}"),
        mlua::Error::CallbackError { traceback, cause } => {
            let reason = match cause.as_ref() {
                mlua::Error::RuntimeError(reason) => reason.clone(),
                other => other.to_string(),
            };
            match traceback.lines().find_map(|line| place(name, line)) {
                Some(place) => format!("{place}: {reason}"),
                None => format!("{name}: {reason}"),
            }
        }
        other => format!("{name}: {other}"),
    }
}

/// `name:line` in a line of a traceback.
fn place<'a>(name: &str, line: &'a str) -> Option<&'a str> {
    let line = line.trim();
    let after = line.strip_prefix(name)?.strip_prefix(':')?;
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0).then(|| &line[..name.len() + 1 + digits])
}

#[cfg(test)]
mod tests;
