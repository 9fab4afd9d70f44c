//! Why there is no connection to the daemon, and what to do, in both languages.

use std::fmt;
use std::path::PathBuf;

use hearth_protocol::{Language, PROTOCOL_VERSION};

/// Why there is no connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Broken {
    /// Nobody listens.
    NobodyThere {
        /// Where.
        socket: PathBuf,
    },
    /// Connections are taken, but not greeted.
    NoGreeting {
        /// Where.
        socket: PathBuf,
    },
    /// Something else listens.
    NotHearth {
        /// Where.
        socket: PathBuf,
    },
    /// The daemon speaks another protocol.
    OtherProtocol {
        /// The daemon's version.
        version: String,
        /// Its protocol.
        protocol: u32,
    },
    /// The daemon has closed the connection.
    Closed,
}

impl Broken {
    /// In one line.
    pub fn text(&self, language: Language) -> String {
        match language {
            Language::En => self.english(),
            Language::Zh => self.chinese(),
        }
    }

    fn english(&self) -> String {
        match self {
            Self::NobodyThere { socket } => {
                format!("no Hearth answers at {}; start it with `hearth serve`", socket.display())
            }
            Self::NoGreeting { socket } => format!(
                "what listens at {} takes connections but does not greet; restart `hearth serve`",
                socket.display()
            ),
            Self::NotHearth { socket } => {
                format!("{} is not the socket of a Hearth daemon; choose another home", socket.display())
            }
            Self::OtherProtocol { version, protocol } => format!(
                "the running Hearth {version} speaks protocol {protocol}, this program speaks {PROTOCOL_VERSION}; \
                 restart the daemon, so that both are of one version"
            ),
            Self::Closed => "the daemon has closed the connection".to_owned(),
        }
    }

    fn chinese(&self) -> String {
        match self {
            Self::NobodyThere { socket } => {
                format!("{} 没有 Hearth 应答；请运行 `hearth serve` 启动它", socket.display())
            }
            Self::NoGreeting { socket } => {
                format!("{} 接受连接但没有应答；请重启 `hearth serve`", socket.display())
            }
            Self::NotHearth { socket } => {
                format!("{} 不是 Hearth 后台的套接字；请换一个主目录", socket.display())
            }
            Self::OtherProtocol { version, protocol } => format!(
                "正在运行的 Hearth {version} 使用协议 {protocol}，本程序使用 {PROTOCOL_VERSION}；请重启后台，让两者版本一致"
            ),
            Self::Closed => "后台关闭了连接".to_owned(),
        }
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.english())
    }
}

impl std::error::Error for Broken {}
