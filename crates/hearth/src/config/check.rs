//! Holds the values of a config against its JSON schema, for messages that name the key, the line and the right word.
//!
//! Understands what `schemars` makes of our config types, references resolved; what it does not understand it lets
//! pass, because the owner of a section reads it afterwards and has the last word.

use serde_json::{Map, Value};

use super::document::{Document, KeyPath};
use super::problem::Problem;
use super::suggest::nearest;
use crate::words::{Words, words};

/// Checks `value` and returns what is wrong. A string that came from a variable becomes the number or the truth that
/// the schema asks for.
pub(super) fn check(schema: &Value, value: &mut Value, path: KeyPath, document: &Document) -> Vec<Problem> {
    let mut checker = Checker { document, path, problems: Vec::new() };
    checker.check(schema, value);
    checker.problems
}

struct Checker<'a> {
    document: &'a Document,
    path: KeyPath,
    problems: Vec<Problem>,
}

impl Checker<'_> {
    fn check(&mut self, schema: &Value, value: &mut Value) {
        if let Some(branches) = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array)
        {
            return self.check_branches(branches, value);
        }
        if let Some(permitted) = fixed_values(schema) {
            return self.check_fixed(&permitted, value);
        }
        self.coerce(schema, value);
        if !self.check_type(schema, value) {
            return;
        }
        match value {
            Value::Object(object) => self.check_object(schema, object),
            Value::Array(items) => {
                if let Some(item_schema) = schema.get("items") {
                    items.iter_mut().for_each(|item| self.check(item_schema, item));
                }
            }
            Value::Number(_) => self.check_range(schema, value),
            Value::Null | Value::Bool(_) | Value::String(_) => {}
        }
    }

    fn check_branches(&mut self, branches: &[Value], value: &mut Value) {
        let branches: Vec<&Value> =
            branches.iter().filter(|branch| branch.get("type") != Some(&"null".into())).collect();
        let fixed: Option<Vec<Vec<Value>>> = branches.iter().map(|branch| fixed_values(branch)).collect();
        if let Some(permitted) = fixed {
            return self.check_fixed(&permitted.concat(), value);
        }
        if let Some(tag) = branches.first().and_then(|branch| tag_of(branch)) {
            return self.check_tagged(&tag, &branches, value);
        }
        let trials = branches.iter().map(|branch| {
            let mut trial = value.clone();
            (check(branch, &mut trial, self.path.clone(), self.document), trial)
        });
        if let Some((problems, trial)) = trials.min_by_key(|(problems, _)| problems.len()) {
            self.problems.extend(problems);
            *value = trial;
        }
    }

    /// Checks an object by the branch whose `tag` has its value.
    fn check_tagged(&mut self, tag: &str, branches: &[&Value], value: &mut Value) {
        let Some(object) = value.as_object() else {
            return self.wrong_type("object", value);
        };
        let permitted: Vec<Value> =
            branches.iter().filter_map(|branch| branch["properties"][tag].get("const").cloned()).collect();
        let Some(chosen) = object.get(tag).cloned() else {
            return self.missing(tag);
        };
        match permitted.iter().position(|name| *name == chosen) {
            Some(at) => self.check(branches[at], value),
            None => {
                self.path.push(tag.to_owned());
                self.check_fixed(&permitted, &chosen);
                self.path.pop();
            }
        }
    }

    fn check_object(&mut self, schema: &Value, object: &mut Map<String, Value>) {
        let nothing = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&nothing);
        let others = schema.get("additionalProperties");
        for (key, value) in object.iter_mut() {
            self.path.push(key.clone());
            match (properties.get(key), others) {
                (Some(property), _) => self.check(property, value),
                (None, Some(Value::Bool(false))) => self.unknown(key, properties),
                (None, Some(other)) => self.check(other, value),
                (None, None) => {}
            }
            self.path.pop();
        }
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        for key in required.filter_map(Value::as_str).filter(|key| !object.contains_key(*key)) {
            self.missing(key);
        }
    }

    fn check_fixed(&mut self, permitted: &[Value], value: &Value) {
        if permitted.contains(value) {
            return;
        }
        let key = self.path.join(".");
        let names: Vec<&str> = permitted.iter().filter_map(Value::as_str).collect();
        let list = names.join(", ");
        let hint = match value.as_str().and_then(|wrong| nearest(wrong, names.iter().copied())) {
            Some(right) => {
                words!("did you mean \"{right}\"? Possible: {list}", "是不是 \"{right}\"？可选：{list}")
            }
            None => words!("use one of: {list}", "可选：{list}"),
        };
        self.report(words!("`{key}` cannot be {value}", "`{key}` 不能是 {value}"), hint);
    }

    fn coerce(&self, schema: &Value, value: &mut Value) {
        let Value::String(text) = &*value else { return };
        if !self.document.places.get(&self.path).is_some_and(|place| place.templated) {
            return;
        }
        let wanted = types(schema);
        let coerced = text.trim().parse::<Value>().ok().filter(|coerced| {
            (coerced.is_number() || coerced.is_boolean()) && wanted.iter().any(|name| is_type(coerced, name))
        });
        if let Some(coerced) = coerced.filter(|_| !wanted.contains(&"string")) {
            *value = coerced;
        }
    }

    fn check_type(&mut self, schema: &Value, value: &Value) -> bool {
        let wanted = types(schema);
        let right = wanted.is_empty() || wanted.iter().any(|name| is_type(value, name));
        if !right {
            let shown: Vec<&str> = wanted.into_iter().filter(|name| *name != "null").collect();
            self.wrong_type(&shown.join(" / "), value);
        }
        right
    }

    fn check_range(&mut self, schema: &Value, value: &Value) {
        let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
        let Some(number) = value.as_f64() else { return };
        let key = self.path.join(".");
        if let Some(least) = bound("minimum").filter(|least| number < *least) {
            self.report(
                words!("`{key}` is {value}, which is too small", "`{key}` 是 {value}，太小"),
                words!("write {least} or more", "请写不小于 {least} 的数"),
            );
        }
        if let Some(most) = bound("maximum").filter(|most| number > *most) {
            self.report(
                words!("`{key}` is {value}, which is too large", "`{key}` 是 {value}，太大"),
                words!("write {most} or less", "请写不大于 {most} 的数"),
            );
        }
    }

    fn wrong_type(&mut self, wanted: &str, value: &Value) {
        let key = self.path.join(".");
        let wanted = type_words(wanted);
        let (en, zh) = (&wanted.en, &wanted.zh);
        let found = type_words(type_name(value));
        let (found_en, found_zh) = (&found.en, &found.zh);
        self.report(
            words!("`{key}` must be {en}, not {found_en}", "`{key}` 应为{zh}，而不是{found_zh}"),
            Words::default(),
        );
    }

    fn unknown(&mut self, key: &str, properties: &Map<String, Value>) {
        let whole = self.path.join(".");
        let list = properties.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        let hint = match nearest(key, properties.keys().map(String::as_str)) {
            Some(right) => {
                words!("did you mean `{right}`? Possible: {list}", "是不是 `{right}`？可选：{list}")
            }
            None => words!("remove it; possible here: {list}", "请删除；此处可选：{list}"),
        };
        self.report(words!("unknown key `{whole}`", "未知的键 `{whole}`"), hint);
    }

    fn missing(&mut self, key: &str) {
        let section = self.path.join(".");
        self.report(
            words!("[{section}] has no `{key}`", "[{section}] 缺少 `{key}`"),
            words!("add a line `{key} = …` to [{section}]", "请在 [{section}] 中加一行 `{key} = …`"),
        );
    }

    fn report(&mut self, what: Words, hint: Words) {
        self.problems.push(Problem::at(self.document.line(&self.path), what, hint));
    }
}

/// The values a schema permits, if it lists them.
fn fixed_values(schema: &Value) -> Option<Vec<Value>> {
    if let Some(only) = schema.get("const") {
        return Some(vec![only.clone()]);
    }
    schema.get("enum").and_then(Value::as_array).cloned()
}

/// The property by which an object says which branch it is.
fn tag_of(branch: &Value) -> Option<String> {
    let properties = branch.get("properties")?.as_object()?;
    properties.iter().find(|(_, schema)| schema.get("const").is_some()).map(|(name, _)| name.clone())
}

fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn is_type(value: &Value, name: &str) -> bool {
    match name {
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        name => type_name(value) == name,
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn type_words(name: &str) -> Words {
    match name {
        "null" => words!("empty", "空"),
        "boolean" => words!("true or false", " true 或 false"),
        "integer" => words!("a whole number", "整数"),
        "number" => words!("a number", "数字"),
        "string" => words!("a text in quotes", "带引号的文本"),
        "array" => words!("a list in [ ]", "用 [ ] 写的列表"),
        "object" => words!("a section", "一节"),
        other => Words::same(other),
    }
}
