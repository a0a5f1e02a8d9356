import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** The metrics of the broker, as returned by `/metrics` (OPS-3). */
export interface Metrics {
  readonly posts: Counter<"outcome">;
  readonly commitSeconds: Histogram;
  /** Durations of the latest commits, in milliseconds. */
  readonly recentCommits: RecentTimes;
  readonly batchRows: Histogram;
  readonly parkedWaits: Gauge;
  readonly sockets: Gauge;
  readonly subscriptions: Gauge;
  readonly cutOffs: Counter<"reason">;
  readonly refusals: Counter<"by">;
  readonly deliveries: Counter<"path">;
  readonly usedTokens: Counter<"kind">;
  readonly usedDollars: Counter;
  readonly requests: RequestCounter;
  readonly caughtUp: Counter;
  /** Returns all metrics in Prometheus's exposition format. */
  render(): Promise<string>;
}

/** The node's values that are read each time the metrics are rendered. */
export interface NodeMetrics {
  readonly id: string;
  readonly version: string;
  readonly bus: {
    readonly kind: string;
    readonly isUp: boolean;
    readonly ignored: Readonly<Record<string, number>>;
  };
  measureDatabaseBytes(): Promise<number>;
  /** How many reads went to the read replica and to the primary. Null if there is no replica. */
  readonly replica: { readonly reads: { readonly replica: number; readonly primary: number } } | null;
}

/** @param node - the node whose metrics these are; tests may omit it */
export function createMetrics(node?: NodeMetrics): Metrics {
  const registers = [new Registry()];
  const [registry] = registers;
  registerNode(registers, node);
  return {
    caughtUp: new Counter({
      name: "merkle_caught_up_total",
      help: "Feeds in which the 5 s query found messages without a hint. A few are hints in flight; many mean that the bus loses or delays hints.",
      registers,
    }),
    posts: new Counter({
      name: "merkle_posts_total",
      help: "Messages handed to the appender, by outcome: posted, duplicate, settled (the ask had its answer), closed, held, over_budget, missing, busy (tried again), failed.",
      labelNames: ["outcome"],
      registers,
    }),
    commitSeconds: new Histogram({
      name: "merkle_commit_seconds",
      help: "Seconds from sending a batch of messages to the database to its durable commit.",
      buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5],
      registers,
    }),
    batchRows: new Histogram({
      name: "merkle_batch_rows",
      help: "Messages in one commit.",
      buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
      registers,
    }),
    parkedWaits: new Gauge({
      name: "merkle_parked_waits",
      help: "Waits that are blocked at this moment.",
      registers,
    }),
    recentCommits: createRecentTimes(),
    subscriptions: new Gauge({
      name: "merkle_subscriptions",
      help: "Feeds that connections follow, inboxes included.",
      registers,
    }),
    sockets: new Gauge({ name: "merkle_sockets", help: "Open WebSocket connections.", registers }),
    cutOffs: new Counter({
      name: "merkle_cut_offs_total",
      help: "WebSocket connections that the broker ended, by reason: a name of the close codes.",
      labelNames: ["reason"],
      registers,
    }),
    refusals: new Counter({
      name: "merkle_refusals_total",
      help: "Connections and requests refused before any operation, by the reason: a rate, foreign (its host or origin), connections (too many).",
      labelNames: ["by"],
      registers,
    }),
    deliveries: new Counter({
      name: "merkle_deliveries_total",
      help: "Messages given to a reader, by path: inbox, follow, wait, check (without waiting), history.",
      labelNames: ["path"],
      registers,
    }),
    usedTokens: new Counter({
      name: "merkle_reported_tokens_total",
      help: "Tokens that agents and runners have reported, by kind: input, output, cache_read, cache_write.",
      labelNames: ["kind"],
      registers,
    }),
    usedDollars: new Counter({
      name: "merkle_reported_cost_dollars_total",
      help: "Reported cost of these tokens, in US dollars.",
      registers,
    }),
    requests: createRequestCounter(registers),
    render: () => registry?.metrics() ?? Promise.resolve(""),
  };
}

function registerNode(registers: Registry[], node: NodeMetrics | undefined): void {
  new Gauge({
    name: "merkle_node_info",
    help: "Always 1; labels: the id of this node, its version and the kind of its bus.",
    labelNames: ["node", "version", "bus"],
    registers,
    collect() {
      if (node) this.set({ node: node.id, version: node.version, bus: node.bus.kind }, 1);
    },
  });
  new Gauge({
    name: "merkle_bus_up",
    help: "1 while hints to and from other brokers are delivered, 0 while changes wait for the 5 s query.",
    registers,
    collect() {
      this.set(node?.bus.isUp === false ? 0 : 1);
    },
  });
  new Counter({
    name: "merkle_replica_reads_total",
    help: "Reads of history and searches, if a read replica is configured, by server: replica, primary (the replica was behind, down or of another database).",
    labelNames: ["from"],
    registers,
    collect() {
      this.reset();
      for (const [from, reads] of Object.entries(node?.replica?.reads ?? {})) this.inc({ from }, reads);
    },
  });
  new Counter({
    name: "merkle_bus_ignored_total",
    help: "Messages and hints on the bus that were ignored, by the reason: unsigned (no valid signature: a forger, or a node of an earlier version or with another key), malformed, repeated.",
    labelNames: ["by"],
    registers,
    collect() {
      this.reset();
      for (const [by, count] of Object.entries(node?.bus.ignored ?? {})) this.inc({ by }, count);
    },
  });
  new Gauge({
    name: "merkle_database_bytes",
    help: "Bytes of disk space that the database uses; the same on all its brokers. If it cannot be read, the last value.",
    registers,
    async collect() {
      const bytes = await node?.measureDatabaseBytes().catch(() => undefined);
      if (bytes !== undefined) this.set(bytes);
    },
  });
}

interface RequestCounter {
  inc(operation: string, transport: string, result: string): void;
}

/** Caches the counter of each combination of labels: a lookup per request would cost as much as parsing the request. */
function createRequestCounter(registers: Registry[]): RequestCounter {
  const counter = new Counter({
    name: "merkle_requests_total",
    help: "Operations called, by operation, transport (rest, mcp, websocket) and result: ok, or the code of the error.",
    labelNames: ["operation", "transport", "result"],
    registers,
  });
  const counters = new Map<string, Map<string, Map<string, Counter.Internal>>>();
  return {
    inc(operation, transport, result) {
      const ofOperation = counters.get(operation) ?? new Map<string, Map<string, Counter.Internal>>();
      const ofTransport = ofOperation.get(transport) ?? new Map<string, Counter.Internal>();
      const count = ofTransport.get(result);
      if (count) return count.inc();
      counters.set(operation, ofOperation.set(transport, ofTransport));
      ofTransport.set(result, counter.labels(operation, transport, result));
      counter.inc({ operation, transport, result });
    },
  };
}

/**
 * The latest durations of one kind of work, to show the current state. A histogram would cover the entire time
 * since the node started.
 */
interface RecentTimes {
  add(milliseconds: number): void;
  /**
   * Returns the duration that this fraction of the recent values does not exceed, or 0 if there are no values.
   */
  percentile(fraction: number): number;
}

const timesMax = 1_000;

function createRecentTimes(): RecentTimes {
  const times: number[] = [];
  let next = 0;
  return {
    add(milliseconds) {
      times[next] = milliseconds;
      next = (next + 1) % timesMax;
    },
    percentile(share) {
      const sorted = times.toSorted((a, b) => a - b);
      const time = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
      return Math.round(time * 100) / 100;
    },
  };
}
