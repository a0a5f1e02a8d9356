import type { RecordReport } from "./report.js";

/** What is known of the witnesses of a record's head. */
export interface WitnessVerdict {
  /** The witnesses that count, by name, with the time of each in seconds. */
  readonly cosigned: ReadonlyMap<string, number>;
  /** Witnesses that do not count, because their time is in the future. */
  readonly ahead: readonly string[];
  /** True if as many witnesses cosigned as the reader's policy requires. */
  readonly isEnough: boolean;
}

/** What the signatures of a valid record prove: a title, and a sentence for each signer. */
export interface RecordVerdict {
  readonly title: string;
  readonly statements: readonly string[];
}

export interface VerdictFacts {
  readonly report: Pick<RecordReport, "signed_by" | "head">;
  /** Null if the reader has no policy, so that nobody but the broker counts as a signer. */
  readonly witnesses: WitnessVerdict | null;
  /** When the reader last compared the mesh's log with another member's, in seconds. Null if never. */
  readonly comparedAt: number | null;
}

/**
 * Describes what was signed, before any detail (WITNESS-32): who signed, and what each signature proves and does
 * not prove. For valid records only.
 */
export function describeVerdict({ report, witnesses, comparedAt }: VerdictFacts): RecordVerdict {
  const { signed_by, head } = report;
  const isKnown = signed_by?.trust === "known" || signed_by?.trust === "succeeds a known one";
  const signer = isKnown ? "this broker" : "a key that is not known here";
  const others = describeWitnesses(witnesses);
  const compared =
    comparedAt === null ? "" : `; last compared with another member on ${formatDay(comparedAt)}`;
  return {
    title: `Signed ${others === "" ? "only " : ""}by ${signer}${others}${compared}.`,
    statements: [
      `The broker’s signature proves that nothing was changed since ${head?.at ?? "it was signed"}. It does not prove that the broker shows everyone the same record.`,
      ...[...(witnesses?.cosigned ?? [])].map(
        ([name, at]) =>
          `The signature of ${name} proves that the broker’s log had this record on ${formatDay(at)} at the latest, and only grew as far as ${name} saw it. It does not prove what the record says.`,
      ),
      ...(witnesses?.ahead ?? []).map(
        (name) => `The signature of ${name} does not count, because its time is in the future.`,
      ),
      ...(witnesses?.isEnough
        ? []
        : [
            "The person who runs the broker could sign another history for someone else. Compare with other members: merkle head.",
          ]),
    ],
  };
}

/** Returns nothing if nobody else signed, and nobody else has to. */
function describeWitnesses(witnesses: WitnessVerdict | null): string {
  if (!witnesses) return "";
  const count = witnesses.cosigned.size;
  const number = `${count} ${count === 1 ? "witness" : "witnesses"}`;
  if (witnesses.isEnough) return count === 0 ? "" : ` and ${number}`;
  return count === 0 ? ", not yet witnessed" : ` and ${number}, which are fewer than your policy requires`;
}

/** Formats a time in seconds as a day, the same in every time zone. */
function formatDay(seconds: number): string {
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" }).format(seconds * 1_000);
}
