"use client";

import { useSession } from "@/sessions/session-context";
import { InviteDialog } from "@/views/people/invite-dialog";
import { ObserverDialog } from "@/views/people/observer-dialog";

export interface SessionShareProps {
  readonly kind: "invite" | "observe";
  readonly onClose: () => void;
}

/** Brings others to this session: as members of the mesh, or to look on in this one alone. */
export function SessionShare({ kind, onClose }: SessionShareProps) {
  const { session } = useSession();
  return kind === "invite" ? (
    <InviteDialog session={session} onMade={() => undefined} onClose={onClose} />
  ) : (
    <ObserverDialog session={session} onClose={onClose} />
  );
}
