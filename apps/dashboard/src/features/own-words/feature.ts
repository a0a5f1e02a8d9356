import type { Feature } from "@/parts/feature";

const load = () => import("./settings");

export const ownWords: Feature = { loadSettings: load, loadSigner: load };
