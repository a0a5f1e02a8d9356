import { Button } from "@/ui/button";
import { Empty, EmptyTitle } from "@/ui/empty";

/** A list that is empty because of what was asked for. */
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
