import { Button } from "@/ui/button";
import { Empty, EmptyTitle } from "@/ui/empty";

/** In place of a list that the filters leave empty. */
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
