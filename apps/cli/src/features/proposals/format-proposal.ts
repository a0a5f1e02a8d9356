import type { Hunk, Proposal, ProposalInFull } from "@merkle/wire";
import { neutralise } from "@merkle/wire/text";
import type { Output } from "../../command/output.js";
import { toOneLine } from "../../text/one-line.js";

/** Formats a proposal: its facts in one line, its note, and its hunks with the numbers for --hunks. */
export function formatProposal(proposal: ProposalInFull, output: Output): string {
  const { proposal_id, revision, added, removed, note, hunks, proposed_by } = proposal;
  const { signs } = output;
  const facts = [
    output.bold(`proposal ${proposal_id}`),
    formatTarget(proposal),
    `revision ${revision} by ${toOneLine(proposed_by ?? "agent")}`,
    describeBase(proposal),
    `+${added} ${signs.minus}${removed}`,
  ];
  const noteText = note === "" ? "" : `${note.replace(/^/gm, "  ")}\n`;
  const text = `${facts.filter((each) => each !== "").join("  ")}\n${noteText}${hunks.map(formatHunk).join("")}`;
  // The text is printed to stderr, which may be a terminal even if stdout is not.
  return output.diff(neutralise(text));
}

/** Returns the target of a proposal: `document, topic 4`, `docs/guide.md, topic 4` or `Conclusion`. */
export function formatTarget({ kind, source_path, topic_id }: Proposal): string {
  return kind === "conclusion" ? "Conclusion" : `${toOneLine(source_path ?? "document")}, topic ${topic_id}`;
}

function describeBase({ base_sha, base_version }: Proposal): string {
  if (base_sha !== null) return `based on ${shortenHash(base_sha)}`;
  return base_version === null ? "" : `based on v${base_version}`;
}

function formatHunk({ section, old_start, old_lines, new_lines }: Hunk, index: number): string {
  const where = section === "" ? "" : `, ${toOneLine(section)}`;
  const lines = [...old_lines.map((line) => `-${line}`), ...new_lines.map((line) => `+${line}`)];
  const whole = lines.map((line) => (line.endsWith("\n") ? line : `${line}\n`));
  return `@@ ${index + 1}: line ${old_start}${where} @@\n${whole.join("")}`;
}

/** Shortens a hash as Git does. */
export function shortenHash(hash: string): string {
  return hash.slice(0, 8);
}
