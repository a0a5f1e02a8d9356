import { sameBytes, toHex } from "../core/hex.js";
import type { Sha256 } from "../core/merkle-tree.js";
import { type GrowingTree, growTree } from "./log-tree.js";
import type { Finding } from "./report.js";

/** A root that someone vouches for, because a signed head contains it or because it was noted elsewhere. */
export interface Checkpoint {
  readonly size: number;
  readonly root: string;
  /** Content hash of the last version, if the checkpoint includes that hash. */
  readonly contentHash?: string | null;
  /** The checkpoint's source, as part of a sentence, such as "the head signed 2026-05-02T14:05:00.000Z". */
  readonly description: string;
  /**
   * True if the record must be at least as long as the checkpoint says. False if the record may be an older
   * copy.
   */
  readonly mustReach: boolean;
}

/** The parts of a log line that are compared. */
export interface LogLine {
  readonly number: number;
  /** Number of the line within its file. */
  readonly line: number;
  /** The leaf computed from the line's content, and the leaf's hash as stated in the line. */
  readonly leaf: Uint8Array;
  readonly hash: Uint8Array;
  readonly root: string;
  readonly contentHash: string;
  /** Returns the message to report when the computed hash differs from the stated hash. */
  readonly describeMismatch: () => string;
}

/** Follows a log line by line, and reports the faults in each line. */
export interface LogFollower {
  /** The highest sequence or version read so far. */
  readonly last: number;
  /** The root over the lines read so far, computed only from their content. */
  readonly root: string;
  /** Number of entries that the `noted` root covers. Null until it is found. */
  readonly notedSize: number | null;
  follow(line: LogLine): Finding[];
  /** Skips a line that cannot be read. Returns the number that the line must have had. */
  skip(): number;
  /** Compares a checkpoint with the log at the current position. */
  check(checkpoint: Checkpoint): Finding[];
  /** Must be called after the last line. */
  end(): Finding[];
}

interface Options {
  readonly one: "message" | "version";
  readonly file: string;
  readonly checkpoints: readonly Checkpoint[];
  /** A root that was noted elsewhere, to search for in the log. */
  readonly noted?: string | undefined;
  readonly sha256: Sha256;
  /** Called when it turns out that a finding concerns only one line. */
  narrow(finding: Finding, narrower: Finding): void;
}

/**
 * Creates a follower of a log. Each line states the hash of its leaf, and the root up to that line. While
 * these hashes produce these roots, a line that does not match its hash is an isolated fault, and all other
 * faults are found as well. Once the hashes no longer produce the roots, a hash must have been replaced. Each
 * further line can then be compared only with its own hash.
 */
export function followLog({ one, file, checkpoints, noted, sha256, narrow }: Options): LogFollower {
  const expected = new Map<number, Checkpoint[]>();
  for (const each of checkpoints) expected.set(each.size, [...(expected.get(each.size) ?? []), each]);
  const computedTree = growTree(sha256);
  /**
   * The tree over the hashes stated in the lines. Null once these hashes no longer produce the stated roots.
   */
  let statedTree: GrowingTree | null = growTree(sha256);
  let last = 0;
  /** A finding about a root that did not match. The next line shows whether the fault is isolated. */
  let pendingFinding: Finding | null = null;
  /** The last positions at which a checkpoint matched (`vouched`) and at which one did not (`refuted`). */
  let confirmedSize = 0;
  let refutedSize = 0;
  let notedSize: number | null = null;

  const locate = (number: number, from = number): Pick<Finding, "file"> => ({
    file,
    ...(one === "message" ? { sequence: number } : { document_version: number }),
    ...(from === number ? {} : one === "message" ? { from_sequence: from } : { from_document_version: from }),
  });
  const formatEntry = (number: number) => `${one} ${number}`;
  const formatRange = (from: number, to: number) =>
    from === to ? formatEntry(from) : `${one}s ${from} to ${to}`;

  function checkOrder({ number, line }: LogLine): Finding[] {
    if (number === last + 1) return [];
    statedTree = null;
    pendingFinding = null;
    const message =
      number <= last
        ? `${capitalise(formatEntry(number))} is repeated or out of order: ${last + 1} should follow ${last}.`
        : `${capitalise(formatRange(last + 1, number - 1))} ${number - last > 2 ? "are" : "is"} missing: ${number} follows ${last}.`;
    return [{ code: "sequence", message, ...locate(number <= last ? number : last + 1), line }];
  }

  /**
   * Adds the hash that produces the stated root. This is the hash stated in the line or, if only that was
   * changed, the computed one.
   */
  function grow({ number, line, hash, leaf, root }: LogLine, isMismatch: boolean): Finding[] {
    if (!statedTree) return [];
    const before = isMismatch ? statedTree.fork() : null;
    statedTree.push(hash);
    if (toHex(statedTree.root()) === root) return settle();
    if (before) {
      before.push(leaf);
      if (toHex(before.root()) === root) {
        statedTree = before;
        return settle();
      }
    }
    if (pendingFinding) {
      // After two mismatches in a row, it is unknown which hashes the roots were computed from.
      statedTree = null;
      pendingFinding = null;
      return [];
    }
    const finding: Finding = {
      code: "root",
      message:
        number === 1
          ? `The root of ${formatEntry(1)} does not match its hash: one of the two was changed.`
          : `The root of ${formatEntry(number)} does not match ${formatRange(1, number)}: ${formatEntry(number)} was changed together with its hash, or ${formatEntry(number - 1)} together with its hash and its root.`,
      ...locate(number, Math.max(1, number - 1)),
      line,
    };
    pendingFinding = finding;
    // If the line does not match its own hash, that has already been reported.
    return isMismatch ? [] : [finding];
  }

  function settle(): Finding[] {
    if (pendingFinding) {
      narrow(pendingFinding, {
        code: "root",
        message: `The root of ${formatEntry(last - 1)} does not match ${formatRange(1, last - 1)}. The roots after it are valid.`,
        ...locate(last - 1),
        ...(pendingFinding.line === undefined ? {} : { line: pendingFinding.line }),
      });
      pendingFinding = null;
    }
    return [];
  }

  /**
   * Compares the checkpoints for the current position. The position counts as confirmed if all of them match,
   * and as refuted if any of them does not.
   */
  function check(candidates: readonly Checkpoint[], line?: LogLine): Finding[] {
    if (!statedTree || pendingFinding || candidates.length === 0) return [];
    const root = toHex(statedTree.root());
    const wrong = candidates.find(
      (each) =>
        each.root !== root ||
        (each.contentHash !== undefined && each.contentHash !== (line?.contentHash ?? null)),
    );
    if (!wrong) confirmedSize = Math.max(confirmedSize, last);
    if (!wrong || refutedSize > confirmedSize) return [];
    refutedSize = last;
    const subject = capitalise(wrong.description);
    if (last === 0) {
      return [
        {
          code: "head",
          message: `${subject} covers no ${one}s, but its root is not the root of an empty log.`,
          file,
        },
      ];
    }
    const from = confirmedSize + 1;
    const which = from === last ? formatEntry(last) : `one of ${formatRange(from, last)}`;
    const message = `${subject} has a different root over ${formatRange(1, last)}: ${which} was changed together with all hashes after it, or that head belongs to another record.`;
    return [
      { code: "head", message, ...locate(last, from), ...(line === undefined ? {} : { line: line.line }) },
    ];
  }

  const checkAll = (line?: LogLine) => {
    if (noted !== undefined && statedTree && !pendingFinding && toHex(statedTree.root()) === noted)
      notedSize = last;
    return check(expected.get(last) ?? [], line);
  };
  const atStart = checkAll();

  return {
    get last() {
      return last;
    },
    get root() {
      return toHex(computedTree.root());
    },
    get notedSize() {
      return notedSize;
    },
    follow(line) {
      const isMismatch = !sameBytes(line.hash, line.leaf);
      const findings = checkOrder(line);
      const isNext = line.number === last + 1;
      last = Math.max(last, line.number);
      computedTree.push(line.leaf);
      if (isMismatch) {
        findings.push({
          code: "content",
          message: line.describeMismatch(),
          ...locate(line.number),
          line: line.line,
        });
      }
      findings.push(...grow(line, isMismatch));
      if (isNext) findings.push(...checkAll(line));
      return findings;
    },
    skip() {
      last++;
      statedTree = null;
      pendingFinding = null;
      return last;
    },
    check: (checkpoint) => check([checkpoint]),
    end() {
      const [furthest] = checkpoints
        .filter(({ size, mustReach }) => mustReach && size > last)
        .sort((a, b) => b.size - a.size);
      if (!furthest) return atStart;
      const message = `${capitalise(formatRange(last + 1, furthest.size))} ${furthest.size - last > 1 ? "are" : "is"} missing at the end: ${furthest.description} covers ${furthest.size} ${one}s.`;
      return [...atStart, { code: "sequence", message, ...locate(last + 1) }];
    },
  };
}

function capitalise(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
