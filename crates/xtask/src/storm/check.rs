//! Compares what was asked, what arrived, what the workspace holds and what the ledger proves.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use anyhow::{Context, ensure};
use serde_json::Value;

use super::world::{Arrived, World};
use crate::daemon;
use crate::model::tokens;

/// What came out.
#[derive(Debug, Default)]
pub(crate) struct Report {
    asked: usize,
    arrived: usize,
    model_calls: usize,
    faults: usize,
    lost: Vec<String>,
    /// Said by two different deliveries, or twice by one without a mark where the network cannot tell.
    unmarked_duplicates: Vec<String>,
    marked_duplicates: usize,
    recognised_duplicates: usize,
    out_of_order: Vec<String>,
    effects_twice: Vec<String>,
    effects_unknown: usize,
    proof: Value,
}

/// Makes the report. The daemon has stopped.
pub(crate) async fn report(binary: &Path, home: &Path, world: &World) -> anyhow::Result<Report> {
    let asked = world.asked();
    let arrived = world.arrived();
    let proof = daemon::command(binary, home).args(["prove", "--json"]).output().await?;
    let mut report = Report {
        asked: asked.len(),
        arrived: arrived.len(),
        model_calls: world.model_calls.load(std::sync::atomic::Ordering::SeqCst),
        faults: world.faults.load(std::sync::atomic::Ordering::SeqCst),
        lost: world.missing(),
        proof: serde_json::from_slice(&proof.stdout).context("prove says nothing")?,
        ..Report::default()
    };
    report.deliveries(&arrived);
    report.order(&arrived);
    for file in ["shell.txt", "append.txt"] {
        let text = std::fs::read_to_string(home.join("workspace").join(file)).unwrap_or_default();
        let mut seen = BTreeSet::new();
        report
            .effects_twice
            .extend(text.lines().filter(|line| !seen.insert(*line)).map(|line| format!("{file}: {line}")));
    }
    Ok(report)
}

impl Report {
    fn deliveries(&mut self, arrived: &[Arrived]) {
        let mut by_delivery: BTreeMap<&str, &Arrived> = BTreeMap::new();
        let mut said_by: BTreeMap<(String, String), String> = BTreeMap::new();
        for one in arrived {
            self.effects_unknown += usize::from(unknown_outcomes(&one.text) > 0);
            match (by_delivery.insert(&one.delivery, one), one.network.as_str()) {
                (None, _) => {}
                (Some(_), "once") => self.recognised_duplicates += 1,
                (Some(_), _) if one.may_be_duplicate => self.marked_duplicates += 1,
                (Some(_), _) => {
                    self.unmarked_duplicates.push(format!("{} again: {}", one.delivery, one.text))
                }
            }
            for token in tokens(&one.text) {
                let kind = one.text.split(' ').next().unwrap_or_default().to_owned();
                let place = (kind, token.to_owned());
                let first = said_by.entry(place).or_insert_with(|| one.delivery.clone());
                if *first != one.delivery {
                    self.unmarked_duplicates
                        .push(format!("{token} by {first} and {}: {}", one.delivery, one.text));
                }
            }
        }
    }

    /// Within a chat, answers come in the order of what they answer.
    fn order(&mut self, arrived: &[Arrived]) {
        let mut last: BTreeMap<&str, u64> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for one in
            arrived.iter().filter(|one| one.text.starts_with("re:") && seen.insert(one.delivery.as_str()))
        {
            for token in tokens(&one.text).filter(|token| !one.text.contains(&format!("due {token}"))) {
                let number: u64 = token.trim_matches(['m', 'x']).parse().unwrap_or_default();
                let before = last.insert(&one.chat, number);
                if before.is_some_and(|before| before > number) {
                    self.out_of_order.push(format!(
                        "{} after m{}x in {}",
                        token,
                        before.unwrap_or_default(),
                        one.chat
                    ));
                }
            }
        }
    }

    /// Fails on anything that must not be.
    pub(crate) fn judge(&self) -> anyhow::Result<()> {
        ensure!(self.asked > 0 && self.arrived > 0, "nothing happened");
        ensure!(self.lost.is_empty(), "lost: {:?}", self.lost);
        ensure!(self.unmarked_duplicates.is_empty(), "said twice: {:#?}", self.unmarked_duplicates);
        ensure!(self.out_of_order.is_empty(), "out of order: {:#?}", self.out_of_order);
        ensure!(self.effects_twice.is_empty(), "done twice: {:?}", self.effects_twice);
        for name in ["unexplained", "open", "dead_lettered", "failed_told"] {
            ensure!(self.proof[name] == 0, "{name}: {}", self.proof);
        }
        Ok(())
    }
}

fn unknown_outcomes(text: &str) -> u64 {
    let count = text.split("(unknown outcomes: ").nth(1).and_then(|rest| rest.split(')').next());
    count.and_then(|count| count.parse().ok()).unwrap_or_default()
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "asked {}, deliveries that arrived {}, model calls {}, faults of the outside {}",
            self.asked, self.arrived, self.model_calls, self.faults
        )?;
        writeln!(
            f,
            "lost {}, said twice unmarked {}, marked as possible duplicates {}, recognised by the network {}",
            self.lost.len(),
            self.unmarked_duplicates.len(),
            self.marked_duplicates,
            self.recognised_duplicates
        )?;
        writeln!(
            f,
            "out of order {}, done twice {}, answers that report an unknown outcome {}",
            self.out_of_order.len(),
            self.effects_twice.len(),
            self.effects_unknown
        )?;
        write!(f, "prove: {}", self.proof)
    }
}
