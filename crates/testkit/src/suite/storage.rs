//! The suite of the store: every backend passes every case, each on a fresh store.

mod deliveries;
mod facts;
mod ledger;
mod messages;
mod proof;
mod records;
pub mod samples;
mod schedules;
mod tasks;
mod turns;

use std::pin::Pin;

use hearth_contract::store::Stores;

/// A case that is running.
pub type CaseFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// One thing that must hold.
#[derive(Clone, Copy)]
pub struct Case {
    /// What must hold, in words.
    pub name: &'static str,
    /// Panics if it does not. Takes a fresh store.
    pub run: fn(Stores) -> CaseFuture,
}

/// A list of cases from async functions over `&Stores`; a name is the name of its function.
macro_rules! cases {
    ($($(#[$meta:meta])* $function:path),* $(,)?) => {
        &[$($crate::suite::storage::Case {
            name: stringify!($function),
            run: |stores| Box::pin(async move { $function(&stores).await }),
        }),*]
    };
}
use cases;

/// Every case, by the record it is about.
pub const ALL: &[&[Case]] = &[
    ledger::CASES,
    messages::CASES,
    turns::CASES,
    deliveries::CASES,
    records::CASES,
    schedules::CASES,
    tasks::CASES,
    facts::CASES,
    proof::CASES,
];
