import type { Endpoint } from "./endpoint.js";

/**
 * Returns the server's settings. They are passed on the command line instead of in postgresql.conf, so that
 * they also apply to old clusters and no one can reduce durability by editing a file.
 */
export function buildSettings(endpoint: Endpoint, connectionsMax: number): Record<string, string> {
  return {
    ...buildListenSettings(endpoint),
    max_connections: String(connectionsMax),
    authentication_timeout: "10s",

    // These settings guarantee that an acknowledged write is on disk.
    fsync: "on",
    full_page_writes: "on",
    synchronous_commit: "on",

    // Sized for a small machine that agents use as well: an idle server costs little, and crash recovery
    // takes seconds.
    shared_buffers: "96MB",
    max_wal_size: "256MB",
    min_wal_size: "64MB",
    // Parallel queries are off: queries are short, and parallel ones need more /dev/shm than a container
    // usually has.
    max_parallel_workers_per_gather: "0",
    jit: "off",
    // A new table has no statistics until autovacuum analyses it. Until then, reading the roster of a session
    // that a hundred teams have just joined takes quadratic time. The default interval of one minute is too
    // long.
    autovacuum_naptime: "10s",

    timezone: "UTC",
    log_timezone: "UTC",
    lc_messages: "C",
    log_destination: "stderr",
    logging_collector: "off",
    log_line_prefix: "%m[%p]:",
    // Clients report the errors of their own statements, so the log contains only starts, stops and crashes.
    log_min_messages: "log",
    log_checkpoints: "off",
    log_autovacuum_min_duration: "-1",
  };
}

function buildListenSettings(endpoint: Endpoint): Record<string, string> {
  if (endpoint.kind === "tcp") {
    return { listen_addresses: "127.0.0.1", unix_socket_directories: "", port: String(endpoint.port) };
  }
  return {
    listen_addresses: "",
    // PostgreSQL parses this setting as a list, so the path is quoted in case it contains a comma or space.
    unix_socket_directories: `"${endpoint.folder.replaceAll('"', '""')}"`,
    unix_socket_permissions: "0700",
    port: String(endpoint.port),
    // Otherwise a statement sent by a killed broker would run to its end and keep its locks.
    client_connection_check_interval: "5s",
  };
}
