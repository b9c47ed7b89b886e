//! The nodes of the cluster of `scripts/with-citus`, and the schemas on them.

use std::env;
use std::process::Command;

use postgres::Client;

use crate::support::Workspace;
use crate::support::postgres::connect;

/// The nodes that the coordinator lists in one database.
pub(crate) struct Nodes {
    /// The program that kills and starts a node.
    program: String,
    /// The URL of the database.
    url: String,
}

impl Nodes {
    pub(crate) fn of(workspace: &Workspace) -> Self {
        let program = env::var("WITH_CITUS").expect("no WITH_CITUS: run this through scripts/with-citus");
        Self { program, url: workspace.setting("FLORIN_DATABASE_URL") }
    }

    fn connect(&self) -> Client {
        connect(&self.url).unwrap()
    }

    /// Adds a schema, whose tables Citus will put on one node.
    pub(crate) fn add_schema(&self, schema: &str) {
        let mut client = self.connect();
        client.batch_execute(&format!("CREATE SCHEMA {schema}")).unwrap();
        client.batch_execute(&format!("SELECT citus_schema_distribute('{schema}')")).unwrap();
    }

    /// Returns the ports of the coordinator and of the workers.
    pub(crate) fn ports(&self) -> Vec<i32> {
        let query = "SELECT nodeport FROM pg_dist_node ORDER BY groupid";
        self.connect().query(query, &[]).unwrap().iter().map(|row| row.get(0)).collect()
    }

    /// Returns the port of the node that has the tables of a schema.
    fn port_of(&self, schema: &str) -> i32 {
        let query = "SELECT DISTINCT p.nodeport FROM pg_dist_shard_placement p JOIN pg_dist_shard s USING (shardid) \
            JOIN pg_class c ON c.oid = s.logicalrelid WHERE c.relnamespace = to_regnamespace($1)";
        self.connect().query_one(query, &[&schema]).unwrap().get(0)
    }

    /// Moves a schema to the other worker.
    pub(crate) fn move_to_other_worker(&self, schema: &str) {
        let from = self.port_of(schema);
        let to = self.ports().into_iter().skip(1).find(|port| *port != from).unwrap();
        let mut client = self.connect();
        client.batch_execute(&format!("SELECT citus_schema_move('{schema}', '127.0.0.1', {to})")).unwrap();
        assert_eq!(self.port_of(schema), to);
    }

    /// Moves the second schema if both are on the same worker.
    pub(crate) fn separate(&self, [one, other]: [&str; 2]) {
        if self.port_of(one) == self.port_of(other) {
            self.move_to_other_worker(other);
        }
    }

    /// Runs a command of `scripts/with-citus` on the node with this port.
    pub(crate) fn control(&self, command: &str, port: i32) {
        assert!(
            Command::new(&self.program).args([command, &port.to_string()]).status().unwrap().success(),
            "{command}"
        );
    }
}
