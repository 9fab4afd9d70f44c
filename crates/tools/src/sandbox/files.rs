//! Which files a program may touch, by Landlock (Linux 5.13; landlock(7)).

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};

use super::Plan;
use crate::NetworkAccess;

/// The newest set of rules that was tried; older kernels hold what they know of it.
const RULES: ABI = ABI::V7;

/// Where the system keeps its programs and what they need: read and run.
const SYSTEM: &[&str] =
    &["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu"];
/// What a program may look at but not run.
const READABLE: &[&str] = &["/proc", "/sys/devices/system/cpu", "/sys/fs/cgroup", "/run/systemd/resolve"];
/// Parts of the above that are nobody's business; the daemon may run as root.
const SECRET: &[&str] = &[
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/ssh",
    "/etc/ssl/private",
];
/// Devices that hold nothing.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Whether the kernel has Landlock.
pub(super) fn can_be_held() -> bool {
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    ruleset.handle_access(AccessFs::Execute).and_then(Ruleset::create).is_ok()
}

/// Gives up every other file, and signals to processes outside; where the kernel lacks something, as much of it as
/// there is.
pub(super) fn hold(plan: &Plan) -> Result<(), String> {
    try_hold(plan).map_err(|error| format!("files cannot be confined: {error}"))
}

fn try_hold(plan: &Plan) -> Result<(), RulesetError> {
    let all = AccessFs::from_all(RULES);
    let mut ruleset = Ruleset::default().handle_access(all)?.scope(Scope::from_all(RULES))?;
    if plan.network == NetworkAccess::Refused {
        ruleset = ruleset.handle_access(AccessNet::from_all(RULES))?;
    }
    let run = AccessFs::ReadFile | AccessFs::ReadDir | AccessFs::Execute;
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let device = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate;
    // A device made in the workspace would be a door to the disk under it.
    let work = all & !(AccessFs::MakeBlock | AccessFs::MakeChar);
    let hidden: Vec<PathBuf> = SECRET
        .iter()
        .map(PathBuf::from)
        .chain([real(&plan.home), real(&plan.temporary), real(&plan.workspace)])
        .collect();
    let mut created = ruleset.create()?;
    for (paths, access) in [(SYSTEM, run), (READABLE, read), (DEVICES, device)] {
        for path in paths.iter().flat_map(|path| around(&real(Path::new(path)), &hidden)) {
            created = allow(created, &path, access)?;
        }
    }
    for path in [&plan.workspace, &plan.temporary] {
        created = allow(created, path, work)?;
    }
    created.restrict_self().map(|_| ())
}

/// Allows something below a path; what is not there needs no rule.
fn allow(
    created: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    match PathFd::new(path) {
        Ok(opened) if path.is_dir() => created.add_rule(PathBeneath::new(opened, access)),
        Ok(opened) => created.add_rule(PathBeneath::new(opened, access & AccessFs::from_file(RULES))),
        Err(_) => Ok(created),
    }
}

/// The parts of `path` that lie around the hidden ones: itself if none is inside; nothing if it is hidden.
fn around(path: &Path, hidden: &[PathBuf]) -> Vec<PathBuf> {
    if hidden.iter().any(|hidden| path.starts_with(hidden)) {
        return Vec::new();
    }
    if !hidden.iter().any(|hidden| hidden.starts_with(path)) {
        return vec![path.to_owned()];
    }
    let Ok(entries) = std::fs::read_dir(path) else { return Vec::new() };
    entries.filter_map(Result::ok).flat_map(|entry| around(&entry.path(), hidden)).collect()
}

/// The path without links; itself if it is not there.
fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests;
