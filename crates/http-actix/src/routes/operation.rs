//! Adds the handlers of operations to routes.

use actix_web::{FromRequest, Responder, Route};
use futures_util::future::LocalBoxFuture;
use std::rc::Rc;

/// A handler: an async function whose arguments are extracted from the request.
///
/// Actix compiles the code around a handler once for each function. Here, all handlers with the same arguments become
/// one type, so this code is compiled once for all of them, and not for each of more than a hundred operations.
pub(crate) trait Operation<Args> {
    /// Makes this operation the handler of a route.
    fn handle(self, route: Route) -> Route;
}

macro_rules! operations {
    ($(($($type:ident $value:ident),*))*) => {$(
        impl<F, Fut, $($type),*> Operation<($($type,)*)> for F
        where
            F: Fn($($type),*) -> Fut + 'static,
            Fut: Future<Output: Responder + 'static> + 'static,
            $($type: FromRequest + 'static,)*
        {
            fn handle(self, route: Route) -> Route {
                fn shared<Out: Responder + 'static, $($type: FromRequest + 'static),*>(
                    route: Route,
                    handler: Rc<dyn Fn($($type),*) -> LocalBoxFuture<'static, Out>>,
                ) -> Route {
                    route.to(move |$($value: $type),*| handler($($value),*))
                }
                let handler = move |$($value: $type),*| -> LocalBoxFuture<'static, Fut::Output> {
                    Box::pin(self($($value),*))
                };
                shared::<Fut::Output, $($type),*>(route, Rc::new(handler))
            }
        }
    )*};
}

operations! {
    ()
    (A a)
    (A a, B b)
    (A a, B b, C c)
    (A a, B b, C c, D d)
}

/// Makes an operation the handler of a route.
pub(crate) fn run<Args>(route: Route, operation: impl Operation<Args>) -> Route {
    operation.handle(route)
}
