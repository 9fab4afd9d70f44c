//! Words and ports: what every other crate may say, and the traits through which they meet. No IO, no behaviour.

pub mod background;
pub mod changes;
pub mod channel;
pub mod clock;
pub mod event;
pub mod hook;
pub mod id;
pub mod inbox;
pub mod language;
pub mod memory;
pub mod message;
pub mod provider;
pub mod rights;
pub mod setting;
pub mod store;
pub mod task;
pub mod tool;
pub mod transcript;
