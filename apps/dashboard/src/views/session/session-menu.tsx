"use client";

import {
  BellRing,
  Bot,
  CircleCheckBig,
  Eye,
  Gauge,
  Link2,
  Pause,
  Pencil,
  Play,
  UserPlus,
} from "lucide-react";
import { useState } from "react";
import { useAdmitted } from "@/broker/use-admitted";
import { AnchoredPopover } from "@/components/anchored-popover";
import { MenuItem, MenuNote } from "@/components/menu-item";
import { RefusalNote } from "@/components/refusal-note";
import { copyText } from "@/core/copy-text";
import { useSession } from "@/sessions/session-context";
import { useNudge } from "@/sessions/use-nudge";
import { useSessionActions } from "./use-session-actions";

/** The menu of actions on a session. Actions that have a result keep the menu open to show it. */
export function SessionMenu({ anchor, onClose }: { anchor: HTMLElement; onClose: () => void }) {
  const { session, myTeamId, isObserver } = useSession();
  const { open, resume } = useSessionActions();
  const isMember = useAdmitted()?.as.kind === "member";
  const active = session.status === "active" && !isObserver;
  const mayRevise = session.status === "closed" && myTeamId !== null;

  function close(then: () => void): () => void {
    return () => {
      onClose();
      // A closing dialog returns the focus to the previously focused element. This menu will no longer exist then, so
      // its anchor gets the focus first.
      anchor.focus();
      then();
    };
  }

  return (
    <AnchoredPopover label="This session" anchor={anchor} onClose={onClose} align="end" className="w-72 p-1">
      <div className="grid">
        {active && (
          <>
            <MenuItem icon={Pencil} onClick={close(() => open("edit"))}>
              Edit title and description…
            </MenuItem>
            {session.held === null ? (
              <MenuItem icon={Pause} onClick={close(() => open("hold"))}>
                Hold…
              </MenuItem>
            ) : (
              <MenuItem icon={Play} onClick={close(resume)}>
                Resume
              </MenuItem>
            )}
            <MenuItem icon={Gauge} onClick={close(() => open("budget"))}>
              Budgets…
            </MenuItem>
            <MenuItem icon={Bot} onClick={close(() => open("agent"))}>
              Who can conclude…
            </MenuItem>
            <NudgeAll />
          </>
        )}
        <CopyLink />
        {isMember && (
          <>
            <MenuItem icon={UserPlus} onClick={close(() => open("invite"))}>
              Invite people…
            </MenuItem>
            <MenuItem icon={Eye} onClick={close(() => open("observe"))}>
              Share a view-only link…
            </MenuItem>
          </>
        )}
        {(active || mayRevise) && (
          <MenuItem icon={CircleCheckBig} onClick={close(() => open("conclude"))}>
            {active ? "Conclude…" : "Revise conclusion…"}
          </MenuItem>
        )}
      </div>
    </AnchoredPopover>
  );
}

function NudgeAll() {
  const { nudge, pending, told, refusal } = useNudge("*");
  return (
    <>
      <MenuItem icon={BellRing} disabled={pending} onClick={nudge}>
        {pending ? "Nudging…" : "Nudge all"}
      </MenuItem>
      <MenuNote>{told}</MenuNote>
      <RefusalNote refusal={refusal} className="m-1" />
    </>
  );
}

function CopyLink() {
  const { session } = useSession();
  const [told, setTold] = useState("");

  async function copy(): Promise<void> {
    const address = new URL(`/sessions/${session.slug}`, window.location.origin).href;
    setTold((await copyText(address)) ? "Link copied." : `Couldn't copy: ${address}`);
  }

  return (
    <>
      <MenuItem icon={Link2} onClick={() => void copy()}>
        Copy link
      </MenuItem>
      <MenuNote>{told}</MenuNote>
    </>
  );
}
