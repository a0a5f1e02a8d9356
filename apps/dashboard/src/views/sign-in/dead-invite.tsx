"use client";

import { DateText } from "@/components/date-text";
import type { InvitePreview } from "@/identity/join";
import { clearSecret } from "@/identity/tab-secret";
import { Button } from "@/ui/button";

type DeadState = Exclude<InvitePreview["state"], "open">;

const titles: Readonly<Record<DeadState, string>> = {
  used: "This invite has already been used",
  expired: "This invite has expired",
  revoked: "This invite was revoked",
};

/** Shown for an invite that is no longer valid. Says why, and whom to ask for a new invite. */
export function DeadInvite({
  state,
  preview,
}: {
  readonly state: DeadState;
  readonly preview: InvitePreview;
}) {
  const { inviter, title, mesh, expires_at } = preview;
  return (
    <>
      <div className="grid gap-2">
        <h1 className="text-title font-semibold">{titles[state]}</h1>
        <p className="text-muted-foreground">
          <bdi>{inviter}</bdi> invited to <bdi className="font-medium text-foreground">{title ?? mesh}</bdi>.{" "}
          {state === "expired" && (
            <>
              It was valid until <DateText at={expires_at} />.
            </>
          )}
          {state === "used" && "It has reached its limit."}
          {state === "revoked" && "It no longer works. People who joined with it stay members."}
        </p>
        <p>
          Ask <bdi className="font-medium">{inviter}</bdi> for a new one.
        </p>
      </div>
      <PasteAnother />
    </>
  );
}

export function UnknownInvite() {
  return (
    <>
      <div className="grid gap-2">
        <h1 className="text-title font-semibold">Invite not found</h1>
        <p className="text-muted-foreground">
          The link may be incomplete or belong to another broker. A spoken code is valid for 10 minutes and up
          to 5 wrong tries. Ask the sender for a new invite.
        </p>
      </div>
      <PasteAnother />
    </>
  );
}

/** Discards the invite link and asks for another link or a sign-in. */
function PasteAnother() {
  return (
    <div className="flex flex-wrap gap-2 border-t pt-5">
      <Button
        variant="outline"
        onClick={() => {
          clearSecret("join");
          window.location.reload();
        }}
      >
        Use another link
      </Button>
    </div>
  );
}
