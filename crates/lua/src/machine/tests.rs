use std::sync::Arc;

use hearth_contract::clock::SystemClock;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::Machine;
use crate::{Limits, ScriptError};

/// Small, so that what must be stopped is stopped soon.
const SMALL: Limits =
    Limits { source_bytes_max: 64 * 1024, memory_bytes_max: 4 << 20, steps_max: 50_000, call_ms_max: 60_000 };

fn load(source: &str) -> Result<Machine, ScriptError> {
    Machine::load("a.lua", source, SMALL, Arc::new(SystemClock))
}

/// Calls the body of a function with one argument.
fn run(body: &str, argument: Value) -> Result<Value, ScriptError> {
    load(&format!("return {{ f = function(x, state)\n{body}\nend }}"))?.call("f", &[argument])
}

fn reason(body: &str) -> String {
    run(body, json!(1)).unwrap_err().to_string()
}

#[test]
fn values_come_back_as_they_went_in() {
    let value = json!({"text": "你好", "list": [1, 2.5, [], {}], "empty": {}, "none": [], "flag": false});
    assert_eq!(run("return x", value.clone()).unwrap(), value);
    assert_eq!(run("return json.decode(json.encode(x))", value.clone()).unwrap(), value);
    assert_eq!(
        run("return {json.null, x.a == nil, json.list()}", json!({"a": null})).unwrap(),
        json!([null, true, []])
    );
}

#[test]
fn state_is_kept_between_calls_of_one_machine() {
    let machine =
        load("return { f = function(state) state.n = (state.n or 0) + 1 return state.n end }").unwrap();
    let counted = [1, 2].map(|_| machine.call("f", &[]).unwrap());
    assert_eq!(counted, [json!(1), json!(2)]);
    assert!(machine.has("f") && !machine.has("g"));
}

#[test]
fn an_error_names_the_file_and_the_line() {
    assert!(load("return {\n f = = 1 }").unwrap_err().to_string().starts_with("a.lua:2:"));
    assert!(
        reason("local y = nil\nreturn y.z").starts_with("a.lua:3:"),
        "{}",
        reason("local y = nil\nreturn y.z")
    );
    let refused = reason("\n\nreturn json.decode('{')");
    assert!(refused.starts_with("a.lua:4: not JSON"), "{refused}");
    assert!(reason("error({code = 1})").starts_with("a.lua"));
    assert_eq!(
        load("return 1").unwrap_err().to_string(),
        "a.lua: the script must end with `return` and a table"
    );
    assert!(load(&"-".repeat(70_000)).is_err());
}

#[test]
fn nothing_outside_can_be_reached() {
    for name in [
        "io",
        "os",
        "require",
        "package",
        "debug",
        "loadstring",
        "load",
        "loadfile",
        "dofile",
        "getfenv",
        "setfenv",
        "collectgarbage",
        "newproxy",
    ] {
        assert_eq!(run(&format!("return {name} == nil"), json!(1)).unwrap(), json!(true), "{name}");
    }
    assert!(load("\u{1b}Lua").is_err(), "compiled code was taken");
}

#[test]
fn what_never_ends_is_stopped() {
    for body in [
        "while true do end",
        "repeat until false",
        "while true do pcall(function() while true do end end) end",
        "local ok = pcall(function() while true do end end) return ok",
        "return xpcall(function() while true do end end, function() while true do end end)",
        "local c = coroutine.wrap(function() while true do end end) c()",
        "while true do coroutine.wrap(function() coroutine.yield(1) end)() end",
        "local t = setmetatable({}, {__index = function(t, k) return t[k + 1] end}) while true do pcall(function() return t[1] end) end",
        "return string.rep('a', 40) :find(string.rep('a-', 40) .. 'b')",
        "table.sort({3, 2, 1}, function() while true do end end)",
        "return (string.rep('a', 1000):gsub('a', function() while true do end end))",
    ] {
        assert!(
            matches!(run(body, json!(1)), Err(ScriptError::Limit { .. })),
            "{body}: {:?}",
            run(body, json!(1))
        );
    }
}

#[test]
fn what_wants_too_much_is_refused() {
    for body in [
        "return string.rep('x', 1e9)",
        "local s = 'x' while true do s = s .. s end",
        "local t = {} for i = 1, 1e9 do t[i] = {} end",
        "return table.create(1e8, 'x')",
        "local t = {} for i = 1, 100000 do t[i] = string.rep('y', 1000) .. i end return table.concat(t)",
    ] {
        assert!(run(body, json!(1)).is_err(), "{body}");
    }
    // Deep recursion, a text in many places, a table that holds itself: errors, not the end of the process.
    for (body, part) in [
        ("local function f(n) return 1 + f(n) end return f(1)", "a.lua"),
        ("local s, t = string.rep('z', 1e6), {} for i = 1, 1000 do t[i] = s end return t", "too many bytes"),
        ("local t = {} t.t = t return t", "holds itself"),
        ("local t = {} for i = 1, 200 do t = {t} end return json.encode(t)", "holds itself"),
        ("return {1, 2, name = 3}", "names or gaps"),
        ("return {[1.5] = 1}", "neither texts"),
        ("return print", "function"),
        ("return 0/0", "not finite"),
        ("return '\\255'", "UTF-8"),
        ("return string.find('x', string.rep('y', 10000), 1, true)", "too long"),
    ] {
        let reason = reason(body);
        assert!(reason.contains(part), "{body}: {reason}");
        assert!(reason.chars().count() < 600 && !reason.contains('\n'), "{reason}");
    }
}

#[test]
fn the_libraries_cannot_be_changed() {
    for body in
        ["string.rep = nil", "json.encode = nil", "getmetatable(json.list()).x = 1", "getmetatable('').x = 1"]
    {
        assert!(run(body, json!(1)).is_err(), "{body}");
    }
}

#[test]
fn a_machine_that_was_stopped_once_still_answers_shorter_calls() {
    let machine = load("return { f = function(x) while x do end return 'ok' end }").unwrap();
    assert!(machine.call("f", &[json!(true)]).is_err());
    assert_eq!(machine.call("f", &[json!(false)]).unwrap(), json!("ok"));
}

/// Pieces that often make a script together, and often one that would not end.
const PARTS: &[&str] = &[
    "while true do",
    "while x do",
    "repeat",
    "until x == nil",
    "for i = 1, 1e9 do",
    "if x then",
    "else",
    "end",
    "end",
    "end",
    "pcall(function()",
    "end)",
    "coroutine.wrap(function()",
    "end)()",
    "local y = {x}",
    "x = string.rep('x', 1000)",
    "x = {x, x}",
    "x = nil",
    "setmetatable({}, {__index = function(t, k) return t[k] end})",
    "error(x)",
    "break",
    "json.encode(x)",
    "table.concat(x, 'y')",
    "string.find('aaaaaaaaaaaaaaaaaaaa', 'a-a-a-a-a-b')",
];

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<i16>().prop_map(|n| Value::from(f64::from(n) + 0.25)),
        ".{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::btree_map(".{0,8}", inner, 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_value_comes_back_as_it_went_in(value in any_json()) {
        prop_assert_eq!(run("return json.decode(json.encode(x))", value.clone()).unwrap(), value);
    }

    #[test]
    fn any_script_ends(parts in prop::collection::vec(prop::sample::select(PARTS), 0..30)) {
        let source = format!("return {{ f = function(x)\n{}\nreturn x end }}", parts.join(" "));
        if let Ok(machine) = load(&source) {
            let _ = machine.call("f", &[json!([1, 2])]);
        }
    }
}
