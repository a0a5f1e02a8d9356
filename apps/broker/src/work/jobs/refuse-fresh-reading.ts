import { findBestPerspective } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import { requirePersona } from "../personas/persona-output.js";
import { readFileSource, readSource, toPerspective } from "../perspectives/perspective-output.js";
import type { JobSource } from "./queue-job.js";
import type { JobServices } from "./services.js";

/** A reading that somebody asks for. */
export type WantedReading = JobSource & {
  readonly persona_name: string;
  /** Whether it is wanted although there is one that still holds. */
  readonly again: boolean;
};

/**
 * The name of the persona to read as, as the mesh has it (PERSPECTIVE-1).
 *
 * @throws not_found for a persona that is not there; conflict for one that was retired, and with the perspective that there is
 * already while neither text nor persona has changed since
 */
export async function refuseFreshReading(
  services: Pick<JobServices, "database" | "sources">,
  wanted: WantedReading,
): Promise<string> {
  const { persona_name, again } = wanted;
  const { orm, meshId } = services.database;
  const { name, nameKey, retired } = await requirePersona(orm, meshId, persona_name);
  if (retired) throw isRetired(name);
  if (again) return name;
  const source =
    "file" in wanted
      ? await readFileSource(services, wanted.file)
      : await readSource(orm, meshId, wanted.session);
  const best = await findBestPerspective(orm, source, nameKey);
  if (best && !toPerspective(best, source).stale) throw isFresh(name, nameOf(wanted), best.number);
  return name;
}

function isRetired(persona_name: string): MerkleError {
  return new MerkleError(
    "conflict",
    `The persona ${JSON.stringify(persona_name)} is retired, and nothing is read as it any more. A person can restore it (Settings → Personas).`,
    { persona_name },
  );
}

function nameOf(source: JobSource): string {
  return "file" in source
    ? `${source.file.root}/${source.file.path}`
    : `The document of "${source.session.slug}"`;
}

function isFresh(persona_name: string, what: string, perspective_id: number): MerkleError {
  return new MerkleError(
    "conflict",
    `${what} was read as ${persona_name} since both last changed: perspective ${perspective_id} (get_perspective). \`again: true\` has it read once more.`,
    { perspective_id, persona_name },
  );
}
