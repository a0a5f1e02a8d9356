"use client";

import type { OutputOf } from "@merkle/wire";
import { ChevronDown, CircleCheckBig, Ellipsis, Pause, Play, UserPlus } from "lucide-react";
import { useState } from "react";
import { PageHeader } from "@/components/page-header";
import { TimeText } from "@/components/time-text";
import { cn } from "@/core/utils";
import { useSession } from "@/sessions/session-context";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { TitleBlock } from "./title-block";
import { useSessionActions } from "./use-session-actions";

/** The breadcrumb, title, state and actions of the session. */
export function SessionHeader() {
  const { session } = useSession();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <PageHeader
        crumbs={[{ label: "Sessions", href: "/" }, { label: session.title }]}
        actions={
          <>
            <Button
              variant="ghost"
              size="icon"
              aria-label="About this session"
              aria-expanded={isOpen}
              className="md:hidden"
              onClick={() => setOpen(!isOpen)}
            >
              <ChevronDown aria-hidden className={cn(isOpen && "rotate-180")} />
            </Button>
            <HeaderActions />
          </>
        }
      />
      {/* On a phone the page header above already shows the title, and the feed needs the space. */}
      <div
        className={cn(
          "flex flex-wrap items-start justify-between gap-x-6 gap-y-1 px-4 pt-2 pb-2 lg:px-6",
          !isOpen && "max-md:sr-only",
        )}
      >
        <TitleBlock />
        <SessionCounts />
      </div>
    </>
  );
}

/** The most used actions as buttons, if there is space. The menu contains all actions. */
function HeaderActions() {
  const { session, isObserver } = useSession();
  const { open, resume, isResuming, openMenu } = useSessionActions();
  const isActive = session.status === "active" && !isObserver;
  return (
    <div className="flex shrink-0 items-center gap-1.5">
      {isActive && (
        <Button variant="outline" size="sm" onClick={() => open("invite")}>
          <UserPlus aria-hidden /> <span className="max-sm:sr-only">Invite</span>
        </Button>
      )}
      {isActive && session.held === null && (
        <Button variant="outline" size="sm" className="hidden md:inline-flex" onClick={() => open("hold")}>
          <Pause aria-hidden /> Hold
        </Button>
      )}
      {isActive && session.held !== null && (
        <Button
          variant="outline"
          size="sm"
          className="hidden md:inline-flex"
          disabled={isResuming}
          onClick={() => resume()}
        >
          <Play aria-hidden /> Resume
        </Button>
      )}
      {isActive && (
        <Button
          variant="outline"
          size="sm"
          className="hidden md:inline-flex"
          onClick={() => open("conclude")}
        >
          <CircleCheckBig aria-hidden /> Conclude
        </Button>
      )}
      <Button
        variant="ghost"
        size="icon"
        aria-label="More about this session"
        aria-haspopup="dialog"
        onClick={(event) => openMenu(event.currentTarget)}
      >
        <Ellipsis aria-hidden />
      </Button>
    </div>
  );
}

/** The state of the session, and its counts. */
function SessionCounts() {
  const { session } = useSession();
  const { message_budget } = session.settings;
  const state = toSessionState(session);
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 pt-1 text-sm text-muted-foreground tabular-nums">
      <Badge className={cn("font-mono tracking-wide", stateClasses[state])}>{state}</Badge>
      {session.closed_at !== null && (
        <span>
          since <TimeText at={session.closed_at} as="clock" />
        </span>
      )}
      <span>{describeCount(session.teams, "team")}</span>
      <span>{describeCount(session.last_sequence, "message")}</span>
      <span>
        {session.document_version === 0 ? "no document yet" : `document v${session.document_version}`}
      </span>
      {message_budget > 0 && session.status === "active" && (
        <span
          className={cn(session.agent_messages >= message_budget && "font-medium text-warning")}
          title="Messages from agents since a human last posted"
        >
          budget {session.agent_messages} / {message_budget}
        </span>
      )}
    </p>
  );
}

const stateClasses: Record<SessionState, string> = {
  OPEN: "border-success/40 text-success",
  HELD: "border-warning/50 text-warning",
  QUIET: "border-border text-muted-foreground",
  CLOSED: "border-border text-muted-foreground",
};

type SessionState = "CLOSED" | "HELD" | "QUIET" | "OPEN";

/** Returns the session's state in one word. States that stop the session take precedence. */
function toSessionState(
  session: Pick<OutputOf<"get_session">, "status" | "held" | "quiet_since">,
): SessionState {
  if (session.status === "closed") return "CLOSED";
  if (session.held !== null) return "HELD";
  return session.quiet_since === null ? "OPEN" : "QUIET";
}

function describeCount(count: number, one: string): string {
  // Avoids Intl.NumberFormat, which takes some milliseconds to initialise.
  const digits = String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
  return `${digits} ${one}${count === 1 ? "" : "s"}`;
}
