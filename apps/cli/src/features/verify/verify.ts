import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MerkleError, type OutputOf, shortenHash } from "@merkle/wire";
import { describeVerdict, type Finding, type RecordReport } from "@merkle/wire/record";
import { neutralise } from "@merkle/wire/text";
import { type BrokerClient, findBroker } from "../../broker/broker-client.js";
import { download, toExportPath } from "../../broker/download.js";
import type { Command, CommandContext } from "../../command/command.js";
import type { Output } from "../../command/output.js";
import { createProgressLine } from "../../command/progress.js";
import { CliError, exitCodes, usageError } from "../../core/cli-error.js";
import { findFlag } from "../../core/flags.js";
import { writeWhole } from "../../core/write-whole.js";
import { getSession } from "../../sessions/find-session.js";
import { requireTrusted } from "../../settings/foreign-file.js";
import { toOneLine } from "../../text/one-line.js";
import { formatCount } from "../../text/time.js";
import { findComparedAt } from "../witness/feature.js";
import { formatSigned } from "./signed-content.js";
import { type VerifiedFile, verifyFile } from "./verify-file.js";
import { verifyStatement } from "./verify-statement.js";

export const verify: Command = {
  name: "verify",
  summary:
    "verify a session's signed record, a checkpoint or the evidence of a fork, without trusting the broker",
  arguments: [
    {
      name: "<what>",
      summary:
        "bundle or page from merkle export, checkpoint, evidence of a fork, or a session slug, id or exact title",
    },
  ],
  flags: [
    { flags: "--message <number>", summary: "number of a message that the root must include" },
    { flags: "--root <hex>", summary: "root that you saved earlier; the start of the feed must match it" },
    { flags: "--policy <file>", summary: "policy with the witnesses that you rely on" },
    {
      flags: "--proof <file>",
      summary: "proof that the mesh's log has the record's head, with its cosignatures",
    },
  ],
  examples: [
    "merkle verify split.zip",
    "merkle verify split-auth",
    "merkle verify split.zip --message 207 --root 9f2c…e71a",
  ],
  offline: true,
  async run(context) {
    const { args, flags, config, output, signal } = context;
    const [what = ""] = args;
    const expected = {
      message: readMessage(findFlag(flags, "message")),
      root: readRoot(findFlag(flags, "root")),
    };
    const progress = createProgressLine(context);
    const witnessed = {
      policy: await readTextFlag(findFlag(flags, "policy"), "--policy"),
      proof: await readTextFlag(findFlag(flags, "proof"), "--proof"),
    };
    const options = {
      ...expected,
      ...witnessed,
      home: config.home,
      signal,
      onProgress: ({ log, done, of }: { log: string; done: number; of: number }) =>
        progress.show({
          name: "verifying",
          done,
          total: of,
          format: (count) => formatCount(count, log === "feed" ? "message" : "version"),
        }),
    };
    try {
      const isFile = await isFileName(what);
      const statement = isFile
        ? await verifyStatement(what, { home: config.home, policy: witnessed.policy, output })
        : null;
      if (statement) {
        output.show(statement.report, statement.text);
        return statement.exitCode;
      }
      if (!isFile) {
        requireTrusted(config);
      }
      const report = isFile
        ? await verifyFile(what, options)
        : await verifySession(what, context, (file, logged) => verifyFile(file, { ...options, logged }));
      progress.end();
      if (!report.ok) {
        throw verificationFailed(report, [
          isFile ? "ask the sender for the original export" : "merkle export <session>, and keep the file",
        ]);
      }
      const isForeign = report.page === "foreign";
      const text = [
        describeReport(report, { output, home: config.home }),
        ...(isForeign ? [describeForeignPage(report, output)] : []),
      ];
      output.show(toJson(report), text.join("\n"));
      if (isForeign) return exitCodes.foreign_page;
      return report.witnesses?.isEnough === false ? exitCodes.not_witnessed : exitCodes.done;
    } finally {
      progress.end();
    }
  },
};

/** Returns the report for programs, with the witnesses as an object by name. */
function toJson({ witnesses, ...report }: VerifiedFile) {
  return {
    ...report,
    witnesses: witnesses && { ...witnesses, cosigned: Object.fromEntries(witnesses.cosigned) },
  };
}

/** Reads the small file that a flag names. @throws CliError `not_found` */
async function readTextFlag(path: string | undefined, flag: string): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    const message = `The file ${path} of ${flag} cannot be read.`;
    throw new CliError("not_found", message, { exitCode: exitCodes.not_found, cause });
  }
}

/**
 * Returns whether the argument names a file rather than a session: the file exists, or the argument looks
 * like a file name.
 */
async function isFileName(what: string): Promise<boolean> {
  return existsSync(what) || /[/\\]|\.(?:zip|html)$/i.test(what);
}

/** Exports a session to a temporary file, and verifies that file like any other. */
async function verifySession<Report>(
  name: string,
  { config, flags, io, signal }: CommandContext,
  verifyIt: (file: string, logged: LoggedHead | undefined) => Promise<Report>,
): Promise<Report> {
  const broker = await findBroker(config, signal);
  const session = await getSession(broker, name, config);
  const folder = await mkdtemp(join(tmpdir(), "merkle-verify-"));
  try {
    const file = join(folder, `${session.slug}.zip`);
    const path = toExportPath(session.session_id, "bundle");
    const what = formatCount(session.last_sequence, "message");
    await download({ broker, path, what, flags, io, signal }, (bytes) =>
      writeWhole(file, bytes, { replace: false, signal }),
    );
    const hasPolicy = findFlag(flags, "policy") !== undefined;
    return await verifyIt(file, hasPolicy ? await findLoggedHead(broker, session.session_id) : undefined);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type LoggedHead = Pick<OutputOf<"get_head_proof">, "head" | "proof">;

/** Returns the newest head of a session that is in the mesh's log. Undefined if there is none. */
async function findLoggedHead(
  broker: Pick<BrokerClient, "call">,
  session_id: string,
): Promise<LoggedHead | undefined> {
  try {
    return await broker.call("get_head_proof", { session_id });
  } catch (error) {
    if (error instanceof MerkleError) return undefined;
    throw error;
  }
}

function readMessage(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^#?[1-9]\d{0,14}$/.test(text)) return Number(text.replace("#", ""));
  throw usageError(`--message must be a message's number, such as 207, got ${JSON.stringify(text)}.`);
}

function readRoot(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw usageError(`--root must be 64 hexadecimal digits, got ${JSON.stringify(text.slice(0, 80))}.`);
}

/**
 * Printed with every successful verification, because the result does not prove that the content is true or
 * complete.
 */
const provenScope =
  "Unchanged since it was signed. This does not prove that its content is true or complete.";

/** Formats the report of a valid record. */
function describeReport(
  report: VerifiedFile,
  { output, home }: { readonly output: Pick<Output, "mark" | "dim">; readonly home: string },
): string {
  const { size, matched, redacted, noted, signed_by, document_version, session, seen_later } = report;
  const counts = [
    redacted > 0 && `${formatCount(redacted, "text")} removed`,
    report.private > 0 && `${report.private} private`,
  ].filter((part) => typeof part === "string");
  const comparedAt = report.head ? findComparedAt(home, report.head.epoch) : null;
  const verdict = describeVerdict({ report, witnesses: report.witnesses, comparedAt });
  return [
    `${report.witnesses?.isEnough === false ? output.mark.warn : output.mark.ok} ${verdict.title}`,
    `  ${provenScope}`,
    ...verdict.statements.map((statement) => `  ${statement}`),
    `  ${matched} of ${size} match root ${shortenHash(report.root)}, computed here.`,
    session &&
      `  ${JSON.stringify(toOneLine(session.title))}, ${session.status === "active" ? "open" : toOneLine(session.status)}, exported ${report.exported_at}`,
    output.dim(
      `  document v${document_version}${counts.map((part) => `, ${part}`).join("")}; signed by key ${signed_by?.key_id.slice(0, 8)}, ${describeTrust(report)}`,
    ),
    ...report.unproven.map((sentence) => `  not proven: ${sentence}`),
    seen_later &&
      `  older than the head seen here before, which was signed ${seen_later.at} and covers ${formatCount(seen_later.size, "message")} and document v${seen_later.document.version}`,
    noted && `${output.mark.ok} your --root covers messages 1 to ${noted.size}`,
  ]
    .filter((line) => typeof line === "string")
    .join("\n");
}

/**
 * Formats the warning about a page that is not from Merkle, which can show anything around a valid record.
 */
function describeForeignPage({ signed }: VerifiedFile, { mark }: Pick<Output, "mark">): string {
  return [
    `${mark.warn} The record is valid, but the page around it is not from Merkle. Do not trust what the page shows: only the record was signed.`,
    "  If a newer Merkle made the page, upgrade this one and verify again.",
    signed && formatSigned(signed),
  ]
    .filter((line) => typeof line === "string" && line !== "")
    .join("\n");
}

function describeTrust({ signed_by }: RecordReport): string {
  switch (signed_by?.trust) {
    case "known":
      return "known key (seen on this machine before)";
    case "succeeds a known one":
      return "new key, signed by a key that this machine knows from this record";
    default:
      return "unknown key: compare it with the person who runs the broker, because anyone can sign a record with their own key";
  }
}

/** Maximum number of problems to list after the first. */
const furtherFindingsMax = 4;

/** Returns the error for an invalid record: the first problem, some others, and how many more there are. */
function verificationFailed(report: RecordReport, next: readonly string[]): CliError {
  const [first, ...others] = report.findings;
  const further = others.slice(0, furtherFindingsMax).map((each) => `\n  also: ${formatFinding(each)}`);
  const more = others.length - further.length;
  return new CliError(
    "verification_failed",
    `${first ? formatFinding(first) : "The verification failed."}${further.join("")}${more > 0 ? `\n  and ${more} more` : ""}`,
    { exitCode: exitCodes.verification_failed, next, details: { ...report } },
  );
}

function formatFinding({ message, sequence }: Finding): string {
  const text = neutralise(message).replaceAll("\n", " ");
  return sequence === undefined || text.includes(String(sequence)) ? text : `#${sequence}: ${text}`;
}
