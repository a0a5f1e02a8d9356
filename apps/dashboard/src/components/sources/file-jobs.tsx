import { SourceJobs } from "@/components/jobs/source-jobs";
import { Empty, EmptyDescription, EmptyTitle } from "@/components/ui/empty";

/** What agents were asked to do about a file, and how that goes. */
export function FileJobs() {
  return (
    <section aria-label="Jobs" className="grid max-w-4xl gap-3 p-4 lg:p-6">
      <SourceJobs
        none={
          <Empty className="rounded-lg border">
            <EmptyTitle>No jobs yet</EmptyTitle>
            <EmptyDescription>
              Send a comment on the file to the agent, or have the file read from a perspective.
            </EmptyDescription>
          </Empty>
        }
      />
    </section>
  );
}
