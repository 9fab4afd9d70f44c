//! `hearth service …`: Hearth as a service of the user, under systemd.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde_json::json;

use super::Context;
use crate::failure::{Exit, Failure, Outcome};
use crate::home;
use crate::output::{self, Format};
use crate::words::{Words, words};

/// The name of the unit.
const UNIT: &str = "hearth.service";
/// What is there exactly if systemd runs the machine (sd_booted(3)).
const BOOTED: &str = "/run/systemd/system";

/// What to do with the service.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// Write the unit of systemd, and say what to run
    Install {
        /// Only show the unit; nothing is written
        #[arg(long)]
        print: bool,
    },
    /// Remove the unit
    Uninstall,
    /// Show whether it is installed and runs; exit code 1 if not
    Status,
}

pub(super) fn run(action: &Action, context: &Context) -> Outcome {
    match action {
        Action::Install { print: true } => output::piece(&unit(context)?).map(|()| Exit::Done),
        Action::Install { print: false } => install(context),
        Action::Uninstall => uninstall(context),
        Action::Status => status(context),
    }
}

fn install(context: &Context) -> Outcome {
    if !Path::new(BOOTED).exists() {
        return Err(Failure::new(
            words!("systemd does not run this machine", "本机没有运行 systemd"),
            words!(
                "let what starts services here run `hearth serve`; `hearth service install --print` shows a unit",
                "请让本机的服务管理程序运行 `hearth serve`；`hearth service install --print` 可显示单元文件"
            ),
        ));
    }
    let path = path(context)?;
    write(&path, &unit(context)?)?;
    let run = [
        "systemctl --user daemon-reload".to_owned(),
        format!("systemctl --user enable --now {UNIT}"),
        "loginctl enable-linger".to_owned(),
    ];
    if context.format == Format::Json {
        output::json(&json!({ "written": path, "run": run }))?;
        return Ok(Exit::Done);
    }
    let path = path.display();
    say(context, &words!("written: {path}", "已写入：{path}"))?;
    say(
        context,
        &words!(
            "now run (the last one lets it run while you are logged out):",
            "请接着运行（最后一条使其在您退出登录后继续运行）："
        ),
    )?;
    for line in run {
        output::line(&format!("  {line}"))?;
    }
    Ok(Exit::Done)
}

/// One that is there already and says something else is somebody's work.
fn write(path: &Path, unit: &str) -> Result<(), Failure> {
    let failed = |error: &std::io::Error| Failure::of_file(path, error);
    match std::fs::read_to_string(path) {
        Ok(there) if there != unit => {
            let path = path.display();
            return Err(Failure::new(
                words!("{path} is there already and is another", "{path} 已存在，内容不同"),
                words!(
                    "keep it, or run hearth service uninstall first",
                    "请保留它，或先运行 hearth service uninstall"
                ),
            ));
        }
        Ok(_) => return Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(&error)),
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    }
    std::fs::write(path, unit).map_err(|error| failed(&error))
}

fn uninstall(context: &Context) -> Outcome {
    let path = path(context)?;
    match std::fs::remove_file(&path) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let path = path.display();
            return Err(Failure::new(
                words!("there is no {path}", "没有 {path}"),
                words!("nothing has to be removed", "无需移除"),
            ));
        }
        Err(error) => return Err(Failure::of_file(&path, &error)),
    }
    let run = [format!("systemctl --user disable --now {UNIT}"), "systemctl --user daemon-reload".to_owned()];
    if context.format == Format::Json {
        output::json(&json!({ "removed": path, "run": run }))?;
        return Ok(Exit::Done);
    }
    let path = path.display();
    say(context, &words!("removed: {path}; now run:", "已移除：{path}；请接着运行："))?;
    for line in run {
        output::line(&format!("  {line}"))?;
    }
    Ok(Exit::Done)
}

fn status(context: &Context) -> Outcome {
    let path = path(context)?;
    let there = std::fs::read_to_string(&path).ok();
    let (installed, current) = (there.is_some(), there == Some(unit(context)?));
    let (systemd, pid) = (Path::new(BOOTED).exists(), home::holder(&context.home));
    let works = installed && pid.is_some();
    if context.format == Format::Json {
        output::json(&json!({
            "unit": path, "installed": installed, "current": current, "systemd": systemd, "pid": pid,
        }))?;
        return Ok(if works { Exit::Done } else { Exit::Failed });
    }
    let path = path.display();
    say(
        context,
        &match (installed, current) {
            (false, _) => words!(
                "not installed; hearth service install writes {path}",
                "未安装；hearth service install 会写入 {path}"
            ),
            (true, true) => words!("installed: {path}", "已安装：{path}"),
            (true, false) => words!(
                "installed: {path}; it is not what this program would write",
                "已安装：{path}；与本程序会写入的内容不同"
            ),
        },
    )?;
    say(
        context,
        &match pid {
            Some(pid) => words!("a daemon runs (process {pid})", "守护进程在运行（进程 {pid}）"),
            None => words!("no daemon runs", "没有守护进程在运行"),
        },
    )?;
    say(
        context,
        &match systemd {
            true => words!(
                "systemctl --user status {UNIT} tells more",
                "systemctl --user status {UNIT} 可查看详情"
            ),
            false => words!("systemd does not run this machine", "本机没有运行 systemd"),
        },
    )?;
    Ok(if works { Exit::Done } else { Exit::Failed })
}

fn say(context: &Context, text: &Words) -> Result<(), Failure> {
    output::line(text.in_language(context.language))
}

/// Where systemd looks for units of the user (systemd.unit(5)).
fn path(context: &Context) -> Result<PathBuf, Failure> {
    let environment = &context.environment;
    let config = match (environment.filled("XDG_CONFIG_HOME"), environment.filled("HOME")) {
        (Some(config), _) => PathBuf::from(config),
        (None, Some(user)) => Path::new(user).join(".config"),
        (None, None) => {
            return Err(Failure::new(
                words!("no folder for units: HOME is not set", "没有单元目录：HOME 未设置"),
                words!("set HOME, or use --print", "请设置 HOME，或使用 --print"),
            ));
        }
    };
    Ok(config.join("systemd/user").join(UNIT))
}

fn unit(context: &Context) -> Result<String, Failure> {
    let program = std::env::current_exe().map_err(|error| Failure::of_file(Path::new("hearth"), &error))?;
    let (program, home) = (quoted(&program), quoted(context.home.root()));
    Ok(format!(
        "[Unit]\n\
         Description=Hearth, a personal agent\n\
         StartLimitIntervalSec=600\n\
         StartLimitBurst=20\n\
         \n\
         [Service]\n\
         Type=notify\n\
         ExecStart={program} --home {home} serve\n\
         Restart=on-failure\n\
         RestartSec=2\n\
         WatchdogSec=60\n\
         TimeoutStopSec=30\n\
         \n\
         [Install]\n\
         WantedBy=default.target\n"
    ))
}

/// As one word of a command line of systemd (systemd.service(5)).
fn quoted(path: &Path) -> String {
    let escaped = path.display().to_string().replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", escaped.replace('%', "%%").replace('$', "$$"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_whatever_it_holds() {
        assert_eq!(quoted(Path::new("/a b/50%/$x/\"y\"")), r#""/a b/50%%/$$x/\"y\"""#);
    }

    #[test]
    fn a_unit_of_somebody_else_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("systemd/user/hearth.service");
        write(&path, "ours").unwrap();
        write(&path, "ours").unwrap();
        let failure = write(&path, "another").unwrap_err();
        assert!(failure.what.en.contains("is there already"), "{failure:?}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "ours");
    }
}
