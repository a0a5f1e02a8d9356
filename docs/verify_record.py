#!/usr/bin/env python3
"""Checks the record of a Merkle session, an exported bundle, with Python's standard library alone.

    python3 verify_record.py session.zip [the broker's public key in base64url]

It shares no code with Merkle and follows docs/record.md, so that two programs agree on what a record holds. It prints the
first things that are wrong and exits with 8, or prints the root and exits with 0. Without a key to compare with it believes
the keys of the bundle: then compare the key that it prints with one that you know from elsewhere.
"""
import base64
import hashlib
import json
import sys
import zipfile

findings = []


def wrong(sentence):
    findings.append(sentence)


# Canonical JSON (RFC 8785). Numbers stay as they are written, which in canonical text is the one way to write them.
class Number(str):
    pass


def parse(line):
    return json.loads(line, parse_int=Number, parse_float=Number, parse_constant=lambda name: 1 / 0)


def canonical(value):
    if isinstance(value, Number):
        return value
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(value[name])}" for name in names) + "}"
    return json.dumps(value, ensure_ascii=False)


# The tree (RFC 9162, section 2.1), grown at its end.
def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


class Tree:
    def __init__(self):
        self.size, self.edge = 0, []  # Complete subtrees from left to right.

    def push(self, leaf):
        self.size += 1
        self.edge.append(leaf)
        size = self.size
        while size % 2 == 0:
            right, left = self.edge.pop(), self.edge.pop()
            self.edge.append(sha256(b"\1", left, right))
            size //= 2

    def root(self):
        if not self.edge:
            return sha256().hex()
        root = self.edge[-1]
        for left in reversed(self.edge[:-1]):
            root = sha256(b"\1", left, root)
        return root.hex()


# Signatures: ed25519 (RFC 8032, section 6), slow and short.
P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def add(p, q):
    (x1, y1, z1, t1), (x2, y2, z2, t2) = p, q
    a, b = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P
    c, d = 2 * t1 * t2 * D % P, 2 * z1 * z2 % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(number, point):
    product = (0, 1, 1, 0)
    while number > 0:
        if number & 1:
            product = add(product, point)
        point, number = add(point, point), number >> 1
    return product


def point(data):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - square) % P:
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


BASE = point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def unbase64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def is_signed(key, purpose, value, signature):
    message = f"merkle {purpose} v1\n{canonical(value)}".encode()
    key, signature = unbase64(key), unbase64(signature)
    a, r, s = point(key), point(signature[:32]), int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L or len(key) != 32 or len(signature) != 64:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    left, right = times(s, BASE), add(r, times(h, a))
    return all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))


def without(value, *names):
    return {name: value[name] for name in value if name not in names}


# Entries: what is hashed of a message and of a version.
def feed_entry(message, content_hash):
    content = message["content"]
    kind = content.get("event" if message["type"] == "system" else "kind")
    names = ("session_id", "sequence", "id", "type", "posted_by_team_id", "from", "to", "priority", "posted_at")
    entry = {name: message[name] for name in names}
    entry.update(kind=kind if type(kind) is str else None, reply_to=message.get("reply_to"), content_hash=content_hash)
    if content.get("private") is True:
        entry["private"] = {"bytes": content["bytes"]}
    return entry


def kept(message):
    """What may be shown of a message without a salt: the rest of a removed one, or a private one's length."""
    content, name = message["content"], "event" if message["type"] == "system" else "kind"
    private = {key: content[key] for key in ("private", "bytes") if key in content and "private" in content}
    if content.get("redacted") is not True:
        return private
    return {**{name: content[name] for _ in (1,) if type(content.get(name)) is str}, **private, "redacted": True}


def check_log(bundle, file, one, heads, record_id):
    """Follows one log; returns its tree and the last version's text."""
    tree, text, number, removed = Tree(), "", 0, set()
    for number, line in enumerate(read_lines(bundle, file), 1):
        try:
            row = parse(line)
            if canonical(row) != line:
                raise ValueError("it is not canonical JSON")
            about = row["message" if one == "message" else "version"]
            content, salt = (about["content"] if one == "message" else row["content"]), row["salt"]
            hashed = canonical(content) if one == "message" else content
            content_hash = row["content_hash"]
            if salt is not None:
                content_hash = sha256(bytes.fromhex(salt), hashed.encode()).hex()
            elif (content != kept(about)) if one == "message" else content is not None:
                wrong(f"{one} {number} has a text that no hash vouches for")
            if one == "message":
                given = set(about) - {"reply_to"} - set(content if about["type"] == "system" else ())
                if given - {"session_id", "sequence", "id", "type", "posted_by_team_id", "from", "to", "priority",
                            "posted_at", "content"}:
                    raise ValueError("it says more than is hashed")
                if about["type"] == "system" and any(about[name] != content[name] for name in content):
                    raise ValueError("its event is not its content")
            entry = feed_entry(about, content_hash) if one == "message" else {**about, "content_hash": content_hash}
            if int(about["sequence" if one == "message" else "version"]) != number or about["session_id"] != record_id:
                wrong(f"{one} {number} is missing, or another stands in its place")
        except (ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError, RecursionError) as reason:
            wrong(f"the line of {one} {number} cannot be read: {reason!r}")
            continue
        before, leaf = tree.root(), sha256(b"\0", canonical(entry).encode())
        tree.push(leaf)
        if content_hash != row["content_hash"] or leaf.hex() != row["hash"]:
            wrong(f"{one} {number} is not what was recorded")
        elif tree.root() != row["root"]:
            wrong(f"the root beside {one} {number} is another than that of the hashes up to it")
        if one == "message":
            removed.update([number] if content.get("redacted") is True and salt is None else [])
            removed.discard(int(about.get("reply_to", 0)) if content.get("event") == "message_redacted" else 0)
        seal = content.get("head") if one == "message" and content.get("event") == "session_concluded" else None
        if seal and (int(seal["size"]) != number - 1 or seal["root"] != before):
            wrong(f"the seal in message {number} is not over the messages before it")
        for head in heads.pop(number, ()):
            if head["root"] != tree.root() or head.get("hash", row["content_hash"]) != row["content_hash"]:
                wrong(f"the head over {one}s 1 to {number} has another root: one of them was changed")
        text = content
    for sequence in sorted(removed):
        wrong(f"message {sequence} has no text, and no message says that it was removed")
    for size in sorted(heads):
        if size > number:
            wrong(f"{one} {number + 1} is missing at the end: a head is over {size}")
    return tree, text


def read_lines(bundle, file):
    with bundle.open(file) as lines:
        for line in lines:
            yield line.decode().removesuffix("\n")


def check(path, known_key):
    bundle = zipfile.ZipFile(path)
    keys = {key["key_id"]: key for key in parse(bundle.read("keys.json"))}
    for key_id, key in keys.items():
        if sha256(unbase64(key["public_key"])).hex()[:32] != key_id:
            wrong(f"key {key_id} is not the one that its id is made from")
        if key["succession"] is not None:
            about = without(key, "key_id", "succession")
            if not is_signed(keys[key["previous"]]["public_key"], "audit key succession", about, key["succession"]):
                wrong(f"key {key_id} is not vouched for by the one before it")

    manifest = parse(bundle.read("manifest.json"))
    record_id = manifest["session"]["session_id"]
    if not is_signed(keys[manifest["key_id"]]["public_key"], "bundle", without(manifest, "signature"), manifest["signature"]):
        wrong("the manifest's signature does not hold")
    heads, versions = {}, {}
    for head in [*map(parse, read_lines(bundle, "heads.ndjson")), manifest["head"]]:
        signed = is_signed(keys[head["key_id"]]["public_key"], "head", without(head, "signature"), head["signature"])
        if not signed or head["session_id"] != record_id:
            wrong(f"the head over {head['size']} messages is not signed, or not of this record")
        heads.setdefault(int(head["size"]), []).append({"root": head["root"]})
        versions.setdefault(int(head["document"]["version"]), []).append(without(head["document"], "version"))
    for none in heads.pop(0, []) + versions.pop(0, []):
        if none["root"] != Tree().root():
            wrong("a head over nothing has another root than nothing has")

    feed, _ = check_log(bundle, "feed.ndjson", "message", heads, record_id)
    document, text = check_log(bundle, "document.ndjson", "version", versions, record_id)
    if [feed.size, document.size] != [int(manifest["size"]), int(manifest["document_version"])]:
        wrong("there are not as many messages and versions as the manifest says")
    if text is not None and bundle.read("document.md").decode() != text:
        wrong("document.md is not the last version")
    files = {file["name"]: file["sha256"] for file in manifest["files"]}
    for name in {*files, *bundle.namelist()} - {"manifest.json"}:
        if name not in bundle.namelist() or file_hash(bundle, name) != files.get(name):
            wrong(f"{name} is not the file that the manifest names")

    signer = keys[manifest["head"]["key_id"]]
    while known_key and signer and signer["public_key"] != known_key:
        signer = keys.get(signer["previous"])  # Whom it succeeds; that was checked above.
    if known_key and not signer:
        wrong("the record is signed with another key than the known one")
    return feed, document, keys[manifest["head"]["key_id"]]["public_key"]


def file_hash(bundle, name):
    digest = hashlib.sha256()
    with bundle.open(name) as file:
        for piece in iter(lambda: file.read(1 << 16), b""):
            digest.update(piece)
    return digest.hexdigest()


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    try:
        feed, document, key = check(sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else None)
    except Exception as reason:  # A bundle may be anything.
        wrong(f"the bundle cannot be read: {reason!r}")
    for sentence in findings[:20]:
        print("WRONG:", sentence)
    if findings:
        sys.exit(8)
    print(f"{feed.size} messages and {document.size} versions, unchanged since they were signed")
    print(f"root {feed.root()}\ndocument root {document.root()}\nsigned by {key}")
    print("This does not show that a statement is true, nor what was never posted.")
