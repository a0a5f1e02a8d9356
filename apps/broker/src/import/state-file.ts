import type { ImportedStateRow } from "@merkle/db";
import { canonicalJson, isStorable, limits, Timestamp, utf8Bytes } from "@merkle/wire";
import { bundleFiles } from "@merkle/wire/record";
import type { ZippedFiles } from "@merkle/wire/record/zip";
import * as z from "zod";
import { readSmallFile } from "./read-file.js";

const State = z.object({
  entries: z
    .array(
      z.object({
        key: z.string().min(1).max(limits.stateKeyCharsMax),
        value: z.unknown(),
        version: z
          .int()
          .min(1)
          .max(2 ** 31 - 1),
        updatedBy: z.string().max(500),
        updatedAt: Timestamp,
      }),
    )
    .max(limits.stateKeysPerScopeMax),
});

/** What the session's keys held, as far as a session here can hold it; like the roster, for display. */
export async function readStateFile(bundle: ZippedFiles): Promise<ImportedStateRow[]> {
  const parsed = State.safeParse(parse(await readSmallFile(bundle, bundleFiles.state)));
  if (!parsed.success) return [];
  const rows = new Map<string, ImportedStateRow>();
  for (const { key, value, version, updatedBy, updatedAt } of parsed.data.entries) {
    const text = canonicalJson(value ?? null);
    if (utf8Bytes(text) > limits.stateValueBytesMax || !isStorable(key)) continue;
    rows.set(key, { key, version, value: text, updated_by: updatedBy, updated_at: updatedAt });
  }
  return [...rows.values()];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
