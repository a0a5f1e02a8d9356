import type { Endpoint } from "./endpoint.js";

/**
 * The settings the server is started with. They stand on the command line and not in postgresql.conf, so that they
 * hold for clusters of every age, and nobody loses durability by an edit.
 */
export function settingsFor(endpoint: Endpoint, connectionsMax: number): Record<string, string> {
  return {
    ...listening(endpoint),
    max_connections: String(connectionsMax),
    authentication_timeout: "10s",

    // Acked means on disk.
    fsync: "on",
    full_page_writes: "on",
    synchronous_commit: "on",

    // One small machine, shared with the agents: what is idle costs little, and a crash is recovered in seconds.
    shared_buffers: "96MB",
    max_wal_size: "256MB",
    min_wal_size: "64MB",
    // Queries here are short, and parallel ones need more /dev/shm than a container usually has.
    max_parallel_workers_per_gather: "0",
    jit: "off",
    // A new database knows nothing of its tables until they are analysed: the roster of a session that a hundred teams have
    // just joined is read in quadratic time until then, which a minute of the usual nap makes too long.
    autovacuum_naptime: "10s",

    timezone: "UTC",
    log_timezone: "UTC",
    lc_messages: "C",
    log_destination: "stderr",
    logging_collector: "off",
    log_line_prefix: "%m[%p]:",
    // Errors of statements are the client's, which reports them; kept out, the log grows by lives and deaths alone.
    log_min_messages: "log",
    log_checkpoints: "off",
    log_autovacuum_min_duration: "-1",
  };
}

function listening(endpoint: Endpoint): Record<string, string> {
  if (endpoint.kind === "tcp") {
    return { listen_addresses: "127.0.0.1", unix_socket_directories: "", port: String(endpoint.port) };
  }
  return {
    listen_addresses: "",
    // A list, in which quotes keep a comma or a space in a path.
    unix_socket_directories: `"${endpoint.folder.replaceAll('"', '""')}"`,
    unix_socket_permissions: "0700",
    port: String(endpoint.port),
    // Without it a statement of a killed broker runs to its end and keeps its locks.
    client_connection_check_interval: "5s",
  };
}
