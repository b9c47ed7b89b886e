//! The macro that implements a port from a table.

/// Implements a port for [`crate::Cells`], with one row for each method: its signature, and the rule that selects the
/// cell. See the documentation of this crate. Methods after `+` are implemented as written.
macro_rules! routes {
    ($port:ident: $($name:ident($($arg:ident: $of:ty),*) -> $ret:ty => $rule:tt;)* $(+ { $($method:tt)* })?) => {
        #[async_trait::async_trait]
        impl florin_ports::$port for $crate::Cells {
            $(async fn $name(&self, $($arg: $of),*) -> $ret {
                let cells = self;
                $crate::routes::answer!($rule cells, $port, $name, $($arg),*)
            })*
            $($($method)*)?
        }
    };
}

/// Returns the answer to one call, by the rule of its row.
macro_rules! answer {
    ([home] $cells:ident, $port:ident, $name:ident, $($arg:ident),*) => {
        florin_ports::$port::$name(&*$cells.home().store, $($arg),*).await
    };
    ([with($function:path)] $cells:ident, $port:ident, $name:ident, $($arg:ident),*) => {
        $function($cells, $($arg),*).await
    };
    ([$by:ident($of:expr)] $cells:ident, $port:ident, $name:ident, $($arg:ident),*) => {{
        let route = $cells.$by($of).await?;
        let answer = florin_ports::$port::$name(&*route.store, $($arg),*).await;
        $cells.confirm(route).await?;
        answer
    }};
}

pub(crate) use {answer, routes};
