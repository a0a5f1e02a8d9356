import type { Job } from "@merkle/wire";
import { PageLink } from "@/components/page-link";
import { placeHref } from "@/lib/sources/place-href";

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
  job: Job,
  { kind: made, id }: NonNullable<Job["result"]>,
): { readonly text: string; readonly href: string } {
  const home = `/sessions/${job.session}`;
  switch (made) {
    case "proposal":
      return job.kind === "conclude"
        ? { text: "The drafted conclusion", href: conclusionAddress(home) }
        : { text: `Proposal ${id}`, href: placeHref(job, { proposal: id }) };
    case "perspective":
      return { text: "What it came to", href: placeHref(job, { perspective: job.persona_name }) };
    case "conclusion":
      return { text: `Concluded with document v${id}`, href: `${home}/doc?v=${id}` };
  }
}

/** Where the dialog that concludes a session is open, with the draft that there is. */
export function conclusionAddress(home: string): string {
  return `${home}/jobs?conclude=1`;
}
