import { Button } from "@/ui/button";
import { Empty, EmptyTitle } from "@/ui/empty";

/** Shown if no session matches the filters. */
export function NoneFound({ words, onShowAll }: { words: string; onShowAll: () => void }) {
  return (
    <Empty>
      <EmptyTitle>{words}</EmptyTitle>
      <Button variant="outline" onClick={onShowAll}>
        Show all sessions
      </Button>
    </Empty>
  );
}
