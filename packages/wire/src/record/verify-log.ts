import { sameBytes, toHex } from "../core/hex.js";
import type { Sha256 } from "../core/merkle-tree.js";
import { type GrowingTree, growTree } from "./log-tree.js";
import type { Finding } from "./report.js";

/** A root that someone vouches for: in a signed head, or noted elsewhere. */
export interface Checkpoint {
  readonly size: number;
  readonly root: string;
  /** Hash of the last version, if the checkpoint includes it. */
  readonly contentHash?: string | null;
  /** Source of the checkpoint, as part of a sentence: "the head signed 2026-05-02T14:05:00.000Z". */
  readonly whose: string;
  /** True if the record must be at least this long. False if it may be an older copy. */
  readonly mustReach: boolean;
}

/** The data of one log line that is compared. */
export interface LogLine {
  readonly number: number;
  /** Number of the line in its file. */
  readonly line: number;
  /** The leaf computed from the line's content, and the hash stated in the line. */
  readonly leaf: Uint8Array;
  readonly hash: Uint8Array;
  readonly root: string;
  readonly contentHash: string;
  /** Returns the finding's message if the two hashes differ. */
  readonly mismatch: () => string;
}

/** Follows a log line by line and reports the faults of each line. */
export interface LogFollower {
  /** The highest number so far. */
  readonly last: number;
  /** The root computed only from the lines read. */
  readonly root: string;
  /** Number of entries that the requested root covers. */
  readonly notedSize: number | null;
  follow(line: LogLine): Finding[];
  /** Skips a line that cannot be read. Returns its number, which can only be the next. */
  pass(): number;
  /** Compares a checkpoint with the log at the current position. */
  check(checkpoint: Checkpoint): Finding[];
  /** Call after the last line. */
  end(): Finding[];
}

interface Options {
  readonly one: "message" | "version";
  readonly file: string;
  readonly checkpoints: readonly Checkpoint[];
  /** A root to search for. */
  readonly noted?: string | undefined;
  readonly sha256: Sha256;
  /** Called when a finding turns out to concern only one line. */
  narrow(finding: Finding, narrower: Finding): void;
}

/**
 * Creates a follower. While the hashes in the lines lead to the roots in the lines, a line that does not
 * match its hash is an isolated fault, and every other fault is found too. Once they no longer do, a hash is
 * not the one from which the roots were computed. From there on, each line can only be compared with its own
 * hash.
 */
export function followLog({ one, file, checkpoints, noted, sha256, narrow }: Options): LogFollower {
  const expected = new Map<number, Checkpoint[]>();
  for (const each of checkpoints) expected.set(each.size, [...(expected.get(each.size) ?? []), each]);
  const here = growTree(sha256);
  /** The tree over the hashes in the lines. Null once they no longer lead to the roots. */
  let told: GrowingTree | null = growTree(sha256);
  let last = 0;
  /** A root that did not match. The next line shows whether the fault is isolated. */
  let doubt: Finding | null = null;
  /** The last positions at which a checkpoint matched and at which one did not. */
  let vouched = 0;
  let refuted = 0;
  let notedSize: number | null = null;

  const at = (number: number, from = number): Pick<Finding, "file"> => ({
    file,
    ...(one === "message" ? { sequence: number } : { document_version: number }),
    ...(from === number ? {} : one === "message" ? { from_sequence: from } : { from_document_version: from }),
  });
  const name = (number: number) => `${one} ${number}`;
  const many = (from: number, to: number) => (from === to ? name(from) : `${one}s ${from} to ${to}`);

  function order({ number, line }: LogLine): Finding[] {
    if (number === last + 1) return [];
    told = null;
    doubt = null;
    const message =
      number <= last
        ? `${capital(name(number))} is repeated or out of order: ${last + 1} should follow ${last}.`
        : `${capital(many(last + 1, number - 1))} ${number - last > 2 ? "are" : "is"} missing: ${number} follows ${last}.`;
    return [{ code: "sequence", message, ...at(number <= last ? number : last + 1), line }];
  }

  /**
   * Adds the hash that leads to the root: the line's own hash, or the computed one if only the line's hash
   * was changed.
   */
  function grow({ number, line, hash, leaf, root }: LogLine, isMismatch: boolean): Finding[] {
    if (!told) return [];
    const before = isMismatch ? told.fork() : null;
    told.push(hash);
    if (toHex(told.root()) === root) return settle();
    if (before) {
      before.push(leaf);
      if (toHex(before.root()) === root) {
        told = before;
        return settle();
      }
    }
    if (doubt) {
      // After two mismatches in a row, the input of the roots is unknown.
      told = null;
      doubt = null;
      return [];
    }
    const finding: Finding = {
      code: "root",
      message:
        number === 1
          ? `The root of ${name(1)} does not match its hash: one of the two was changed.`
          : `The root of ${name(number)} does not match ${many(1, number)}: ${name(number)} was changed together with its hash, or ${name(number - 1)} together with its hash and its root.`,
      ...at(number, Math.max(1, number - 1)),
      line,
    };
    doubt = finding;
    // If the line itself is faulty, that has been reported already.
    return isMismatch ? [] : [finding];
  }

  function settle(): Finding[] {
    if (doubt) {
      narrow(doubt, {
        code: "root",
        message: `The root of ${name(last - 1)} does not match ${many(1, last - 1)}. The roots after it are valid.`,
        ...at(last - 1),
        ...(doubt.line === undefined ? {} : { line: doubt.line }),
      });
      doubt = null;
    }
    return [];
  }

  /**
   * Compares the checkpoints of this position. The position is confirmed if all of them match, and refuted if
   * any does not.
   */
  function check(words: readonly Checkpoint[], line?: LogLine): Finding[] {
    if (!told || doubt || words.length === 0) return [];
    const root = toHex(told.root());
    const wrong = words.find(
      (each) =>
        each.root !== root ||
        (each.contentHash !== undefined && each.contentHash !== (line?.contentHash ?? null)),
    );
    if (!wrong) vouched = Math.max(vouched, last);
    if (!wrong || refuted > vouched) return [];
    refuted = last;
    const whose = capital(wrong.whose);
    if (last === 0) {
      return [
        {
          code: "head",
          message: `${whose} covers no ${one}s, but its root is not the root of an empty log.`,
          file,
        },
      ];
    }
    const from = vouched + 1;
    const which = from === last ? name(last) : `one of ${many(from, last)}`;
    const message = `${whose} has a different root over ${many(1, last)}: ${which} was changed together with all hashes after it, or that head belongs to another record.`;
    return [{ code: "head", message, ...at(last, from), ...(line === undefined ? {} : { line: line.line }) }];
  }

  const checkAll = (line?: LogLine) => {
    if (noted !== undefined && told && !doubt && toHex(told.root()) === noted) notedSize = last;
    return check(expected.get(last) ?? [], line);
  };
  const atStart = checkAll();

  return {
    get last() {
      return last;
    },
    get root() {
      return toHex(here.root());
    },
    get notedSize() {
      return notedSize;
    },
    follow(line) {
      const isMismatch = !sameBytes(line.hash, line.leaf);
      const findings = order(line);
      const isNext = line.number === last + 1;
      last = Math.max(last, line.number);
      here.push(line.leaf);
      if (isMismatch) {
        findings.push({ code: "content", message: line.mismatch(), ...at(line.number), line: line.line });
      }
      findings.push(...grow(line, isMismatch));
      if (isNext) findings.push(...checkAll(line));
      return findings;
    },
    pass() {
      last++;
      told = null;
      doubt = null;
      return last;
    },
    check: (checkpoint) => check([checkpoint]),
    end() {
      const [furthest] = checkpoints
        .filter(({ size, mustReach }) => mustReach && size > last)
        .sort((a, b) => b.size - a.size);
      if (!furthest) return atStart;
      const message = `${capital(many(last + 1, furthest.size))} ${furthest.size - last > 1 ? "are" : "is"} missing at the end: ${furthest.whose} covers ${furthest.size} ${one}s.`;
      return [...atStart, { code: "sequence", message, ...at(last + 1) }];
    },
  };
}

function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
