//! The kernel from outside, on a real store, where a scenario cannot say what is to happen.

mod accept;
