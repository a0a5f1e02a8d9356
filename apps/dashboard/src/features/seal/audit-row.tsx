"use client";

import type { Message } from "@merkle/wire";
import { CircleCheckBig, type LucideIcon, PencilLine, ShieldCheck, Users } from "lucide-react";
import { HashText } from "@/components/hash-text";
import { setQuery } from "@/core/address/address";
import { describeEvent, type EventText } from "@/feed/store/describe-event";
import { readMessageText } from "@/feed/store/message-text";
import { useSession } from "@/sessions/session-context";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Button } from "@/ui/button";
import { type AuditKind, auditKindLabels, findAuditKind } from "./audit-kinds";
import { LogRow } from "./log-row";
import { clipLine } from "./work";

const icons: Readonly<Record<AuditKind, LucideIcon>> = {
  people: Users,
  session: PencilLine,
  decision: CircleCheckBig,
  record: ShieldCheck,
};

/** An event in the audit log: its description, reason, time, sequence, and a link to its proof. */
export function AuditRow({ message }: { readonly message: Message }) {
  const { session } = useSession();
  const { sequence, posted_at } = message;
  const kind = findAuditKind(message) ?? "session";
  const { text, reason } = describeEntry(message);
  return (
    <LogRow
      Icon={icons[kind]}
      at={posted_at}
      link={{ href: `/sessions/${session.slug}?m=${sequence}`, title: "Show in feed", text: `#${sequence}` }}
      action={
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
      }
    >
      <p>
        <span className="sr-only">{auditKindLabels[kind]}: </span>
        {text}
      </p>
      {reason !== null && <p className="text-sm text-muted-foreground">Reason: {reason}</p>}
      <SealNote head={message["head"]} />
    </LogRow>
  );
}

function describeEntry(message: Message): EventText {
  if (message.type === "system") return describeEvent(message);
  const author = showHidden(message.from?.team ?? "");
  return { text: `\u2068${author}\u2069 decided: ${clipLine(readMessageText(message))}`, reason: null };
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
