"use client";

import { ChevronDown, CircleCheckBig, Ellipsis, Pause, Play, UserPlus } from "lucide-react";
import { useState } from "react";
import { PageHeader } from "@/components/page-header";
import { cn } from "@/core/utils";
import { useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { SessionCounts } from "./session-counts";
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
  const { session, looksOn } = useSession();
  const { open, resume, resuming, openMenu } = useSessionActions();
  const active = session.status === "active" && !looksOn;
  return (
    <div className="flex shrink-0 items-center gap-1.5">
      {active && (
        <Button variant="outline" size="sm" onClick={() => open("invite")}>
          <UserPlus aria-hidden /> <span className="max-sm:sr-only">Invite</span>
        </Button>
      )}
      {active && session.held === null && (
        <Button variant="outline" size="sm" className="hidden md:inline-flex" onClick={() => open("hold")}>
          <Pause aria-hidden /> Hold
        </Button>
      )}
      {active && session.held !== null && (
        <Button
          variant="outline"
          size="sm"
          className="hidden md:inline-flex"
          disabled={resuming}
          onClick={() => resume()}
        >
          <Play aria-hidden /> Resume
        </Button>
      )}
      {active && (
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
