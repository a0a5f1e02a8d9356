import type { ImportedStateRow } from "@merkle/db";
import { limits } from "@merkle/wire/limits";
import { bundleFiles, type Manifest, stateFileOfFormat1, toCanonicalJson } from "@merkle/wire/record";
import type { ZippedFiles } from "@merkle/wire/record/zip";
import { Timestamp } from "@merkle/wire/schemas";
import { countUtf8Bytes, isStorable } from "@merkle/wire/text";
import * as z from "zod";
import { readLinesOf, readSmallFile } from "./read-file.js";

const Entry = z.object({
  key: z.string().min(1).max(limits.stateKeyCharsMax),
  value: z.unknown(),
  version: z
    .int()
    .min(1)
    .max(2 ** 31 - 1),
  updatedBy: z.string().max(500),
  updatedAt: Timestamp,
});

/**
 * Returns the session's keys and values, up to the limits that this broker sets for a session. Invalid
 * entries are skipped.
 */
export async function readStateFile(
  bundle: ZippedFiles,
  format: Manifest["version"],
): Promise<ImportedStateRow[]> {
  const rows = new Map<string, ImportedStateRow>();
  for await (const entry of format === 1 ? readWholeState(bundle) : readStateLines(bundle)) {
    const parsed = Entry.safeParse(entry);
    if (!parsed.success || rows.size === limits.stateKeysPerScopeMax) continue;
    const { key, value, version, updatedBy, updatedAt } = parsed.data;
    const text = toCanonicalJson(value ?? null);
    if (countUtf8Bytes(text) > limits.stateValueBytesMax || !isStorable(key)) continue;
    rows.set(key, { key, version, value: text, updated_by: updatedBy, updated_at: updatedAt });
  }
  return [...rows.values()];
}

async function* readStateLines(bundle: ZippedFiles): AsyncGenerator<unknown> {
  for await (const lines of readLinesOf(bundle, bundleFiles.state, parseJson)) yield* lines;
}

async function* readWholeState(bundle: ZippedFiles): AsyncGenerator<unknown> {
  const { entries } = Object(parseJson(await readSmallFile(bundle, stateFileOfFormat1)));
  if (Array.isArray(entries)) yield* entries;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
