"use client";

import { createContext, use } from "react";
import type { Refusal } from "@/broker/refusal";

export type SessionDialog = "edit" | "hold" | "budget" | "agent" | "conclude" | "invite" | "observe";

/** The actions on a session as a whole, available anywhere on its page. */
export interface SessionActions {
  open(dialog: SessionDialog): void;
  openMenu(anchor: HTMLElement): void;
  resume(): void;
  readonly isResuming: boolean;
  /** The reason why the last attempt to resume failed. */
  readonly resumeRefusal: Refusal | null;
}

export const SessionActionsContext = createContext<SessionActions | null>(null);

export function useSessionActions(): SessionActions {
  const actions = use(SessionActionsContext);
  if (actions === null) throw new Error("useSessionActions is called outside of a session's page.");
  return actions;
}
