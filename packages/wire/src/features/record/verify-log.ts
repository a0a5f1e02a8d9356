import { sameBytes, toHex } from "../../core/hex.js";
import type { Sha256 } from "../../core/merkle-tree.js";
import { type GrowingTree, growTree } from "./log-tree.js";
import type { Finding } from "./report.js";

/** A root that somebody vouches for: a signed head, or one that was noted elsewhere. */
export interface Checkpoint {
  readonly size: number;
  readonly root: string;
  /** The hash of the last version, where it is said. */
  readonly contentHash?: string | null;
  /** The source of the claim, as it stands in a sentence: "the head signed 2026-05-02T14:05:00.000Z". */
  readonly whose: string;
  /** Whether the record must have at least so much; not when it may be an older copy. */
  readonly mustReach: boolean;
}

/** The facts of one line of a log, as far as they are compared. */
export interface LogLine {
  readonly number: number;
  /** In its file. */
  readonly line: number;
  /** As it was computed from what the line holds, and as the line tells it. */
  readonly leaf: Uint8Array;
  readonly hash: Uint8Array;
  readonly root: string;
  readonly contentHash: string;
  /** Returns the message of the finding when the two hashes differ. */
  readonly mismatch: () => string;
}

/** Follows a log line by line, and tells of each what is wrong with it. */
export interface LogFollower {
  /** The highest number so far. */
  readonly last: number;
  /** The root over what is here, computed from nothing else. */
  readonly root: string;
  /** Over how many entries the wanted root is. */
  readonly notedSize: number | null;
  follow(line: LogLine): Finding[];
  /** A line that cannot be read: its number can only be the next, which is returned. */
  pass(): number;
  /** Compares somebody's word with the log as it is at this place. */
  check(checkpoint: Checkpoint): Finding[];
  /** After the last line. */
  end(): Finding[];
}

interface Options {
  readonly one: "message" | "version";
  readonly file: string;
  readonly checkpoints: readonly Checkpoint[];
  /** A root to look for. */
  readonly noted?: string | undefined;
  readonly sha256: Sha256;
  /** A finding that turned out to be about one line alone. */
  narrow(finding: Finding, narrower: Finding): void;
}

/**
 * As long as the hashes beside the lines lead to the roots beside them, a line that is not what its hash says is wrong alone,
 * and every other wrong one is found too. Where they no longer do, a hash is not the one that the roots were made of; from
 * there on nothing is left to compare but each line with its own hash.
 */
export function followLog({ one, file, checkpoints, noted, sha256, narrow }: Options): LogFollower {
  const expected = new Map<number, Checkpoint[]>();
  for (const each of checkpoints) expected.set(each.size, [...(expected.get(each.size) ?? []), each]);
  const here = growTree(sha256);
  /** Over the hashes beside the lines; null once these lead nowhere. */
  let told: GrowingTree | null = growTree(sha256);
  let last = 0;
  /** A root that did not fit: the next line shows whether it was wrong alone. */
  let doubt: Finding | null = null;
  /** The last place of which somebody's word held, and the last of which it did not. */
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

  /** Takes the hash that leads to the root: the line's own, or when only that was changed, the computed one. */
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
      // Two roots in a row that do not fit: what they were made of is no longer known.
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
    // When the line is wrong by itself, that is said already.
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

  /** The words that are about this place: it is vouched for when all of them hold, and refuted by one that does not. */
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
