//! What the operating system says of a process, and what many times come to.

use std::time::Duration;

use anyhow::Context;

/// Ticks a second in `/proc/PID/stat` (`sysconf(_SC_CLK_TCK)` is 100 on every Linux that is met today).
const TICKS_A_SECOND: f64 = 100.0;

/// Times in rising order.
pub(crate) struct Spread(Vec<Duration>);

impl Spread {
    pub(crate) fn of(mut times: Vec<Duration>) -> Self {
        times.sort();
        Self(times)
    }

    fn at(&self, share: f64) -> f64 {
        let place = ((self.0.len() - 1) as f64 * share).round() as usize;
        self.0[place].as_secs_f64() * 1e3
    }

    pub(crate) fn p50_p99(&self) -> String {
        format!("{:.2} / {:.2} ms", self.at(0.5), self.at(0.99))
    }

    pub(crate) fn p50_max(&self) -> String {
        format!("{:.1} / {:.1} ms", self.at(0.5), self.at(1.0))
    }
}

/// Resident memory.
pub(crate) fn resident_kib(pid: u32) -> anyhow::Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").trim().parse()?)
}

/// How often its threads went to sleep of themselves, which is how often they were woken.
pub(crate) fn context_switches(pid: u32) -> anyhow::Result<u64> {
    let mut sum = 0;
    for thread in std::fs::read_dir(format!("/proc/{pid}/task"))? {
        let status = std::fs::read_to_string(thread?.path().join("status"))?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))
            .context("no count")?;
        sum += line.trim().parse::<u64>()?;
    }
    Ok(sum)
}

/// User and system time so far.
pub(crate) fn cpu_time(pid: u32) -> anyhow::Result<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let after_name = stat.rsplit(')').next().context("no stat")?;
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks: f64 = fields[11].parse::<f64>()? + fields[12].parse::<f64>()?;
    Ok(Duration::from_secs_f64(ticks / TICKS_A_SECOND))
}
