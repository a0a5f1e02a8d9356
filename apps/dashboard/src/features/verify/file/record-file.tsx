import { fromBase64 } from "@merkle/wire/record/html";
import { Printer } from "lucide-react";
import { useEffect, useState } from "react";
import { SealRose } from "@/components/seal-rose";
import { Alert, AlertDescription, AlertTitle } from "@/ui/alert";
import { Button } from "@/ui/button";
import { LastPage, Part } from "@/views/session/last-page";
import { BundleReport } from "../bundle-report";
import { checkBundle } from "../check/check-bundle";
import type { CheckedBundle } from "../check/verify-protocol";
import { createRecordCollector, type ShownRecord } from "./collect-record";
import { FileDocument } from "./file-document";
import { FileFeed } from "./file-feed";

type CheckStage =
  | { readonly is: "checking"; readonly share: number }
  | { readonly is: "unusable"; readonly reason: string }
  | { readonly is: "checked"; readonly result: CheckedBundle; readonly record: ShownRecord | null };

/** A record in an HTML file. It is verified first, offline, and shown only if it passes. */
export function RecordFile({ name }: { readonly name: string }) {
  const [stage, setStage] = useState<CheckStage>({ is: "checking", share: 0 });
  useEffect(() => {
    const controller = new AbortController();
    check(name, controller.signal, setStage).catch((error: unknown) => {
      if (controller.signal.aborted) return;
      setStage({ is: "unusable", reason: error instanceof Error ? error.message : String(error) });
    });
    return () => controller.abort();
  }, [name]);

  if (stage.is === "checking") {
    return (
      <Box title={name}>
        <p role="status" className="text-muted-foreground tabular-nums">
          Recomputing every hash of this record… {Math.floor(stage.share * 100)} %
        </p>
      </Box>
    );
  }
  if (stage.is === "unusable") {
    return (
      <Box title={name}>
        <Alert role="alert">
          <AlertTitle>This file cannot be verified.</AlertTitle>
          <AlertDescription className="break-words">
            {stage.reason} Ask the sender for the original export.
          </AlertDescription>
        </Alert>
      </Box>
    );
  }
  const report = <BundleReport name={name} result={stage.result} canRemember={false} />;
  // A record that fails verification is not shown, and its title is not used.
  if (stage.record === null) return <Box title={name}>{report}</Box>;
  return <Whole record={stage.record} report={report} />;
}

function Whole({ record, report }: { readonly record: ShownRecord; readonly report: React.ReactNode }) {
  const { outcome, root, document, messages, colours } = record;
  useEffect(() => {
    window.document.title = outcome.title;
  }, [outcome.title]);
  return (
    <main>
      <LastPage
        outcome={outcome}
        renderMessageLink={renderMessageLink}
        actions={
          <Button variant="outline" size="sm" onClick={() => window.print()}>
            <Printer aria-hidden /> Print
          </Button>
        }
        mark={<SealRose root={root} className="size-20 md:size-24" />}
        seal={
          <div className="grid gap-3">
            {report}
            <p className="max-w-[72ch] text-sm text-muted-foreground">
              This was computed by the script in this file, without a network. Anyone who changed the file
              could have changed the script, too. To be sure, check the file with <code>merkle verify</code>,
              or on the Verify page of a broker that you trust.
            </p>
          </div>
        }
      >
        {document !== "" && (
          <Part title={`Document, version ${outcome.documentVersion}`}>
            <FileDocument text={document} />
          </Part>
        )}
        <Part title="Feed">
          <FileFeed messages={messages} colours={colours} />
        </Part>
      </LastPage>
    </main>
  );
}

function renderMessageLink(sequence: number) {
  return (
    <a href={`#m${sequence}`} className="text-link underline underline-offset-2">
      #{sequence}
    </a>
  );
}

function Box({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <main className="mx-auto grid w-full max-w-3xl gap-4 px-5 py-10">
      <h1 className="text-title font-semibold break-words">{title}</h1>
      {children}
    </main>
  );
}

async function check(name: string, signal: AbortSignal, onStage: (stage: CheckStage) => void): Promise<void> {
  const file = new File(await readRecord(document), name);
  const collector = createRecordCollector();
  const result = await checkBundle(file, {
    trusted: { brokerKeys: [], seen: {} },
    signal,
    onProgress: (share) => !signal.aborted && onStage({ is: "checking", share }),
    onRow: collector.add,
  });
  const record = result.report.ok ? await collector.finish(file, result.report) : null;
  if (!signal.aborted) onStage({ is: "checked", result, record });
}

/** A multiple of four base64 characters. Decoding 1 MiB per turn of the event loop keeps the page responsive. */
const chunkChars = 2 ** 20;

/**
 * Returns the bytes of the record embedded in this page, in pieces.
 *
 * @throws UnreadableZip
 */
async function readRecord(page: Document): Promise<Uint8Array<ArrayBuffer>[]> {
  const text = page.getElementById("record")?.textContent ?? "";
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < text.length; at += chunkChars) {
    parts.push(fromBase64(text.slice(at, at + chunkChars)));
    await new Promise((resume) => setTimeout(resume));
  }
  return parts;
}
