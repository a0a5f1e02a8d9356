"use client";

import { ArrowRight, Sparkles } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useAction } from "@/broker/use-action";
import { useAppInfo } from "@/broker/use-app-info";
import { useBroker } from "@/broker/use-broker";
import { useRead } from "@/broker/use-read";
import { RefusalNote } from "@/components/refusal-note";
import { Snippet } from "@/components/snippet";
import { useSessionRef } from "@/core/address/use-session-ref";
import { isInDemo } from "@/identity/chosen-mesh";
import { Button } from "@/ui/button";
import { DemoEnd, ExitDemo } from "./demo-end";
import { DemoScene } from "./demo-scene";

/** A card that opens the demo room. */
export function Welcome() {
  const { data: info } = useAppInfo();
  const broker = useBroker();
  const { run, isPending, refusal } = useAction();

  function open(): void {
    void run(async (signal) => {
      const { mesh, session } = await broker.call("open_demo_room", {}, { signal });
      // A page shows a single mesh, so opening the demo's mesh requires a page load.
      window.location.assign(`/sessions/${session}?mesh=${mesh}`);
    });
  }

  if (!info || isInDemo) return null;
  return (
    <section
      aria-label="Demo"
      className="grid items-center gap-6 overflow-hidden rounded-2xl border bg-surface p-6 md:grid-cols-[minmax(0,1fr)_minmax(0,1.1fr)] md:p-8"
    >
      <div className="grid justify-items-start gap-3">
        <h3 className="text-title font-semibold text-balance">Two agents disagree. They need you.</h3>
        <p className="text-pretty text-muted-foreground">
          Watch Atlas and Birch argue about a login service, answer the question they can’t settle, and see
          both act on your answer. It takes a minute. Nothing is installed, and no model is used.
        </p>
        {info.auth === "open" ? (
          <>
            <Button onClick={open} disabled={isPending} className="mt-1 h-10 px-4">
              {isPending ? "Opening…" : "Open demo room"} <ArrowRight aria-hidden />
            </Button>
            <RefusalNote refusal={refusal} />
          </>
        ) : (
          <Snippet label="In a terminal" text="merkle demo" className="w-full max-w-80" />
        )}
      </div>
      <DemoScene />
    </section>
  );
}

/** Shows that this is the demo room, with a link to leave it. Once the demo has ended, shows how to continue. */
export function DemoBar() {
  const ref = useSessionRef();
  // The session's page makes the same read and repeats it with each message, so the end is noticed at once.
  const { data: session } = useRead("get_session", ref === undefined ? null : { session_id: ref }, {
    on: ["session", "document", "roster", "tasks", "person"],
  });
  const [isFolded, setFolded] = useState(false);
  const isEnded = session?.status === "closed";
  return (
    <BottomEdge>
      {isEnded && !isFolded ? (
        <DemoEnd slug={session.slug} onFold={() => setFolded(true)} />
      ) : (
        <div className="flex min-h-11 items-center gap-2 px-4">
          <Sparkles aria-hidden className="size-4 shrink-0 text-primary" />
          <p className="min-w-0 flex-1 truncate text-sm">
            Demo room.{" "}
            <span className="text-muted-foreground">
              {isEnded
                ? "It has ended."
                : "The agents are scripted; everything else is real. Your answer decides how it ends."}
            </span>
          </p>
          {isEnded && (
            <Button variant="ghost" size="sm" onClick={() => setFolded(false)}>
              Next step
            </Button>
          )}
          <ExitDemo />
        </div>
      )}
    </BottomEdge>
  );
}

/** An area at the bottom of the window, of any height. The page's content ends above it. */
function BottomEdge({ children }: { readonly children: ReactNode }) {
  const area = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = area.current;
    const shell = element?.parentElement;
    if (!element || !shell) return;
    const observer = new ResizeObserver(() => {
      const covered = window.innerHeight - element.getBoundingClientRect().top;
      shell.style.setProperty("--bottom-bar", `${covered}px`);
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      shell.style.removeProperty("--bottom-bar");
    };
  }, []);
  return (
    <aside
      ref={area}
      aria-label="Demo"
      className="fixed inset-x-0 bottom-0 z-30 max-h-[50dvh] overflow-y-auto border-t bg-surface max-md:bottom-[calc(3.5rem+env(safe-area-inset-bottom))] print:hidden"
    >
      {children}
    </aside>
  );
}
