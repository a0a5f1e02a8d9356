"use client";

import type { OutputOf } from "@merkle/wire";
import { describeBytes } from "@merkle/wire/text";
import { useKeptFresh } from "@/broker/use-kept-fresh";
import { useRead } from "@/broker/use-read";
import { Fact } from "@/components/fact";
import { ReadPanel } from "@/components/read-panel";
import { TimeText } from "@/components/time-text";

type HealthReport = OutputOf<"get_health">;

/** The broker's status, refreshed every few seconds while the page is visible. */
export function Health() {
  const read = useRead("get_health", {});
  useKeptFresh(read.refresh);
  return (
    <ReadPanel read={read} failureTitle="Couldn't load broker status.">
      {(health) => <Report health={health} />}
    </ReadPanel>
  );
}

function Report({ health }: { health: HealthReport }) {
  const { event_loop: loop, append, database } = health;
  return (
    <dl className="grid gap-x-8 gap-y-2 text-sm sm:grid-cols-2">
      <Fact name="Version">
        {health.version}, Node {health.node}
      </Fact>
      <Fact name="Running since">
        <TimeText at={health.started_at} as="clock" />
      </Fact>
      <Fact name="Connections">
        {formatCount(health.connections)} with {formatCount(health.subscriptions)} subscriptions
      </Fact>
      <Fact name="Agents waiting for messages">{formatCount(health.parked_waits)}</Fact>
      <Fact name="Open sessions">{formatCount(health.open_sessions)}</Fact>
      <Fact name="Memory">{describeBytes(health.memory_bytes)}</Fact>
      <Fact name="Event loop delay" note="over the last minute">
        typically {formatMs(loop.p50_ms)}, p99 {formatMs(loop.p99_ms)}, {formatMs(loop.max_ms)} at most
      </Fact>
      <Fact name="Posts stored in" note="recently">
        typically {formatMs(append.p50_ms)}, p99 {formatMs(append.p99_ms)};{" "}
        {describeBytes(append.queued_bytes)} queued
      </Fact>
      <Fact name="Database">
        PostgreSQL {database.version}, {database.kind === "embedded" ? "the broker's own" : "yours"}
      </Fact>
      <Fact name="Database latency">{formatMs(database.round_trip_ms)}</Fact>
      <Fact name="Stored">{describeBytes(database.bytes)}</Fact>
      <Fact name="Newest migration">{database.migration}</Fact>
      {health.bus.kind !== "local" && (
        <Fact name="Nodes" {...(!health.bus.up && { note: "the bus is down, so nodes notice changes late" })}>
          {health.nodes.map(({ address, live }) => (live ? address : `${address} (stopped)`)).join(", ")}
        </Fact>
      )}
    </dl>
  );
}

function formatMs(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString("en-GB")} ms`;
}

function formatCount(value: number): string {
  return value.toLocaleString("en-GB");
}
