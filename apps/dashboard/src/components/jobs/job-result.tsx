import type { Job } from "@merkle/wire";
import { PageLink } from "@/components/page-link";
import { sourceHref } from "@/lib/sources/source-href";

/** What a job made, as the way to it. */
export function JobResult({ job }: { readonly job: Job }) {
  const { result } = job;
  if (result === null) return null;
  const { text, href } = toTarget(job, result);
  return (
    <PageLink
      href={href}
      // On touch it reaches further than it looks.
      className="relative inline-flex min-h-6 items-center text-link underline-offset-4 hover:underline pointer-coarse:after:absolute pointer-coarse:after:-inset-x-2 pointer-coarse:after:-inset-y-2.5"
    >
      {text}
    </PageLink>
  );
}

function toTarget(
  { kind, persona_name, session, source_path: file }: Job,
  { kind: made, id }: NonNullable<Job["result"]>,
): { readonly text: string; readonly href: string } {
  const home = `/sessions/${session}`;
  switch (made) {
    case "proposal":
      if (file !== null) return { text: `Proposal ${id}`, href: sourceHref({ file, proposal: id }) };
      return kind === "conclude"
        ? { text: "The drafted conclusion", href: conclusionAddress(home) }
        : { text: `Proposal ${id}`, href: `${home}/doc?proposal=${id}` };
    case "perspective":
      return {
        text: "What it came to",
        href:
          file === null
            ? `${home}/doc?perspective=${encodeURIComponent(persona_name ?? "")}`
            : sourceHref({ file }),
      };
    case "conclusion":
      return { text: `Concluded with document v${id}`, href: `${home}/doc?v=${id}` };
  }
}

/** Where the dialog that concludes a session is open, with the draft that there is. */
export function conclusionAddress(home: string): string {
  return `${home}/jobs?conclude=1`;
}
