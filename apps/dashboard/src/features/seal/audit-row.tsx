"use client";

import type { Message } from "@merkle/wire";
import { CircleCheckBig, type LucideIcon, PencilLine, ShieldCheck, Users } from "lucide-react";
import { HashText } from "@/components/hash-text";
import { PageLink } from "@/components/page-link";
import { TimeText } from "@/components/time-text";
import { setQuery } from "@/core/address/address";
import { describeEvent, type EventText } from "@/feed/store/describe-event";
import { readMessageText } from "@/feed/store/message-text";
import { useSession } from "@/sessions/session-context";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Button } from "@/ui/button";
import { type AuditKind, auditKindLabels, findAuditKind } from "./audit-kinds";

const icons: Readonly<Record<AuditKind, LucideIcon>> = {
  people: Users,
  session: PencilLine,
  decision: CircleCheckBig,
  record: ShieldCheck,
};

const decisionCharsMax = 300;

/** An event in the audit log: its description, reason, time, sequence, and a link to its proof. */
export function AuditRow({ message }: { readonly message: Message }) {
  const { session } = useSession();
  const { sequence, posted_at } = message;
  const kind = findAuditKind(message) ?? "session";
  const Icon = icons[kind];
  const { text, reason } = describeEntry(message);
  return (
    <li className="grid grid-cols-[1rem_minmax(0,1fr)_auto] items-baseline gap-x-3 px-3 py-row">
      <Icon aria-hidden className="size-4 translate-y-0.5 text-muted-foreground" />
      <div dir="auto" className="min-w-0 break-words">
        <p>
          <span className="sr-only">{auditKindLabels[kind]}: </span>
          {text}
        </p>
        {reason !== null && <p className="text-sm text-muted-foreground">Reason: {reason}</p>}
        <SealNote head={message["head"]} />
        <TimeText at={posted_at} as="clock" className="text-sm text-muted-foreground sm:hidden" />
      </div>
      <span className="flex items-baseline gap-1 text-sm text-muted-foreground tabular-nums">
        <TimeText at={posted_at} as="clock" className="pe-1 max-sm:hidden" />
        <PageLink
          href={`/sessions/${session.slug}?m=${sequence}`}
          title="Show in feed"
          className="inline-flex min-h-6 min-w-10 items-center justify-end rounded-sm px-1 text-link hover:underline pointer-coarse:min-h-11 pointer-coarse:min-w-11"
        >
          #{sequence}
        </PageLink>
        <Button
          variant="ghost"
          size="sm"
          className="-my-1"
          aria-label={`Proof of message ${sequence}`}
          aria-haspopup="dialog"
          onClick={() => setQuery({ proof: String(sequence) })}
        >
          Proof
        </Button>
      </span>
    </li>
  );
}

function describeEntry(message: Message): EventText {
  if (message.type === "system") return describeEvent(message);
  const text = readMessageText(message).replace(/\s+/g, " ").trim();
  const shortText = text.length > decisionCharsMax ? `${text.slice(0, decisionCharsMax)}…` : text;
  return {
    text: `\u2068${showHidden(message.from?.team ?? "")}\u2069 decided: ${showHidden(shortText)}`,
    reason: null,
  };
}

/** The size and root that were signed with a conclusion. */
function SealNote({ head }: { readonly head: unknown }) {
  const { size, root } = Object(head);
  if (typeof size !== "number" || typeof root !== "string") return null;
  return (
    <p className="text-sm text-muted-foreground">
      Sealed {size.toLocaleString("en-GB")} {size === 1 ? "message" : "messages"}, root{" "}
      <HashText hash={root} />
    </p>
  );
}
