//! Enters the sandbox as the real binary does. Only the tests of this crate run it.

fn main() {
    hearth_tools::sandbox::enter_and_exec(std::env::args_os().skip(2))
}
