//! Reads the text of a config into plain values, with variables replaced and the place of every key remembered. What was
//! set while Hearth ran is laid over it.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::expand::{ExpandError, expand};
use super::problem::Problem;
use crate::environment::{Environment, VariablePlace};
use crate::words::{Words, words};

/// The names from the top of the config down to a key.
pub(crate) type KeyPath = Vec<String>;

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// Who wrote it where.
    pub(crate) origin: Origin,
    /// The variables in it, and where they were found.
    pub(crate) variables: Vec<(String, VariablePlace)>,
    /// Whether it is written as a variable, and so may be a number or a truth in a string.
    pub(super) templated: bool,
}

/// Who wrote a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Whoever wrote the file, at this line, from 1.
    File(usize),
    /// Whoever set it while Hearth ran.
    Setting,
}

/// A config as it was written, before anybody has said what its keys mean.
#[derive(Debug, Clone, Default)]
pub(crate) struct Document {
    /// The values.
    pub(crate) values: Map<String, Value>,
    /// The places of all keys, tables included.
    pub(crate) places: BTreeMap<KeyPath, Place>,
}

impl Document {
    /// Reads a text.
    pub(super) fn read(text: &str, environment: &Environment) -> Result<Self, Vec<Problem>> {
        let root = DeTable::parse(text).map_err(|error| vec![syntax_problem(text, &error)])?;
        let mut reader = Reader { text, environment, places: BTreeMap::new(), problems: Vec::new() };
        let values = reader.table(root.get_ref(), &mut Vec::new());
        if reader.problems.is_empty() {
            Ok(Self { values, places: reader.places })
        } else {
            Err(reader.problems)
        }
    }

    /// The line of a key, or of the nearest table above it.
    pub(crate) fn line(&self, path: &[String]) -> Option<usize> {
        let place = (0..=path.len()).rev().find_map(|length| self.places.get(&path[..length]))?;
        match place.origin {
            Origin::File(line) => Some(line),
            Origin::Setting => None,
        }
    }

    /// Lays a value over what is there; tables are joined. What stands for a variable in its texts is replaced.
    pub(super) fn set(
        &mut self,
        path: &[String],
        value: &Value,
        environment: &Environment,
    ) -> Result<(), Problem> {
        if let Value::Object(object) = value {
            let mut below = path.to_vec();
            return object.iter().try_for_each(|(key, value)| {
                below.truncate(path.len());
                below.push(key.clone());
                self.set(&below, value, environment)
            });
        }
        let (value, variables) = match value {
            Value::String(text) => {
                let expanded = expand(text, environment)
                    .map_err(|error| Problem { line: None, ..expand_problem(error, 0, &path.join(".")) })?;
                (Value::String(expanded.text), expanded.variables)
            }
            other => (other.clone(), Vec::new()),
        };
        let Some((last, tables)) = path.split_last() else { return Ok(()) };
        let mut table = &mut self.values;
        for name in tables {
            let below = table.entry(name).or_insert_with(|| Value::Object(Map::new()));
            if !below.is_object() {
                *below = Value::Object(Map::new());
            }
            let Value::Object(below) = below else { return Ok(()) };
            table = below;
        }
        table.insert(last.clone(), value);
        // A command line has only texts: one that should be a number or a truth becomes one.
        let place = Place { origin: Origin::Setting, variables, templated: true };
        self.places.insert(path.to_vec(), place);
        Ok(())
    }
}

struct Reader<'a> {
    text: &'a str,
    environment: &'a Environment,
    places: BTreeMap<KeyPath, Place>,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn table(&mut self, table: &DeTable<'_>, path: &mut KeyPath) -> Map<String, Value> {
        let mut values = Map::new();
        for (key, value) in table {
            let (line, _) = position(self.text, &key.span());
            path.push(key.get_ref().to_string());
            self.places.insert(
                path.clone(),
                Place { origin: Origin::File(line), variables: Vec::new(), templated: false },
            );
            let value = self.value(value, path);
            path.pop();
            values.insert(key.get_ref().to_string(), value);
        }
        values
    }

    fn value(&mut self, value: &Spanned<DeValue<'_>>, path: &mut KeyPath) -> Value {
        match value.get_ref() {
            DeValue::String(text) => Value::String(self.string(text, value.span(), path)),
            DeValue::Boolean(truth) => Value::Bool(*truth),
            DeValue::Datetime(time) => Value::String(time.to_string()),
            DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => Value::Number(number.into()),
                Err(_) => self.bad_number(value.span(), path),
            },
            DeValue::Float(number) => match number.as_str().parse().ok().and_then(Number::from_f64) {
                Some(number) => Value::Number(number),
                None => self.bad_number(value.span(), path),
            },
            DeValue::Array(values) => {
                Value::Array(values.iter().map(|value| self.value(value, path)).collect())
            }
            DeValue::Table(table) => Value::Object(self.table(table, path)),
        }
    }

    fn bad_number(&mut self, span: Range<usize>, path: &KeyPath) -> Value {
        let key = path.join(".");
        let (line, _) = position(self.text, &span);
        self.problems.push(Problem::at(
            Some(line),
            words!("`{key}` is not a number that can be used", "`{key}` 不是可用的数字"),
            words!("write a smaller, finite number", "请写一个较小的有限数"),
        ));
        Value::Null
    }

    fn string(&mut self, text: &str, span: Range<usize>, path: &KeyPath) -> String {
        let (line, _) = position(self.text, &span);
        match expand(text, self.environment) {
            Ok(expanded) => {
                if let Some(place) = self.places.get_mut(path) {
                    place.variables.extend(expanded.variables);
                    place.templated = text.contains("${");
                }
                expanded.text
            }
            Err(error) => {
                self.problems.push(expand_problem(error, line, &path.join(".")));
                String::new()
            }
        }
    }
}

fn expand_problem(error: ExpandError, line: usize, key: &str) -> Problem {
    let (what, hint) = match error {
        ExpandError::Missing(name) => (
            words!(
                "`{key}` needs the variable {name}, which is not set",
                "`{key}` 需要变量 {name}，但它没有设置"
            ),
            words!(
                "add {name}=… to .env in the home folder, or give a default: ${{{name}:-…}}",
                "请在主目录的 .env 中写 {name}=…，或给出默认值：${{{name}:-…}}",
            ),
        ),
        ExpandError::Malformed(text) => (
            words!("`{key}`: {text} is not a variable", "`{key}`：{text} 不是变量"),
            words!(
                "write ${{NAME}} or ${{NAME:-default}}; write $${{ for ${{ itself",
                "请写 ${{NAME}} 或 ${{NAME:-默认值}}；要写 ${{ 本身请用 $${{",
            ),
        ),
    };
    Problem::at(Some(line), what, hint)
}

fn syntax_problem(text: &str, error: &toml::de::Error) -> Problem {
    let message = error.message().lines().collect::<Vec<_>>().join("; ");
    let hint =
        words!("correct the TOML there (https://toml.io)", "请改正该处的 TOML 语法（https://toml.io）");
    match error.span() {
        Some(span) => {
            let (line, column) = position(text, &span);
            let what = words!("column {column}: {message}", "第 {column} 列：{message}");
            Problem::at(Some(line), what, hint)
        }
        None => Problem::at(None, Words::same(message), hint),
    }
}

/// The line and the column, in characters, both from 1, where a span begins.
fn position(text: &str, span: &Range<usize>) -> (usize, usize) {
    let mut start = span.start.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let before = &text[..start];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}
