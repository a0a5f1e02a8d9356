import { MerkleError } from "@merkle/wire";
import { type Share, type ShareName, shares as usualShares } from "@merkle/wire/limits";
import { type Principal, tokenOf } from "../principal.js";

/**
 * Slots for slow operations (GUARD-24). Each principal has its own slots, so that no principal can take all
 * of them. The limit for all principals together counts only slots in which the broker is working, not slots
 * that wait for a client.
 */
export interface Shares {
  /**
   * Reserves a slot for a holder.
   *
   * @throws too_many_requests if the holder has no free slot
   */
  take(name: ShareName, holder: ShareHolder): Place;
  /** Reserves a slot, does the work and releases the slot. */
  run<Result>(
    name: ShareName,
    holder: ShareHolder,
    work: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result>;
}

export interface ShareHolder {
  readonly key: string;
  readonly isObserver: boolean;
}

export interface Place {
  /** Runs the work when it is the holder's turn. Holders alternate, regardless of how many slots each has. */
  work<Result>(run: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /** Releases the slot. Further calls do nothing. */
  leave(): void;
}

/**
 * Returns the holder of a request's slots: the principal if it is identified, otherwise the team or person,
 * otherwise the address.
 */
export function shareHolderOf(
  principal: Principal | null,
  actor: string | undefined,
  addressBlock: string,
): ShareHolder {
  const isObserver = principal?.kind === "observer";
  if (principal?.kind === "member") return { key: `member ${principal.memberId}`, isObserver };
  if (principal?.kind === "client") return { key: `member ${principal.memberId}`, isObserver };
  if (principal?.kind === "job") return { key: `job ${principal.meshId} ${principal.job}`, isObserver };
  if (principal?.kind === "observer")
    return { key: `observer ${principal.meshId} ${tokenOf(principal)}`, isObserver };
  return { key: actor ?? `address ${addressBlock}`, isObserver };
}

export function createShares(shares: Readonly<Record<ShareName, Share>> = usualShares): Shares {
  const rooms = new Map<ShareName, TakePlace>();

  function roomOf(name: ShareName): TakePlace {
    const room = rooms.get(name) ?? createRoom(name, shares[name]);
    rooms.set(name, room);
    return room;
  }

  return {
    take: (name, holder) => roomOf(name)(holder),
    async run(name, holder, work, signal) {
      const place = roomOf(name)(holder);
      try {
        return await place.work(work, signal);
      } finally {
        place.leave();
      }
    },
  };
}

type TakePlace = (holder: ShareHolder) => Place;

interface HolderState {
  readonly atOnceMax: number;
  places: number;
  working: number;
  readonly waiting: (() => void)[];
}

function createRoom(name: ShareName, { each, observer, waiting, total }: Share): TakePlace {
  /** All holders, ordered by the time of their last turn. The holder that has waited longest comes first. */
  const holders = new Map<string, HolderState>();
  let working = 0;

  function begin(holder: HolderState): void {
    holder.working += 1;
    working += 1;
  }

  function mayWork(holder: HolderState): boolean {
    return holder.working < holder.atOnceMax && (total === null || working < total);
  }

  function serveNext(): void {
    for (const [key, holder] of holders) {
      if (!mayWork(holder)) continue;
      const next = holder.waiting.shift();
      if (!next) continue;
      holders.delete(key);
      holders.set(key, holder);
      begin(holder);
      next();
      return serveNext();
    }
  }

  async function work<Result>(
    holder: HolderState,
    run: () => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    if (holder.waiting.length === 0 && mayWork(holder)) begin(holder);
    else await new Promise<void>((resolve) => holder.waiting.push(resolve));
    try {
      signal?.throwIfAborted();
      return await run();
    } finally {
      holder.working -= 1;
      working -= 1;
      serveNext();
    }
  }

  return ({ key, isObserver }) => {
    const atOnceMax = isObserver ? observer : each;
    const holder = holders.get(key) ?? { atOnceMax, places: 0, working: 0, waiting: [] };
    if (holder.places >= atOnceMax + waiting) throw noPlace(name, atOnceMax);
    holders.set(key, holder);
    holder.places += 1;
    let isTaken = true;
    return {
      work: (run, signal) => work(holder, run, signal),
      leave() {
        if (!isTaken) return;
        isTaken = false;
        holder.places -= 1;
        if (holder.places === 0) holders.delete(key);
      },
    };
  };
}

const described: Readonly<Record<ShareName, string>> = {
  export: "exports",
  import: "imports",
  stream: "event streams",
  search: "searches",
  history_page: "pages of history",
};

function noPlace(name: ShareName, max: number): MerkleError {
  return new MerkleError(
    "too_many_requests",
    `You have too many ${described[name]} in progress: the limit is ${max} at the same time. Wait for one to finish, then try again.`,
    { limit: name, at_once: max, retry_after_s: 1 },
  );
}
