import { Button } from "@/components/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/components/ui/empty";
import { setQuery } from "@/lib/query/address";

/** A document in which nothing stands, and what to do about it. */
export function DocumentEmpty({ version, canEdit }: { version: number; canEdit: boolean }) {
  return (
    <Empty>
      <EmptyTitle>{version === 0 ? "Nothing is written yet" : "The document is empty"}</EmptyTitle>
      <EmptyDescription>
        {canEdit ? "Peers write here; you can too." : "In this version nothing stands in it."}
      </EmptyDescription>
      {canEdit && (
        <Button variant="outline" onClick={() => setQuery({ edit: "1" })}>
          Write the first version
        </Button>
      )}
    </Empty>
  );
}
