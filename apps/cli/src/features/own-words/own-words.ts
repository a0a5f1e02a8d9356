import type { OwnWordsPart } from "../../identity/own-words.js";
import { bindLaunch, unbindLaunch } from "./own-launch.js";
import { recogniseOwnWords } from "./recognise.js";
import { signPost } from "./sign-post.js";

export const ownWords: OwnWordsPart = {
  bind: bindLaunch,
  unbind: unbindLaunch,
  sign: signPost,
  recognise: (message, reader) => recogniseOwnWords(message, { ...reader, now: new Date() }),
};
