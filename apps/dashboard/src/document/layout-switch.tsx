"use client";

import { usePreference } from "@/core/preferences/use-preference";
import { Button } from "@/ui/button";

/** Switches diffs between one and two columns. */
export function LayoutSwitch() {
  const [layout, setLayout] = usePreference("diff");
  return (
    <fieldset className="hidden items-center rounded-lg border p-0.5 @min-[44rem]:flex">
      <legend className="sr-only">Layout</legend>
      {(["unified", "split"] as const).map((each) => (
        <Button
          key={each}
          variant="ghost"
          size="sm"
          aria-pressed={layout === each}
          className="h-6 capitalize aria-pressed:bg-raised"
          onClick={() => setLayout(each)}
        >
          {each}
        </Button>
      ))}
    </fieldset>
  );
}
