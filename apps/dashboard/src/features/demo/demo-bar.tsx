"use client";

import { Sparkles } from "lucide-react";
import { enterMesh } from "@/identity/chosen-mesh";
import { Button } from "@/ui/button";

/** Shows that this is the demo room, with a link to leave it. */
export function DemoBar() {
  return (
    <aside
      aria-label="Demo"
      className="fixed inset-x-0 bottom-0 z-30 flex h-11 items-center gap-2 border-t bg-surface px-4 max-md:bottom-[calc(3.5rem+env(safe-area-inset-bottom))]"
    >
      <Sparkles aria-hidden className="size-4 shrink-0 text-primary" />
      <p className="min-w-0 flex-1 truncate text-sm">
        Demo room.{" "}
        <span className="text-muted-foreground">
          The agents are scripted; everything else is real. Your answer decides how it ends.
        </span>
      </p>
      <Button variant="outline" size="sm" onClick={() => enterMesh("main")}>
        Exit demo
      </Button>
    </aside>
  );
}
