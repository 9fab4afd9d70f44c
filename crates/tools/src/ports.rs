//! Small helpers between a tool's context and the ports.

use hearth_contract::memory::Viewer;
use hearth_contract::message::Sender;
use hearth_contract::store::{Messages, StoreError};
use hearth_contract::tool::{ToolContext, ToolError};

/// From where a call looks at memory.
pub(crate) fn viewer(context: &ToolContext) -> Viewer {
    Viewer { session: context.session.clone(), chat_kind: context.chat_kind, role: context.role }
}

/// A ledger that cannot be used, as the model is told.
pub(crate) fn store_failed(error: StoreError) -> ToolError {
    ToolError::Failed { reason: error.to_string() }
}

/// On which of our accounts the call was asked for, and by whom: what a tool makes belongs there.
#[derive(Debug)]
pub(crate) struct AskedBy {
    /// Our account on the network.
    pub(crate) account: String,
    /// Who asked, with the rights of the call.
    pub(crate) sender: Sender,
}

/// Looks it up in the message the turn answers. The name shown is the network's id if that message is another
/// person's or cannot be found.
pub(crate) async fn asked_by(messages: &dyn Messages, context: &ToolContext) -> Result<AskedBy, ToolError> {
    let cause = messages.get(context.cause).await.map_err(store_failed)?;
    let account = cause.as_ref().map(|cause| cause.account.clone()).unwrap_or_default();
    let name = cause.filter(|cause| cause.sender.id == context.caller).map(|cause| cause.sender.name);
    let sender = Sender {
        id: context.caller.clone(),
        name: name.unwrap_or_else(|| context.caller.clone()),
        role: context.role,
    };
    Ok(AskedBy { account, sender })
}
