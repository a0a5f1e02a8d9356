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
import { Parts } from "@/parts/features-context";
import { useSession } from "@/sessions/session-context";
import { useNudge } from "@/sessions/use-nudge";
import { useSessionActions } from "./use-session-actions";

/** The menu of actions on a session. Actions that have a result keep the menu open to show it. */
export function SessionMenu({ anchor, onClose }: { anchor: HTMLElement; onClose: () => void }) {
  const { session, myTeamId, isObserver } = useSession();
  const { open, resume } = useSessionActions();
  const isMember = useAdmitted()?.as.kind === "member";
  const isActive = session.status === "active" && !isObserver;
  const canRevise = session.status === "closed" && myTeamId !== null;

  function close(action: () => void): () => void {
    return () => {
      onClose();
      // A closing dialog returns the focus to the previously focused element. This menu will no longer exist then, so
      // its anchor gets the focus first.
      anchor.focus();
      action();
    };
  }

  return (
    <AnchoredPopover label="This session" anchor={anchor} onClose={onClose} align="end" className="w-72 p-1">
      <div className="grid">
        {isActive && (
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
        <Parts select={({ session: parts }) => parts?.MenuItem} given={{ close }} />
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
        {(isActive || canRevise) && (
          <MenuItem icon={CircleCheckBig} onClick={close(() => open("conclude"))}>
            {isActive ? "Conclude…" : "Revise conclusion…"}
          </MenuItem>
        )}
      </div>
    </AnchoredPopover>
  );
}

function NudgeAll() {
  const { nudge, isPending, resultText, refusal } = useNudge("*");
  return (
    <>
      <MenuItem icon={BellRing} disabled={isPending} onClick={nudge}>
        {isPending ? "Nudging…" : "Nudge all"}
      </MenuItem>
      <MenuNote>{resultText}</MenuNote>
      <RefusalNote refusal={refusal} className="m-1" />
    </>
  );
}

function CopyLink() {
  const { session } = useSession();
  const [statusText, setStatusText] = useState("");

  async function copy(): Promise<void> {
    const address = new URL(`/sessions/${session.slug}`, window.location.origin).href;
    setStatusText((await copyText(address)) ? "Link copied." : `Couldn't copy: ${address}`);
  }

  return (
    <>
      <MenuItem icon={Link2} onClick={() => void copy()}>
        Copy link
      </MenuItem>
      <MenuNote>{statusText}</MenuNote>
    </>
  );
}
