import type { Hunk } from "@merkle/wire";
import { type Anchored, type Reanchored, startReanchoring } from "@merkle/wire/anchors";
import { type MerkleProof, merkleProof, merkleRoot } from "@merkle/wire/plain";
import type { RecordReport } from "@merkle/wire/record";
import { sha256 } from "../core/sha256.js";
import { type EntryFacts, type HashedEntries, hashEntries } from "../record/hash-entries.js";
import { verifyBundleFile } from "../record/import/verify-bundle-file.js";
import { replaceConclusion } from "../text/conclusion-section.js";
import { toHunks } from "../text/hunks.js";
import { type Merged, type MergeInput, mergeOntoCurrent } from "../text/merge-texts.js";
import { findSection, listHeadings } from "../text/sections.js";
import { type UnifiedDiffInput, unifiedDiff } from "../text/unified-diff.js";

/** What each task takes and gives. Both are copied between threads, so they are plain data. */
export interface TaskTypes {
  unified_diff: { input: UnifiedDiffInput; output: string };
  hunks: { input: { from: string; to: string }; output: Hunk[] };
  merge_texts: { input: MergeInput; output: Merged };
  replace_conclusion: {
    input: { content: string; remembered: string | null; summary: string };
    output: { content: string; conclusion: string };
  };
  find_section: {
    input: { content: string; heading: string };
    /** The section, or the headings that there are. */
    output: { text: string } | { headings: readonly string[] };
  };
  reanchor: {
    input: { before: string; after: string; anchors: readonly Anchored[] };
    /** In the order of the anchors; null for what is lost. */
    output: (Reanchored | null)[];
  };
  merkle_root: { input: { leaves: readonly string[] }; output: string };
  merkle_proof: { input: { leaves: readonly string[]; leaf: string }; output: MerkleProof };
  hash_entries: { input: EntryFacts; output: HashedEntries };
  verify_bundle: { input: { path: string }; output: RecordReport | { readonly unreadable: string } };
}

export type TaskName = keyof TaskTypes;
export type TaskInput<Name extends TaskName> = TaskTypes[Name]["input"];
export type TaskOutput<Name extends TaskName> = TaskTypes[Name]["output"];

/** Something pure that may hold a thread for long. */
interface Task<Name extends TaskName> {
  run(input: TaskInput<Name>): TaskOutput<Name> | Promise<TaskOutput<Name>>;
  /** Whether the input is surely done within a few milliseconds. */
  isSmall(input: TaskInput<Name>): boolean;
}

const SMALL_CHARS_MAX = 16 * 1024;

/** The cost of a diff grows with the square of its lines, so that short lines count as well as bytes. */
const SMALL_LINES_MAX = 300;

/** A tree of so many leaves is hashed within a few milliseconds. */
const SMALL_LEAVES_MAX = 500;

/** Some five hundred entries, which is what most records have. */
const SMALL_FACTS_CHARS_MAX = 128 * 1024;

const tasks: { readonly [Name in TaskName]: Task<Name> } = {
  unified_diff: {
    run: unifiedDiff,
    isSmall: ({ from, to }) => isSmallDiff(from, to),
  },
  hunks: {
    run: ({ from, to }) => toHunks(from, to),
    isSmall: ({ from, to }) => isSmallDiff(from, to),
  },
  merge_texts: {
    run: mergeOntoCurrent,
    isSmall: ({ base, current, proposed }) => isSmallDiff(base, current) && isSmallDiff(base, proposed),
  },
  replace_conclusion: {
    run: ({ content, remembered, summary }) => replaceConclusion(content, remembered, summary),
    isSmall: ({ content, remembered, summary }) =>
      content.length + (remembered?.length ?? 0) + summary.length < SMALL_CHARS_MAX,
  },
  find_section: {
    run: ({ content, heading }) => findSection(content, heading) ?? { headings: listHeadings(content) },
    isSmall: ({ content }) => content.length < SMALL_CHARS_MAX,
  },
  reanchor: {
    run: ({ before, after, anchors }) => anchors.map(startReanchoring(before, after)),
    isSmall: ({ before, after, anchors }) =>
      before.length + after.length < SMALL_CHARS_MAX / 2 && anchors.length < 5,
  },
  merkle_root: {
    run: ({ leaves }) => merkleRoot(leaves, sha256),
    isSmall: ({ leaves }) => leaves.length <= SMALL_LEAVES_MAX,
  },
  merkle_proof: {
    run: ({ leaves, leaf }) => merkleProof(leaves, leaf, sha256),
    isSmall: ({ leaves }) => leaves.length <= SMALL_LEAVES_MAX,
  },
  hash_entries: {
    run: hashEntries,
    isSmall: ({ facts }) => facts.reduce((chars, text) => chars + text.length, 0) < SMALL_FACTS_CHARS_MAX,
  },
  verify_bundle: { run: ({ path }) => verifyBundleFile(path), isSmall: () => false },
};

export function runTask<Name extends TaskName>(
  name: Name,
  input: TaskInput<Name>,
): TaskOutput<Name> | Promise<TaskOutput<Name>> {
  return tasks[name].run(input);
}

export function isSmallTask<Name extends TaskName>(name: Name, input: TaskInput<Name>): boolean {
  return tasks[name].isSmall(input);
}

/** What a thread is sent, one at a time. */
export interface TaskRequest<Name extends TaskName = TaskName> {
  readonly name: Name;
  readonly input: TaskInput<Name>;
}

/** What it answers: the output, or what the task threw. */
export type TaskReply<Name extends TaskName = TaskName> =
  | { readonly ok: true; readonly output: TaskOutput<Name> }
  | { readonly ok: false; readonly error: unknown };

function isSmallDiff(from: string, to: string): boolean {
  return from.length + to.length < SMALL_CHARS_MAX && countLines(from) + countLines(to) <= SMALL_LINES_MAX;
}

function countLines(text: string): number {
  return text.split("\n").length;
}
