//! Commands: the work of a group.

use super::body::footprint::Footprint;
use super::body::working_set::WorkingSet;
use florin_ports::WriteError;

/// Work that is decided under the lock, in a group with other commands.
pub(crate) trait Command: Send + 'static {
    /// The result of the command.
    type Done: Send + 'static;
    /// The refusal of its rule.
    type Refused: Send + 'static;

    /// Adds the keys of the rows that the command reads and locks.
    fn footprint(&self, footprint: &mut Footprint);

    /// Decides on the working set and stages the changes. After an error, only counted attempts are staged. It may be
    /// called again on another working set.
    fn execute(&self, working_set: &mut WorkingSet) -> Result<Self::Done, WriteError<Self::Refused>>;
}
