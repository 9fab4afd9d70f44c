//! The doors from outside: real sockets before a kernel that does what the test says.

mod api;
mod doors;
mod events;
mod http;
mod kernel;
mod openai;
mod protocol;
mod store;
mod world;
