//! Tests of reading a config.

use super::*;

/// What is wrong with this text: line, words and hint of every problem, in English.
fn problems(text: &str) -> Vec<String> {
    let environment = Environment::of(&[("KEY", "sk-secret"), ("ROUNDS", "3"), ("WORD", "many")]);
    match parse(text, environment) {
        Ok(_) => Vec::new(),
        Err(problems) => problems
            .iter()
            .map(|problem| {
                let line = problem.line.map_or("-".into(), |line| line.to_string());
                assert!(!problem.what.zh.is_empty());
                format!("{line}: {} | {}", problem.what.en, problem.hint.en)
            })
            .collect(),
    }
}

fn check_one(text: &str, expected: &str) {
    let found = problems(text);
    assert!(
        found.len() == 1 && found[0].starts_with(expected),
        "{text}\n wanted {expected}\n found {found:#?}"
    );
}

#[test]
fn no_file_is_a_config() {
    let config = parse("", Environment::of(&[])).unwrap();
    assert_eq!(config.gateway.listen.to_string(), "127.0.0.1:8420");
    assert_eq!(config.agent, AgentConfig::default());
    assert!(config.sources.is_empty());
}

#[test]
fn an_unknown_key_is_named_with_the_nearest_right_one() {
    check_one("[agnet]\n", "1: unknown key `agnet` | did you mean `agent`?");
    check_one(
        "\n[agent]\ntool_round_max = 3\n",
        "3: unknown key `agent.tool_round_max` | did you mean `tool_rounds_max`?",
    );
    check_one(
        "[gateway]\nzzzzzz = 1\n",
        "2: unknown key `gateway.zzzzzz` | remove it; possible here: listen, metrics_open",
    );
}

#[test]
fn a_wrong_type_is_named() {
    check_one(
        "[agent]\ntool_rounds_max = \"ten\"\n",
        "2: `agent.tool_rounds_max` must be a whole number, not a text in quotes",
    );
    check_one(
        "[agent]\ncommand_prefixes = \"/\"\n",
        "2: `agent.command_prefixes` must be a list in [ ], not a text in quotes",
    );
    check_one("agent = 3\n", "1: `agent` must be a section, not a whole number");
    check_one(
        "[agent]\ntool_rounds_max = -1\n",
        "2: `agent.tool_rounds_max` is -1, which is too small | write 0 or more",
    );
    check_one(
        "[rights]\nexec = \"alow\"\n",
        "2: `rights.exec` cannot be \"alow\" | did you mean \"allow\"? Possible: allow, deny",
    );
    check_one("[gateway]\nlisten = \"here\"\n", "1: [gateway]: invalid socket address syntax");
}

#[test]
fn bad_toml_is_told_in_one_line_with_its_place() {
    check_one("[agent]\npersona = \"a\nx = 1\n", "2: column ");
    check_one("[agent\n", "1: column ");
    check_one("a = 1\na = 2\n", "2: column ");
    assert!(problems("中 = 文\n")[0].starts_with("1: column "));
    assert!(!problems("[agent\n")[0].contains('\n'));
}

#[test]
fn a_missing_variable_is_named_with_key_and_line() {
    check_one(
        "[agent]\npersona = \"${NOPE}\"\n",
        "2: `agent.persona` needs the variable NOPE, which is not set | add NOPE=… to .env",
    );
    check_one("[agent]\npersona = \"${NO\"\n", "2: `agent.persona`: ${NO is not a variable");
}

#[test]
fn several_problems_are_all_found() {
    assert_eq!(problems("[agent]\na = \"${NOPE}\"\nb = \"${NEITHER}\"\n").len(), 2);
    assert_eq!(problems("[agent]\nq = 1\n[rights]\nexec = 3\n").len(), 2);
}

#[test]
fn a_variable_may_stand_for_a_number() {
    let environment = Environment::of(&[("ROUNDS", "3")]);
    let config =
        parse("[agent]\ntool_rounds_max = \"${ROUNDS}\"\nstale_after_s = \"${S:-7}\"\n", environment)
            .unwrap();
    assert_eq!((config.agent.tool_rounds_max, config.agent.stale_after_s), (3, 7));
    check_one(
        "[agent]\ntool_rounds_max = \"${WORD}\"\n",
        "2: `agent.tool_rounds_max` must be a whole number",
    );
}

#[test]
fn a_purpose_names_a_source_that_is_there() {
    check_one(
        "[purposes]\nchat = [\"ofline\"]\n",
        "2: `purposes.chat` names the source \"ofline\", which is not there | did you mean \"offline\"?",
    );
    assert_eq!(problems("[purposes]\nchat = [\"offline\"]\n"), [""; 0]);
}

#[test]
fn several_problems_are_one_failure_that_counts_them() {
    let two = problem_list("[agent]\nq = 1\nr = 1\n");
    let failure = summary(two, Path::new("/home/config.toml"));
    assert_eq!(
        failure.what.en,
        "config.toml line 2: unknown key `agent.q` (and 1 more: hearth config check)"
    );
}

fn problem_list(text: &str) -> Vec<Problem> {
    parse(text, Environment::of(&[])).unwrap_err()
}

#[test]
fn it_is_told_where_a_value_comes_from() {
    let environment = Environment::of(&[("WHO", "me.md")]);
    let config = parse("[agent]\npersona = \"${WHO}\"\nstale_after_s = 5\n", environment).unwrap();
    let from = |key: &str| effective_values(&config).into_iter().find(|value| value.key == key).unwrap().from;
    assert_eq!(from("agent.persona"), "config.toml:2 ${WHO} from environment");
    assert_eq!(from("agent.stale_after_s"), "config.toml:3");
    assert_eq!(from("gateway.listen"), "default");
}

#[test]
fn the_checked_in_schema_is_the_one_of_this_build() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/config.schema.json");
    let made = format!("{:#}\n", schema());
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = kept.lines().zip(made.lines()).position(|(kept, made)| kept != made);
    assert!(
        kept == made,
        "line {} differs: run `cargo run -p hearth -- config schema > docs/config.schema.json`",
        differs.unwrap_or(kept.lines().count()) + 1
    );
}
