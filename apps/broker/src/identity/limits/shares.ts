import { MerkleError } from "@merkle/wire";
import { type Share, type ShareName, shares as usualShares } from "@merkle/wire/limits";
import { findTokenNumber, type Principal } from "../principal.js";

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
  take(name: ShareName, holder: ShareHolder): OperationSlot;
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

export interface OperationSlot {
  /** Runs the work when it is the holder's turn. Holders alternate, regardless of how many slots each has. */
  run<Result>(run: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /** Releases the slot. Further calls do nothing. */
  release(): void;
}

/**
 * Returns the holder of a request's slots: the principal if it is identified, otherwise the team or person,
 * otherwise the address.
 */
export function toShareHolder(
  principal: Principal | null,
  actor: string | undefined,
  addressBlock: string,
): ShareHolder {
  const isObserver = principal?.kind === "observer";
  if (principal?.kind === "member") return { key: `member ${principal.memberId}`, isObserver };
  if (principal?.kind === "client") return { key: `member ${principal.memberId}`, isObserver };
  if (principal?.kind === "job") return { key: `job ${principal.meshId} ${principal.job}`, isObserver };
  if (principal?.kind === "observer")
    return { key: `observer ${principal.meshId} ${findTokenNumber(principal)}`, isObserver };
  return { key: actor ?? `address ${addressBlock}`, isObserver };
}

export function createShares(shares: Readonly<Record<ShareName, Share>> = usualShares): Shares {
  const pools = new Map<ShareName, SlotTaker>();

  function getPool(name: ShareName): SlotTaker {
    const pool = pools.get(name) ?? createSlotPool(name, shares[name]);
    pools.set(name, pool);
    return pool;
  }

  return {
    take: (name, holder) => getPool(name)(holder),
    async run(name, holder, work, signal) {
      const slot = getPool(name)(holder);
      try {
        return await slot.run(work, signal);
      } finally {
        slot.release();
      }
    },
  };
}

type SlotTaker = (holder: ShareHolder) => OperationSlot;

interface HolderState {
  readonly atOnceMax: number;
  slots: number;
  working: number;
  readonly waiting: (() => void)[];
}

function createSlotPool(name: ShareName, { each, observer, waiting, total }: Share): SlotTaker {
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

  async function runInTurn<Result>(
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
    const holder = holders.get(key) ?? { atOnceMax, slots: 0, working: 0, waiting: [] };
    if (holder.slots >= atOnceMax + waiting) throw noSlot(name, atOnceMax);
    holders.set(key, holder);
    holder.slots += 1;
    let isTaken = true;
    return {
      run: (run, signal) => runInTurn(holder, run, signal),
      release() {
        if (!isTaken) return;
        isTaken = false;
        holder.slots -= 1;
        if (holder.slots === 0) holders.delete(key);
      },
    };
  };
}

const shareDescriptions: Readonly<Record<ShareName, string>> = {
  export: "exports",
  import: "imports",
  stream: "event streams",
  file: "uploads and downloads",
  search: "searches",
  history_page: "pages of history",
};

function noSlot(name: ShareName, max: number): MerkleError {
  return new MerkleError(
    "too_many_requests",
    `You have too many ${shareDescriptions[name]} in progress: the limit is ${max} at the same time. Wait for one to finish, then try again.`,
    { limit: name, at_once: max, retry_after_s: 1 },
  );
}
