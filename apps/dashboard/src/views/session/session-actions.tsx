"use client";

import { type ReactNode, useMemo, useState } from "react";
import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { usePaletteAction } from "@/core/keyboard/use-palette-action";
import { lazyPart } from "@/core/lazy-part";
import { useSession } from "@/sessions/session-context";
import { type SessionActions, SessionActionsContext, type SessionDialog } from "./use-session-actions";

const EditDialog = lazyPart(() => import("./edit-dialog"), "EditDialog");
const HoldDialog = lazyPart(() => import("./hold-dialog"), "HoldDialog");
const BudgetDialog = lazyPart(() => import("./budget-dialog"), "BudgetDialog");
const AgentDialog = lazyPart(() => import("./agent-dialog"), "AgentDialog");
const ConcludeDialog = lazyPart(() => import("./conclude-dialog"), "ConcludeDialog");
const SessionShare = lazyPart(() => import("./session-share"), "SessionShare");
const SessionMenu = lazyPart(() => import("./session-menu"), "SessionMenu");

/** Provides the dialogs and the menu of a session. Each of them loads when it is first opened. */
export function SessionActionsProvider({ children }: { children: ReactNode }) {
  const { session, isObserver, refresh } = useSession();
  const call = useCall();
  const [dialog, setDialog] = useState<SessionDialog | null>(null);
  const [menuAnchor, setMenuAnchor] = useState<HTMLElement | null>(null);
  const { run, isPending, refusal } = useAction();
  const { session_id } = session;

  const actions = useMemo<SessionActions>(
    () => ({
      open: setDialog,
      openMenu: (anchor) => setMenuAnchor((now) => (now === anchor ? null : anchor)),
      resume() {
        void run(async (signal) => {
          await call("resume_session", { session_id }, { signal });
          refresh();
        });
      },
      isResuming: isPending,
      resumeRefusal: refusal,
    }),
    [run, call, session_id, refresh, isPending, refusal],
  );

  const close = () => setDialog(null);
  const isActive = session.status === "active" && !isObserver;
  const isHeld = session.held !== null;
  useCommand("edit-session", "Edit title and description", () => setDialog("edit"), isActive);
  useCommand("hold-session", "Hold session", () => setDialog("hold"), isActive && !isHeld);
  useCommand("resume-session", "Resume session", actions.resume, isActive && isHeld);
  useCommand("message-budget", "Change budgets", () => setDialog("budget"), isActive);
  useCommand("conclude-session", "Conclude session", () => setDialog("conclude"), isActive);
  return (
    <SessionActionsContext value={actions}>
      {children}
      {menuAnchor && <SessionMenu anchor={menuAnchor} onClose={() => setMenuAnchor(null)} />}
      {dialog === "edit" && <EditDialog onClose={close} />}
      {dialog === "hold" && <HoldDialog onClose={close} />}
      {dialog === "budget" && <BudgetDialog onClose={close} />}
      {dialog === "agent" && <AgentDialog onClose={close} />}
      {dialog === "conclude" && <ConcludeDialog onClose={close} />}
      {(dialog === "invite" || dialog === "observe") && <SessionShare kind={dialog} onClose={close} />}
    </SessionActionsContext>
  );
}

/** Adds the action to the command palette while it is available. */
function useCommand(id: string, label: string, run: () => void, isOffered: boolean): void {
  usePaletteAction(isOffered ? { id, label, run } : null);
}
