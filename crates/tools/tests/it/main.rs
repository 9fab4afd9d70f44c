//! The tools as the kernel calls them.

mod files;
mod fixture;
mod http;
mod ledger;
mod sandbox;
mod shell;
mod specs;
