"use client";

import { useAdmitted } from "@/broker/use-admitted";
import { lazyPart } from "@/core/lazy-part";
import { useSession } from "@/sessions/session-context";
import { InviteDialog } from "@/views/people/invite-dialog";
import { ObserverDialog } from "@/views/people/observer-dialog";

const BringDialog = lazyPart(() => import("./bring-dialog"), "BringDialog");

export interface SessionShareProps {
  readonly kind: "invite" | "observe";
  readonly onClose: () => void;
}

/** Invites people to this session, as members of the mesh or as observers of only this session. */
export function SessionShare({ kind, onClose }: SessionShareProps) {
  const { session } = useSession();
  const isMember = useAdmitted()?.as.kind === "member";
  // An open broker has no members: anyone who knows its address has full access.
  if (!isMember) {
    return <BringDialog slug={session.slug} title={session.title} onClose={onClose} />;
  }
  return kind === "invite" ? (
    <InviteDialog session={session} onMade={() => undefined} onClose={onClose} />
  ) : (
    <ObserverDialog session={session} onClose={onClose} />
  );
}
