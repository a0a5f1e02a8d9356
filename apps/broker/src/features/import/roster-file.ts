import { randomBytes } from "node:crypto";
import type { ImportedPeerRow, ImportedTeamRow } from "@merkle/db";
import { limits } from "@merkle/wire/limits";
import { bundleFiles } from "@merkle/wire/record";
import type { ZippedFiles } from "@merkle/wire/record/zip";
import { Timestamp, Uuid } from "@merkle/wire/schemas";
import * as z from "zod";
import { deriveId } from "../../core/message.js";
import { sha256 } from "../../core/sha256.js";
import { readSmallFile } from "./read-file.js";

const Name = z.string().min(1).max(120);

const RosterFile = z.object({
  participants: z.array(
    z.object({
      team_id: Uuid,
      team_name: Name,
      kind: z.enum(["agent", "human", "guest"]),
      convener: z.boolean(),
      joined_at: Timestamp,
      left_at: Timestamp.nullable(),
    }),
  ),
  peers: z.array(
    z.object({
      peer_id: Uuid,
      team_id: Uuid,
      name: Name.nullable(),
      role: z.string().max(limits.nameCharsMax).nullable(),
      groups: z.array(z.object({ name: Name, role: z.string().nullable() })).max(limits.groupsPerPeerMax),
      joined_at: Timestamp,
      left_at: Timestamp.nullable(),
    }),
  ),
});

/**
 * Returns the teams listed in the bundle, the convener first. The teams are only for display: no caller on
 * this broker can act as one of them. Invalid entries are skipped, because messages contain the names of
 * their authors anyway.
 */
export async function readRosterFile(bundle: ZippedFiles, until: Date): Promise<ImportedTeamRow[]> {
  const parsed = RosterFile.safeParse(parse(await readSmallFile(bundle, bundleFiles.roster)));
  if (!parsed.success) return [];
  const { participants, peers } = parsed.data;
  const names = new Set<string>();
  const teams = participants.filter(({ team_name }) => {
    const isFirst = !names.has(team_name.toLowerCase());
    names.add(team_name.toLowerCase());
    return isFirst;
  });
  return teams
    .map((team, colour) => ({
      team,
      row: {
        team_id: team.team_id,
        name: team.team_name,
        kind: team.kind,
        secret_hash: createUnknownSecret(),
        joined_at: team.joined_at,
        left_at: team.left_at ?? until.toISOString(),
        colour,
        peers: [
          createUnnamedPeer(team, until),
          ...peers
            .filter((peer) => peer.team_id === team.team_id && peer.name !== null)
            .map((peer) => toPeer(peer, until)),
        ],
      },
    }))
    .sort((a, b) => Number(b.team.convener) - Number(a.team.convener))
    .map(({ row }) => row);
}

type RosterFile = z.output<typeof RosterFile>;

function createUnnamedPeer(team: RosterFile["participants"][number], until: Date): ImportedPeerRow {
  return {
    peer_id: deriveId(["imported peer", team.team_id]),
    name: null,
    secret_hash: null,
    role: null,
    groups: [],
    joined_at: team.joined_at,
    left_at: team.left_at ?? until.toISOString(),
  };
}

function toPeer(peer: RosterFile["peers"][number], until: Date): ImportedPeerRow {
  const { peer_id, name, role, groups, joined_at, left_at } = peer;
  return {
    peer_id,
    name,
    secret_hash: createUnknownSecret(),
    role,
    groups,
    joined_at,
    left_at: left_at ?? until.toISOString(),
  };
}

/** Returns the hash of a random secret that is never stored or returned, so no credential matches it. */
function createUnknownSecret(): string {
  return sha256(randomBytes(32), "hex");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
