import { type FactEntry, FactList } from "@/components/fact-list";
import { HashText } from "@/components/hash-text";
import { TimeText } from "@/components/time-text";
import { Verdict } from "@/components/verdict";
import { showHidden } from "@/text/markdown/hidden-characters";
import { CopyButton } from "@/ui/copy-button";
import type { CheckedProof } from "./check/check-proof";

/** Aligns the values of both lists. */
const columns = "sm:grid-cols-[7.5rem_minmax(0,1fr)]";

/** The result of checking a proof in this browser, and all the data that it was computed from. */
export function ProofReport({ checked }: { readonly checked: CheckedProof }) {
  const { proof } = checked;
  const { inclusion, head } = proof;
  return (
    <div className="grid gap-4">
      <ProofVerdict checked={checked} />
      <section aria-label="Entry" className="grid gap-2">
        <h3 className="font-semibold">Entry</h3>
        <FactList facts={listEntryFacts(checked)} className={columns} />
      </section>
      <section aria-label="Path to the root" className="grid gap-2">
        <h3 className="font-semibold">Path to the root</h3>
        <FactList
          className={columns}
          facts={[
            { name: "Leaf", value: <HashText hash={inclusion.leaf} isWhole /> },
            {
              name: "Sibling hashes",
              value:
                inclusion.path.length === 0 ? (
                  "none: this is the only entry"
                ) : (
                  <ol className="grid gap-0.5">
                    {inclusion.path.map((hash, height) => (
                      // biome-ignore lint/suspicious/noArrayIndexKey: the position identifies a hash.
                      <li key={height}>
                        <HashText hash={hash} isWhole />
                      </li>
                    ))}
                  </ol>
                ),
            },
            { name: "Root", value: <HashText hash={proof.root} isWhole /> },
            { name: "Entries covered", value: proof.size.toLocaleString("en-GB") },
            ...(head === null
              ? []
              : [
                  { name: "Signed", value: <TimeText at={head.at} as="clock" /> },
                  { name: "Signed by", value: <HashText hash={head.key_id} isWhole /> },
                ]),
          ]}
        />
      </section>
      <div className="flex items-center gap-2">
        <CopyButton text={JSON.stringify(proof, null, 2)} contentName="proof" />
        <span className="text-sm text-muted-foreground">
          Anyone can check it at <code className="font-mono">/verify</code>.
        </span>
      </div>
    </div>
  );
}

function ProofVerdict({ checked: { proof, signature, findings } }: { readonly checked: CheckedProof }) {
  const { inclusion, root, head } = proof;
  const subject = inclusion.log === "feed" ? `Message ${inclusion.number}` : `Version ${inclusion.number}`;
  const [first, ...otherFindings] = findings;
  if (first !== undefined) {
    return (
      <Verdict tone="wrong" title={first}>
        {otherFindings.map((each) => (
          <p key={each}>{each}</p>
        ))}
        <p>This doesn’t prove {subject.toLowerCase()}. Ask for the original proof.</p>
      </Verdict>
    );
  }
  const verdictTitle = (
    <>
      {subject} leads to root <HashText hash={root} />, computed here.
    </>
  );
  if (signature === "holds") return <Verdict tone="holds" title={verdictTitle} />;
  return (
    <Verdict tone="unsure" title={verdictTitle}>
      {head === null ? (
        <p>The root has no signature in this proof. Compare it with a root that you saved yourself.</p>
      ) : (
        <p>
          It is signed by a key that this browser doesn’t know: <HashText hash={head.key_id} isWhole />.
          Compare the key with the person who runs the broker.
        </p>
      )}
    </Verdict>
  );
}

const contentTexts: Readonly<Record<CheckedProof["content"], string>> = {
  matches: "matches its hash, computed here",
  removed: "removed; only its hash remains",
  private: "private; only its hash is in the record",
  differs: "differs from the recorded text",
};

function listEntryFacts({ proof: { inclusion }, content }: CheckedProof): readonly FactEntry[] {
  const { entry, log, number } = inclusion;
  const facts: (FactEntry | null)[] = [
    { name: log === "feed" ? "Message" : "Version", value: number.toLocaleString("en-GB") },
    toTextFact("Kind", entry["kind"]),
    toTextFact("By", describeAuthor(entry["from"]) ?? entry["written_by"]),
    toTextFact("To", describeRecipients(entry["to"])),
    toTimeFact("Posted", entry["posted_at"] ?? entry["written_at"]),
    { name: "Text", value: <RecordedText content={inclusion.content} words={contentTexts[content]} /> },
    typeof entry["content_hash"] === "string"
      ? { name: "Text hash", value: <HashText hash={entry["content_hash"]} isWhole /> }
      : null,
    inclusion.salt === null ? null : { name: "Salt", value: <HashText hash={inclusion.salt} isWhole /> },
  ];
  return facts.filter((fact) => fact !== null);
}

function toTextFact(name: string, value: unknown): FactEntry | null {
  return typeof value === "string" ? { name, value: <bdi>{showHidden(value)}</bdi> } : null;
}

function toTimeFact(name: string, value: unknown): FactEntry | null {
  const isTime = typeof value === "string" && !Number.isNaN(Date.parse(value));
  return isTime ? { name, value: <TimeText at={value} as="clock" /> } : toTextFact(name, value);
}

function describeAuthor(from: unknown): string | null {
  const { team, peer } = Object(from);
  if (typeof team !== "string") return null;
  return typeof peer === "string" ? `${team} / ${peer}` : team;
}

function describeRecipients(to: unknown): string | null {
  if (!Array.isArray(to)) return null;
  return to.map((name) => (name === "*" ? "everyone" : String(name))).join(", ");
}

const textCharsMax = 280;

/** The recorded text, as it was hashed, with the result of its check. */
function RecordedText({ content, words }: { readonly content: string | null; readonly words: string }) {
  return (
    <>
      {content !== null && (
        <span dir="auto" className="line-clamp-3 font-mono text-xs leading-5 break-all">
          {showHidden(content.length > textCharsMax ? `${content.slice(0, textCharsMax)}…` : content)}
        </span>
      )}
      {words}
    </>
  );
}
