"use client";

import type { AuditKey, Finding, RecordReport, SignedHead } from "@merkle/wire/record";
import { describeVerdict } from "@merkle/wire/record/verdict";
import { useState } from "react";
import { type FactEntry, FactList } from "@/components/fact-list";
import { HashText } from "@/components/hash-text";
import { TimeText } from "@/components/time-text";
import { Verdict } from "@/components/verdict";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Button } from "@/ui/button";
import { storeSeenHead } from "./check/seen-heads";
import type { CheckedBundle } from "./check/verify-protocol";
import { ExcerptTable } from "./excerpt-table";

export interface BundleReportProps {
  /** The name of the file. */
  readonly name: string;
  readonly result: CheckedBundle;
  /** Whether to offer to remember the record's key in this browser. */
  readonly canRemember?: boolean;
}

/** The number of findings that are shown. */
const shownFindingsMax = 20;

/** The result of checking a record: the first finding, the rows around it, and the counts. */
export function BundleReport({ name, result, canRemember = true }: BundleReportProps) {
  const { report, page, excerpt } = result;
  const [, ...otherFindings] = report.findings;
  return (
    <div className="grid gap-4">
      <BundleVerdict result={result} canRemember={canRemember} />
      {report.ok && page === "foreign" && <ForeignPage />}
      {excerpt.length > 0 && <ExcerptTable excerpt={excerpt} />}
      {otherFindings.length > 0 && <OtherFindings findings={otherFindings} />}
      <section aria-label="Record" className="grid gap-2">
        <h3 className="font-semibold">
          <bdi>{showHidden(report.session?.title ?? name)}</bdi>
        </h3>
        <FactList facts={listFacts(name, report)} />
        <details>
          <summary className="cursor-pointer py-1 text-sm font-medium pointer-coarse:py-3">Hashes</summary>
          <FactList facts={listHashes(report)} />
        </details>
      </section>
    </div>
  );
}

/** The signature covers only the record. A page that Merkle did not ship may show anything. */
function ForeignPage() {
  return (
    <Verdict tone="wrong" title="The record is intact, but the page around it is not Merkle’s.">
      <p>
        Don’t trust what the page shows: only the record below was signed. To read it, import the file with{" "}
        <code className="font-mono text-sm">merkle import</code>. If a newer Merkle made the page, verify it
        with that version.
      </p>
    </Verdict>
  );
}

function BundleVerdict({
  result: { report, keys },
  canRemember,
}: Required<Pick<BundleReportProps, "result" | "canRemember">>) {
  const { size, matched, findings, head, signed_by, unproven, seen_later } = report;
  const [first] = findings;
  if (first !== undefined) {
    return (
      <Verdict tone="wrong" title={first.message}>
        <p>
          {describeLocation(first)}
          {findings.length > 1 && ` ${formatCount(findings.length - 1, "more problem")} found.`}
        </p>
        <p>Ask the sender for the original export.</p>
      </Verdict>
    );
  }
  const { title, statements } = describeVerdict({ report, witnesses: null, comparedAt: null });
  const isKnown = signed_by?.trust === "known" || signed_by?.trust === "succeeds a known one";
  return (
    <Verdict tone={isKnown ? "holds" : "unsure"} title={title}>
      {statements.map((statement) => (
        <p key={statement}>{statement}</p>
      ))}
      <p>
        {matched.toLocaleString("en-GB")} of {formatCount(size, "message")} match the signed root, computed
        here.
      </p>
      {unproven.map((sentence) => (
        <p key={sentence}>Not proven: {sentence}</p>
      ))}
      {seen_later !== null && (
        <p>
          This browser has seen a later state of this record: the head signed{" "}
          <TimeText at={seen_later.at} as="clock" /> covers {formatCount(seen_later.size, "message")} and{" "}
          {formatCount(seen_later.document.version, "version")} of the document.
        </p>
      )}
      {!isKnown && (
        <>
          <p>
            This browser has not seen the signing key before. Check it with the person who runs the broker:
            anyone can create and sign a record.
          </p>
          {canRemember && head !== null && <RememberKey head={head} keys={keys} />}
        </>
      )}
    </Verdict>
  );
}

function OtherFindings({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <details className="rounded-lg border px-4 py-2">
      <summary className="cursor-pointer py-1 font-medium pointer-coarse:py-3">
        {formatCount(findings.length, "more problem")} found
      </summary>
      <ol className="grid gap-1.5 pt-1 pb-1 text-sm">
        {findings.slice(0, shownFindingsMax).map((finding) => (
          <li key={JSON.stringify(finding)} className="break-words">
            {finding.message} <span className="text-muted-foreground">{describeLocation(finding)}</span>
          </li>
        ))}
        {findings.length > shownFindingsMax && (
          <li className="text-muted-foreground">and {findings.length - shownFindingsMax} more</li>
        )}
      </ol>
    </details>
  );
}

function listFacts(name: string, report: RecordReport): readonly FactEntry[] {
  const { session, exported_at, size, redacted, document_version, head, signed_by } = report;
  const facts: (FactEntry | null | false)[] = [
    { name: "File", value: <bdi>{showHidden(name)}</bdi> },
    session && { name: "Session", value: <bdi>{showHidden(session.slug)}</bdi> },
    session && { name: "Status", value: <bdi>{showHidden(session.status)}</bdi> },
    exported_at !== null && { name: "Exported", value: <TimeText at={exported_at} as="clock" /> },
    {
      name: "Messages",
      value: [
        formatCount(size, "message"),
        redacted > 0 && `${redacted} removed`,
        report.private > 0 && `${report.private} private`,
      ]
        .filter((part) => part !== false)
        .join(", "),
    },
    {
      name: "Document",
      value: document_version === 0 ? "empty" : formatCount(document_version, "version"),
    },
    head && { name: "Signed", value: <TimeText at={head.at} as="clock" /> },
    signed_by && { name: "Key", value: trustTexts[signed_by.trust] },
  ];
  return facts.filter((fact) => fact !== null && fact !== false);
}

function listHashes({ root, document_root, signed_by }: RecordReport): readonly FactEntry[] {
  return [
    { name: "Root", value: <HashText hash={root} isWhole /> },
    { name: "Document root", value: <HashText hash={document_root} isWhole /> },
    ...(signed_by ? [{ name: "Signed by", value: <HashText hash={signed_by.key_id} isWhole /> }] : []),
  ];
}

const trustTexts: Readonly<Record<NonNullable<RecordReport["signed_by"]>["trust"], string>> = {
  known: "known to this browser, from this record or from this page’s broker",
  "succeeds a known one": "successor of a key known to this browser, and signed by that key",
  "first seen": "not seen by this browser before",
  "other than the known one": "not the key known to this browser",
};

function describeLocation({ file, line }: Finding): string {
  if (file === undefined) return "";
  return line === undefined ? `In ${file}.` : `In ${file}, line ${line.toLocaleString("en-GB")}.`;
}

function formatCount(number: number, one: string): string {
  return `${number.toLocaleString("en-GB")} ${number === 1 ? one : `${one}s`}`;
}

interface RememberKeyProps {
  readonly head: SignedHead;
  readonly keys: readonly AuditKey[];
}

/** Lets this browser trust a key for a record. Later exports of the record must be signed with this key. */
function RememberKey({ head, keys }: RememberKeyProps) {
  const [isRemembered, setRemembered] = useState(false);
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1">
      {isRemembered ? (
        "This browser now remembers the key and this record."
      ) : (
        <Button
          variant="outline"
          size="sm"
          onClick={() => {
            storeSeenHead({ head, keys });
            setRemembered(true);
          }}
        >
          I compared it. Remember this key
        </Button>
      )}
    </p>
  );
}
