"use client";

import type { Message, OutputOf } from "@merkle/wire";
import { beyondWakingText, isBeyondWaking } from "@merkle/wire/text";
import { useRead } from "@/broker/use-read";
import { useSession } from "@/sessions/session-context";
import { showHidden } from "@/text/markdown/hidden-characters";
import { MessageLink } from "./message-link";

type Status = OutputOf<"message_status">;

const namedMax = 6;

/** The delivery status of the user's own message: posted, delivered to whom, answered. */
export function DeliveryLine({ message }: { readonly message: Message }) {
  const { session, at } = useSession();
  const { data, problem } = useRead(
    "message_status",
    at === null ? { session_id: session.session_id, message: message.sequence } : null,
    { on: ["delivery"] },
  );
  if (!data)
    return <p className="mt-0.5 text-sm text-muted-foreground">posted{problem && ", delivery unknown"}</p>;
  const { delivered, recipients, answered } = data;
  return (
    <div className="mt-0.5 flex flex-wrap items-baseline gap-x-1.5 text-sm text-muted-foreground tabular-nums">
      {recipients.length === 0 ? (
        "posted, no one else has joined yet"
      ) : (
        <details className="group/delivery">
          <summary className="min-h-6 cursor-pointer list-none rounded-sm py-0.5 hover:text-foreground pointer-coarse:py-3">
            {delivered === 0
              ? `posted, delivered 0/${recipients.length}`
              : `delivered ${delivered}/${recipients.length}`}
            {delivered < recipients.length && <Waiting recipients={recipients} />}
          </summary>
          <ul className="mt-1 grid gap-0.5 border-s ps-2">
            {recipients.map((recipient) => (
              <li key={`${recipient.team}/${recipient.peer ?? ""}`}>
                <bdi>{formatName(recipient)}</bdi>: {describe(recipient)}
              </li>
            ))}
          </ul>
        </details>
      )}
      {answered && (
        <span>
          · answered{" "}
          <MessageLink sequence={answered.message} className="text-link underline underline-offset-2">
            #{answered.message}
          </MessageLink>
        </span>
      )}
    </div>
  );
}

type DeliveryRecipient = Status["recipients"][number];

function Waiting({ recipients }: { readonly recipients: readonly DeliveryRecipient[] }) {
  const waiting = recipients.filter(({ delivered }) => !delivered);
  const hiddenCount = waiting.length - namedMax;
  return (
    <>
      {" · not yet "}
      {waiting.slice(0, namedMax).map((recipient, index) => (
        <span key={`${recipient.team}/${recipient.peer ?? ""}`}>
          {index > 0 && ", "}
          <bdi>{formatName(recipient)}</bdi>
          {describeDeclared(recipient) !== null && ` (${describeDeclared(recipient)})`}
        </span>
      ))}
      {hiddenCount > 0 && ` and ${hiddenCount} more`}
    </>
  );
}

function formatName({ team, peer }: DeliveryRecipient): string {
  return showHidden(peer === null ? team : `${team}/${peer}`);
}

/** Returns the status that a peer declared itself, if it explains why the message is not delivered yet. */
function describeDeclared({ declared }: DeliveryRecipient): string | null {
  if (declared === "blocked") return "blocked";
  return declared === "dnd" ? "do not disturb" : null;
}

function describe(recipient: DeliveryRecipient): string {
  const reach = describeReach(recipient);
  const declaredStatus = recipient.delivered ? null : describeDeclared(recipient);
  return declaredStatus === null ? reach : `${declaredStatus}, ${reach}`;
}

function describeReach({ delivered, delivered_at, status, declared, wake }: DeliveryRecipient): string {
  if (delivered)
    return delivered_at === null
      ? "delivered"
      : `delivered ${new Date(delivered_at).toLocaleTimeString("en-GB")}`;
  if (status === "disconnected") return "offline, delivered on return";
  if (wake.length === 0) return `${status}, reads at its next poll`;
  return `${status}, ${isBeyondWaking(wake, declared) ? beyondWakingText : "can be woken"}`;
}
