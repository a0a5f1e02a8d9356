import { Snippet } from "@/components/snippet";
import { Empty, EmptyDescription, EmptyTitle } from "@/components/ui/empty";

const config = `{
  "agent": {
    "author_name": "Merkle Agent",
    "author_email": "agent@example.com",
    "roots": { "docs": "/srv/handbook" }
  }
}`;

/** How there come to be files here. */
export function NoRoots() {
  return (
    <Empty className="rounded-lg border">
      <EmptyTitle>No files to work on</EmptyTitle>
      <EmptyDescription>
        Agents can work on the files of a Git repository as they do on a session’s document. In{" "}
        <code className="font-mono text-sm">config.json</code> of the broker’s home,{" "}
        <code className="font-mono text-sm">agent.roots</code> names folders, each the top of a Git
        repository, and <code className="font-mono text-sm">author_name</code> with{" "}
        <code className="font-mono text-sm">author_email</code> say whose commits they will be. They hold from
        the next <code className="font-mono text-sm">merkle up</code>, in the main mesh alone.
      </EmptyDescription>
      <div className="w-full max-w-xl text-start">
        <Snippet label="config.json" text={config} />
      </div>
    </Empty>
  );
}
