import type { DocumentVersion, Message } from "@merkle/wire";
import { expect, it } from "vitest";
import { type LoadedWork, mergeWork } from "./work";

const messages = [3, 5, 9].map((sequence) => ({ sequence })) as unknown as readonly Message[];
const toVersions = (...sequences: readonly number[]) =>
  sequences.map((after_sequence, index) => ({
    version: 10 - index,
    after_sequence,
  })) as unknown as readonly DocumentVersion[];

const list = (work: Partial<LoadedWork>) =>
  mergeWork({ messages, readFrom: 1, versions: [], hasMoreVersions: false, ...work }).map((item) =>
    item.kind === "message" ? item.message.sequence : `v${item.version.version}`,
  );

it("[DASH-409] messages and versions are in one order, without what only one of them covers", () => {
  expect(list({ versions: toVersions(9, 5, 5, 2, 0) })).toEqual(["v10", 9, "v9", "v8", 5, 3, "v7", "v6"]);
  // The feed was read down to message 3: the versions before it wait for the messages between them.
  expect(list({ readFrom: 3, versions: toVersions(9, 5, 5, 2, 0) })).toEqual(["v10", 9, "v9", "v8", 5, 3]);
  // Versions were read down to one after message 5: older messages may have versions between them.
  expect(list({ versions: toVersions(9, 5), hasMoreVersions: true })).toEqual(["v10", 9, "v9"]);
});
