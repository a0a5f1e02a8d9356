import { neutralise, shortHash } from "@merkle/wire/plain";
import type { Finding, RecordReport } from "@merkle/wire/record";
import type { Output } from "../command/output.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import { counted } from "../duration.js";
import { oneLine } from "../text/one-line.js";

/** What a tick never stands without. */
export const whatItShows =
  "Unchanged since sealing. Does not show that a statement is true, or what was never posted.";

/** A record that holds, for people. */
export function reportText(report: RecordReport, output: Pick<Output, "mark" | "dim">): string {
  const { size, matched, redacted, noted, signed_by, document_version, session, seen_later } = report;
  const apart = [
    redacted > 0 && `${counted(redacted, "text")} removed`,
    report.private > 0 && `${report.private} private`,
  ].filter((part) => typeof part === "string");
  return [
    `${output.mark.ok} ${matched} of ${size} match root ${shortHash(report.root)}, computed here.`,
    `  ${whatItShows}`,
    session &&
      `  ${JSON.stringify(oneLine(session.title))}, ${oneLine(session.status)}, exported ${report.exported_at}`,
    output.dim(
      `  document v${document_version}${apart.map((part) => `, ${part}`).join("")}; signed by key ${signed_by?.key_id.slice(0, 8)}, ${trustText(report)}`,
    ),
    ...report.unproven.map((sentence) => `  not proven: ${sentence}`),
    seen_later &&
      `  older than what was seen here: the head signed ${seen_later.at} is over ${counted(seen_later.size, "message")} and document v${seen_later.document.version}`,
    noted && `${output.mark.ok} the root that you gave is over messages 1 to ${noted.size}`,
  ]
    .filter((line) => typeof line === "string")
    .join("\n");
}

function trustText({ signed_by }: RecordReport): string {
  switch (signed_by?.trust) {
    case "known":
      return "which this machine knows: it signed this record when that was seen here before";
    case "succeeds a known one":
      return "the successor of one that this machine knows from this record, and signed by that one";
    default:
      return "seen here for the first time: compare it with whoever runs the broker, since anybody can sign a record of their own";
  }
}

/** So many of what is wrong are told beside the first. */
const othersTold = 4;

/** A record that does not hold: the first wrong thing, and how many more there are. */
export function verificationFailed(report: RecordReport, next: readonly string[]): CliError {
  const [first, ...others] = report.findings;
  const told = others.slice(0, othersTold).map((each) => `\n  also: ${sentence(each)}`);
  const more = others.length - told.length;
  return new CliError(
    "verification_failed",
    `${first ? sentence(first) : "It does not verify."}${told.join("")}${more > 0 ? `\n  and ${more} more` : ""}`,
    { exitCode: exitCodes.verification_failed, next, details: { ...report } },
  );
}

function sentence({ message, sequence }: Finding): string {
  const text = neutralise(message).replaceAll("\n", " ");
  return sequence === undefined || text.includes(String(sequence)) ? text : `#${sequence}: ${text}`;
}
