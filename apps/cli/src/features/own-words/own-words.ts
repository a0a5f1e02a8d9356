import type { OwnWordsPart } from "../../identity/own-words.js";
import { bindLaunch, findOwnLaunch, unbindLaunch } from "./own-launch.js";
import { acceptsAnswer, recogniseOwnWords } from "./recognise.js";
import { signAnswer, signPost } from "./sign-post.js";

export const ownWords: OwnWordsPart = {
  bind: bindLaunch,
  unbind: unbindLaunch,
  sign: signPost,
  signAnswer,
  isBound: ({ home, storedPeerId }) => findOwnLaunch(home, storedPeerId) !== undefined,
  acceptsAnswer: (answer, own, reader) => acceptsAnswer(answer, own, { ...reader, now: new Date() }),
  recognise: (message, reader) => recogniseOwnWords(message, { ...reader, now: new Date() }),
};
