"use client";

import { ChartGantt, PanelLeftClose, PanelRightClose, X } from "lucide-react";
import { type CSSProperties, useRef, useState } from "react";
import { PanelBoundary } from "@/components/panel-boundary";
import { useQueryParam } from "@/core/address/use-query-param";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { lazyPart } from "@/core/lazy-part";
import { usePreference } from "@/core/preferences/use-preference";
import { useMediaQuery } from "@/core/use-media-query";
import { cn } from "@/core/utils";
import { Composer } from "@/feed/compose/composer";
import { FeedPane } from "@/feed/pane/feed-pane";
import { Parts, useHasPart } from "@/parts/features-context";
import { useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { Splitter } from "@/ui/splitter";
import { DocumentPane } from "./document-part";

const ConclusionCard = lazyPart(() => import("./conclusion-card"), "ConclusionCard");
const ClosedNote = lazyPart(
  () => import("./closed-note"),
  "ClosedNote",
  <div className="h-14 border-t bg-surface" />,
);

type FoldedPane = "feed" | "document" | null;

/**
 * Feed and document. From 1024 px on they are side by side, and the user can move the divider or fold one of them. Very wide
 * screens have a third column. On narrower screens, `?pane=doc` shows the document over the feed. On a phone it replaces the
 * feed.
 */
export function LiveView() {
  const { session, isObserver, at } = useSession();
  const [split, setSplit] = usePreference("split");
  const [folded, setFolded] = useState<FoldedPane>(null);
  const [pane, setPane] = useQueryParam("pane");
  const box = useRef<HTMLDivElement>(null);
  const [showsTime, setShowsTime] = useState(false);
  const hasRoomForThree = useMediaQuery("(min-width: 150rem)");
  const hasThird = useHasPart(({ session: parts }) => parts?.BesideFeed);
  const hasTime = useHasPart(({ session: parts }) => parts?.UnderFeed);
  const showsDocument = pane === "doc";
  const closeDocument = () => setPane(null);
  // A CSS variable, because only the class for wide screens uses the size of the feed.
  const share: CSSProperties & Record<"--feed-share", string> = { "--feed-share": `${split}%` };

  useShortcut("Escape", () => showsDocument && closeDocument(), {
    label: "Close document",
    group: "Session",
    enabled: showsDocument,
  });
  useShortcut("[", () => setFolded((now) => (now === null ? "feed" : null)), {
    label: "Hide or show the feed",
    group: "Session",
  });
  useShortcut("]", () => setFolded((now) => (now === null ? "document" : null)), {
    label: "Hide or show the document",
    group: "Session",
  });

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-0 flex-1">
        <div ref={box} className="relative flex min-h-0 min-w-0 flex-1">
          <section
            aria-label="Feed"
            className={cn(
              "flex min-h-0 min-w-0 flex-1 flex-col lg:flex-none lg:basis-(--feed-share)",
              showsDocument && "max-md:hidden",
              folded === "feed" && "lg:hidden",
              folded === "document" && "lg:flex-1",
            )}
            style={share}
          >
            {/* At a past moment the session was not concluded yet. */}
            {session.status === "closed" && at === null && <ConclusionCard />}
            <div className="flex min-h-0 flex-1 flex-col">
              <PanelBoundary title="Feed">
                <FeedPane
                  tools={
                    hasTime && (
                      <Button
                        variant="ghost"
                        size="sm"
                        aria-expanded={showsTime}
                        className="text-muted-foreground md:hidden"
                        onClick={() => setShowsTime(!showsTime)}
                      >
                        <ChartGantt aria-hidden /> Time
                      </Button>
                    )
                  }
                />
              </PanelBoundary>
            </div>
            {session.status === "closed" ? <ClosedNote /> : !isObserver && <Composer />}
          </section>
          {folded === null ? (
            <Splitter box={box} percent={split} onPercent={setSplit} />
          ) : (
            <Unfold folded={folded} onUnfold={() => setFolded(null)} />
          )}
          <div
            className={cn(
              "min-h-0 min-w-0 flex-1 flex-col bg-background lg:flex",
              showsDocument
                ? "flex md:max-lg:absolute md:max-lg:inset-y-0 md:max-lg:right-0 md:max-lg:z-20 md:max-lg:w-xl md:max-lg:max-w-full md:max-lg:border-l md:max-lg:shadow-lg"
                : "hidden",
              folded === "document" && "lg:hidden",
            )}
          >
            <div className="hidden justify-end border-b px-2 py-1 md:max-lg:flex">
              <Button variant="ghost" size="sm" onClick={closeDocument}>
                <X aria-hidden /> Close document
              </Button>
            </div>
            <PanelBoundary title="Document">
              <DocumentPane />
            </PanelBoundary>
          </div>
        </div>
        {hasRoomForThree && hasThird && (
          <div className="flex min-h-0 w-2xl shrink-0 flex-col border-l min-[200rem]:w-4xl">
            <Parts select={({ session: parts }) => parts?.BesideFeed} />
          </div>
        )}
      </div>
      <div className={cn(!showsTime && "max-md:hidden")}>
        <PanelBoundary title="The timeline">
          <Parts select={({ session: parts }) => parts?.UnderFeed} />
        </PanelBoundary>
      </div>
    </div>
  );
}

/** The narrow edge that expands the folded pane. */
function Unfold({ folded, onUnfold }: { folded: "feed" | "document"; onUnfold: () => void }) {
  const Icon = folded === "feed" ? PanelRightClose : PanelLeftClose;
  return (
    <button
      type="button"
      onClick={onUnfold}
      title={`Show ${folded} ${folded === "feed" ? "[" : "]"}`}
      aria-label={`Show ${folded}`}
      className={cn(
        "hidden w-8 shrink-0 justify-center bg-surface pt-3 text-muted-foreground hover:bg-raised hover:text-foreground lg:flex",
        folded === "feed" ? "order-first border-r" : "order-last border-l",
      )}
    >
      <Icon aria-hidden className="size-4" />
    </button>
  );
}
