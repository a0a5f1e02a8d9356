import type { Endpoint } from "./endpoint.js";

/**
 * Returns the server's settings. They are passed on the command line rather than in postgresql.conf, so that
 * they apply to clusters of every age and an edit cannot cost durability.
 */
export function settingsFor(endpoint: Endpoint, connectionsMax: number): Record<string, string> {
  return {
    ...listening(endpoint),
    max_connections: String(connectionsMax),
    authentication_timeout: "10s",

    // Guarantee that an acknowledged write is on disk.
    fsync: "on",
    full_page_writes: "on",
    synchronous_commit: "on",

    // Sized for a small machine shared with agents: an idle server costs little, and crash recovery takes
    // seconds.
    shared_buffers: "96MB",
    max_wal_size: "256MB",
    min_wal_size: "64MB",
    // Queries are short. Parallel queries need more /dev/shm than a container usually has.
    max_parallel_workers_per_gather: "0",
    jit: "off",
    // A new database has no statistics until its tables are analysed. Until then, reading the roster of a
    // session that a hundred teams have just joined takes quadratic time. The default interval of a minute is
    // too long.
    autovacuum_naptime: "10s",

    timezone: "UTC",
    log_timezone: "UTC",
    lc_messages: "C",
    log_destination: "stderr",
    logging_collector: "off",
    log_line_prefix: "%m[%p]:",
    // Clients report the errors of their own statements. Without them the log contains only starts, stops and
    // crashes.
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
    // The setting is a list. Quotes allow a comma or space in the path.
    unix_socket_directories: `"${endpoint.folder.replaceAll('"', '""')}"`,
    unix_socket_permissions: "0700",
    port: String(endpoint.port),
    // Without this, a statement of a killed broker runs to its end and keeps its locks.
    client_connection_check_interval: "5s",
  };
}
