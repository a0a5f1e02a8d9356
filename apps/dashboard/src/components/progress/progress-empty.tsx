import { Button } from "@/components/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/components/ui/empty";
import { setQuery } from "@/lib/query/address";
import { isNarrowed, nothingChosen, type ProgressChoice } from "./progress-choice";

/** Why there is nothing, and the next step. */
export function ProgressEmpty({ choice, session }: { choice: ProgressChoice; session: string | null }) {
  if (isNarrowed(choice) || choice.before !== null) {
    return (
      <Empty>
        <EmptyTitle>Nothing found</EmptyTitle>
        <EmptyDescription>
          Words are found by their stem, in titles, texts and tags; “quoted” ones together, -word leaves out.
        </EmptyDescription>
        <Button variant="outline" onClick={() => setQuery({ ...nothingChosen, project: choice.project })}>
          Show all entries
        </Button>
      </Empty>
    );
  }
  if (choice.project !== null) {
    return (
      <Empty>
        <EmptyTitle>Nothing was logged in this project</EmptyTitle>
        <Button variant="outline" onClick={() => setQuery({ project: null })}>
          Show all projects
        </Button>
      </Empty>
    );
  }
  return (
    <Empty>
      <EmptyTitle>{session === null ? "No progress yet" : "Nothing was logged here yet"}</EmptyTitle>
      <EmptyDescription>
        What was done, and how, stands here for whoever works on it next: agents log it with log_progress, you
        with the button above.
      </EmptyDescription>
    </Empty>
  );
}
