import { ArrowDown } from "lucide-react";
import { Button } from "@/components/ui/button";

/** Says that the feed does not follow, what came meanwhile, and leads to its end. */
export function NewPill({ count, onEnd }: { readonly count: number; readonly onEnd: () => void }) {
  return (
    <div className="pointer-events-none absolute inset-x-0 bottom-2 z-10 flex justify-center">
      <Button
        variant="outline"
        size="sm"
        title="To the end  E"
        className="pointer-events-auto rounded-full bg-background px-3 shadow-md tabular-nums"
        onClick={onEnd}
      >
        <ArrowDown aria-hidden />
        {count > 0 && `${count.toLocaleString("en")} new · `}
        following paused
      </Button>
    </div>
  );
}
