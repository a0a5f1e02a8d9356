import type { OutputOf } from "@merkle/wire";
import { TimeText } from "@/components/time-text";
import { setQuery } from "@/core/address/address";
import { Skeleton } from "@/ui/skeleton";

export interface ProjectListProps {
  readonly projects: OutputOf<"list_progress_projects"> | undefined;
  readonly chosen: string | null;
}

/** The list of projects next to the entries. On a narrow screen, a filter selects the project instead. */
export function ProjectList({ projects, chosen }: ProjectListProps) {
  const hidden = projects ? projects.total - projects.projects.length : 0;
  return (
    <nav aria-label="Projects" className="hidden min-w-0 lg:block">
      <h2 className="px-2 pb-1 text-sm font-medium text-muted-foreground">Projects</h2>
      {projects === undefined ? (
        <Skeleton className="h-24" />
      ) : (
        <ul className="space-y-0.5">
          <li>
            <ProjectButton name="All projects" project={null} isChosen={chosen === null} />
          </li>
          {projects.projects.map(({ projectId, entries, lastAt }) => (
            <li key={projectId}>
              <ProjectButton
                name={projectId}
                project={projectId}
                isChosen={projectId === chosen}
                entries={entries}
                lastAt={lastAt}
              />
            </li>
          ))}
          {hidden > 0 && (
            <li className="px-2 py-1 text-sm text-muted-foreground">
              {hidden} more without recent entries. Search covers them, too.
            </li>
          )}
        </ul>
      )}
    </nav>
  );
}

interface ProjectButtonProps {
  readonly name: string;
  readonly project: string | null;
  readonly isChosen: boolean;
  readonly entries?: number;
  readonly lastAt?: string;
}

function ProjectButton({ name, project, isChosen, entries, lastAt }: ProjectButtonProps) {
  return (
    <button
      type="button"
      aria-current={isChosen ? "true" : undefined}
      onClick={() => setQuery({ project, before: null, p: null })}
      className="grid w-full min-w-0 grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-2 rounded-md px-2 py-1 text-left text-muted-foreground hover:bg-raised hover:text-foreground aria-[current=true]:bg-raised aria-[current=true]:text-foreground"
    >
      <bdi className={isChosen ? "truncate font-medium" : "truncate"}>{name}</bdi>
      {entries !== undefined && (
        <span className="text-xs tabular-nums">
          {entries}
          <span className="sr-only"> {entries === 1 ? "entry" : "entries"}</span>
        </span>
      )}
      {lastAt !== undefined && <TimeText at={lastAt} className="col-span-2 text-xs text-muted-foreground" />}
    </button>
  );
}
