#!/usr/bin/env python3
"""Checks what a Merkle broker has signed, with only Python's standard library.

    python3 verify_record.py session.zip [the broker's public key in base64url]
    python3 verify_record.py checkpoint.txt policy.txt
    python3 verify_record.py fork.json [the broker's public key, or policy.txt]

The first file is a session's exported record, a checkpoint of the mesh's log, or the evidence of a fork. A policy lists the
log, its witnesses and how many of them must sign (C2SP tlog-policy).

It shares no code with Merkle and follows docs/record.md, so a valid record is one on which two programs agree. If something is
wrong, it prints the first problems, each with its file, and exits with 8. Otherwise it prints what was signed and exits with 0,
or with 10 if fewer witnesses signed than the policy asks for. If you pass no key, it uses the head's key: compare the printed
key with one that you know from elsewhere, because anyone can sign a record with their own key.
"""
import base64
import collections
import hashlib
import io
import json
import os
import re
import sys
import time
import zipfile

MIB = 1 << 20
LINE_MAX, FILE_MAX, LIST_MAX, HEADS_MAX, FINDINGS_MAX = 4 * MIB, MIB, 32 * MIB, 100_000, 100
ATTACHMENTS_MAX = 10_000
ATTACHMENT = "attachment-"  # Before the digest, the name of a file that messages carry.
FILES = ["feed.ndjson", "document.ndjson", "document.md", "roster.json", "state.ndjson", "heads.ndjson", "keys.json",
         "manifest.json"]
findings = []  # The file and a sentence of each.


def wrong(file, sentence):
    if len(findings) < FINDINGS_MAX:
        findings.append((file, sentence))


def is_full():
    return len(findings) == FINDINGS_MAX  # What comes after says nothing new.


# Canonical JSON (RFC 8785). Numbers stay as they are written, which in canonical text is the one way to write them.
class Number(str):
    pass


def parse(line):
    """The value of a text that is canonical JSON: of two equal keys or another order two readers could make two things."""
    value = json.loads(line, parse_int=Number, parse_float=Number, parse_constant=lambda name: 1 / 0)
    if canonical(value) != line:
        raise ValueError("it is not canonical JSON")
    return value


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
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return data if base64.urlsafe_b64encode(data).decode().rstrip("=") == text else b""  # There is one way to write it.


def is_signed(key, purpose, value, signature, version=1):
    message = f"merkle {purpose} v{version}\n{canonical(value)}".encode()
    return is_ed25519(unbase64(key), message, unbase64(signature))


def is_ed25519(key, message, signature):
    if len(key) != 32 or len(signature) != 64:
        return False
    a, r, s = point(key), point(signature[:32]), int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
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


def check_feed(bundle, heads, record_id):
    """Follows the messages; returns their tree, the versions whose text a message says was removed, and the files named."""
    file, removed, versions, included = "feed.ndjson", set(), [], set(bundle.namelist())
    attached = {"named": 0, "included": 0, "sizes": {}}

    def read(row):
        about, salt = row["message"], row["salt"]
        content = about["content"]
        if salt is None and content != kept(about):
            wrong(file, f"message {about['sequence']} has a text without a salt, so no hash covers the text")
        is_system = about["type"] == "system"
        if set(about) - {"reply_to"} - set(content if is_system else ()) - {
                "session_id", "sequence", "id", "type", "posted_by_team_id", "from", "to", "priority", "posted_at", "content"}:
            raise ValueError("it has fields that no hash covers")
        if is_system and any(about[name] != content[name] for name in content):
            raise ValueError("its event does not match its content")
        return about, about["sequence"], canonical(content), lambda content_hash: feed_entry(about, content_hash)

    def note(number, row, before):
        about, content = row["message"], row["message"]["content"]
        if content.get("redacted") is True and row["salt"] is None:
            removed.add(number)
        files = content.get("attachments", ()) if about["type"] == "chat" and content.get("redacted") is not True else ()
        for name, size in ((ATTACHMENT + each["digest"], each["size"]) for each in files):
            attached["named"] += 1
            if name in included:
                attached["included"] += 1
                if attached["sizes"].setdefault(name, size) != size:
                    wrong(file, f"message {number} names {name} with another size than an earlier message")
        if about["type"] == "system" and content.get("event") == "message_redacted":
            removed.discard(int(about.get("reply_to", 0)))
            if "document_versions" in content:
                versions.append(range(int(content["document_versions"]["from"]), int(content["document_versions"]["to"]) + 1))
        seal = content.get("head") if about["type"] == "system" and content.get("event") == "session_concluded" else None
        if seal and (int(seal["size"]) != number - 1 or seal["root"] != before):
            wrong(file, f"the seal in message {number} does not match the messages before it")
        if seal and not is_head_signed(seal):
            wrong(file, f"the seal in message {number} has an invalid signature")

    tree = check_log(bundle, file, "message", heads, record_id, read, note)
    for sequence in sorted(removed):
        wrong(file, f"message {sequence} has no text, but no message records its removal")
    return tree, versions, attached


def check_document(bundle, heads, record_id, removed):
    """Follows the versions; returns their tree and the SHA-256 of the last one's text."""
    file, last = "document.ndjson", {"text": sha256().hex(), "number": 0}

    def read(row):
        about, content = row["version"], row["content"]
        if (row["salt"] is None) != (content is None):
            wrong(file, f"version {about['version']} has a text without a salt, or a salt without a text")
        return about, about["version"], content or "", lambda content_hash: {**about, "content_hash": content_hash}

    def note(number, row, _):
        content = row["content"]
        last.update(text=None if content is None else sha256(content.encode()).hex(), number=number)
        if content is None and not any(number in versions for versions in removed):
            wrong(file, f"version {number} has no text, but no message records its removal")

    tree = check_log(bundle, file, "version", heads, record_id, read, note)
    if last["text"] is None:
        wrong(file, f"version {last['number']} is the newest but has no text")
    return tree, last["text"]


def check_log(bundle, file, one, heads, record_id, read, note):
    tree, number = Tree(), 0
    for number, line in enumerate(read_lines(bundle, file), 1):
        if is_full():
            break
        try:
            row = parse(line)
            if set(row) != {one, "salt", "content_hash", "hash", "root"} | ({"content"} if one == "version" else set()):
                raise ValueError("it has unknown or missing fields")
            about, own_number, hashed, entry = read(row)
            content_hash = row["content_hash"]
            if row["salt"] is not None:
                content_hash = sha256(bytes.fromhex(row["salt"]), hashed.encode()).hex()
            if int(own_number) != number or about["session_id"] != record_id:
                wrong(file, f"{one} {number} is missing, or was replaced by another")
            before, leaf = tree.root(), sha256(b"\0", canonical(entry(content_hash)).encode())
            tree.push(leaf)
            if content_hash != row["content_hash"] or leaf.hex() != row["hash"]:
                wrong(file, f"{one} {number} was changed after it was recorded")
            elif tree.root() != row["root"]:
                wrong(file, f"the root of {one} {number} does not match the hashes up to it")
            note(number, row, before)
        except UNREADABLE as reason:
            wrong(file, f"the line of {one} {number} cannot be read: {reason!r}")
            continue
        for head in heads.pop(number, ()):
            if head["root"] != tree.root() or head.get("hash", row["content_hash"]) != row["content_hash"]:
                wrong(file, f"the head over {one}s 1 to {number} has a different root: one of them was changed")
    for size in sorted(heads):
        if size > number:
            wrong(file, f"{one} {number + 1} is missing at the end: a head covers {size}")
    return tree


UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError, RecursionError)


# Files: read in pieces, within bounds, so that a small bundle cannot take all the memory or time.
place = "the bundle"  # The file that is being read.


def pieces(bundle, name):
    global place
    place = name
    most = 64 * MIB + 200 * bundle.getinfo(name).compress_size
    with bundle.open(name) as file:
        for piece in iter(lambda: file.read(1 << 16), b""):
            most -= len(piece)
            if most < 0:
                raise ValueError(f"{name} is larger when unpacked than a file of a bundle can be")
            yield piece


def read_lines(bundle, file):
    rest = b""
    for piece in pieces(bundle, file):
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield line.decode()
        if len(rest) > LINE_MAX:
            raise ValueError(f"a line of {file} has more than {LINE_MAX} bytes")
    if rest:
        yield rest.decode()


def read_whole(bundle, name, most):
    data = bytearray()
    for piece in pieces(bundle, name):
        data += piece
        if len(data) > most:
            raise ValueError(f"{name} has more than {most} bytes")
    return data.decode()


def read_json(bundle, name, most=FILE_MAX):
    return parse(read_whole(bundle, name, most).removesuffix("\n"))


def file_facts(bundle, name):
    digest, size = hashlib.sha256(), 0
    for piece in pieces(bundle, name):
        digest.update(piece)
        size += len(piece)
    return {"bytes": str(size), "sha256": digest.hexdigest()}


# Keys, heads and the manifest.
keys = {}


def check_keys(bundle):
    read_keys(read_json(bundle, "keys.json"))


def read_keys(listed):
    keys.clear()
    for key in listed:
        if key["key_id"] in keys or sha256(unbase64(key["public_key"])).hex()[:32] != key["key_id"]:
            wrong("keys.json", f"key {key['key_id']} does not match its id, or occurs more than once")
        keys[key["key_id"]] = key
    for key_id, key in keys.items():
        if key["succession"] is not None and not is_succeeded(key):
            wrong("keys.json", f"key {key_id} is not signed by the key that it replaced")


def is_succeeded(key):
    if key["succession"] is None or key["previous"] not in keys:
        return False
    about = without(key, "key_id", "succession")
    return is_signed(keys[key["previous"]]["public_key"], "audit key succession", about, key["succession"])


def comes_from(key_id, public_key):
    """Whether a key is that one, or one that it vouches for over any number of steps."""
    for _ in keys:
        key = keys.get(key_id)
        if key is None:
            return False
        if key["public_key"] == public_key:
            return True
        if not is_succeeded(key):
            return False
        key_id = key["previous"]
    return False


def is_head_signed(head):
    key = keys.get(head["key_id"])
    # A head of format 2 says so by what it is over: one of the other format has another signature.
    version = 2 if "about" in head else 1
    return key is not None and is_signed(key["public_key"], "head", without(head, "signature"), head["signature"], version)


def open_bundle(path):
    """The bundle in a page that holds one in base64, else the file itself."""
    begin = b'<script id="record" type="application/zip;base64">'
    with open(path, "rb") as file:
        if file.read(15).lower() != b"<!doctype html>":
            return path
        _, _, rest = file.read().partition(begin)
    return io.BytesIO(base64.b64decode(rest[:rest.index(b"<")], validate=True))


def check(path, known_key):
    """Returns the manifest, whether its words are those of the head's key, and the two trees."""
    bundle = zipfile.ZipFile(open_bundle(path))
    check_keys(bundle)
    manifest = read_json(bundle, "manifest.json")
    head, session, version = manifest["head"], manifest["session"], int(manifest["version"])
    record_id = head["session_id"]
    if manifest["format"] != "merkle-bundle" or version not in (1, 2):
        raise ValueError("manifest.json: this program does not read this format")
    names = [name if version == 2 or name != "state.ndjson" else "state.json" for name in FILES]
    counts = collections.Counter(bundle.namelist())
    attachments = [name for name in counts if is_attachment(name)]
    if len(attachments) > ATTACHMENTS_MAX:
        raise ValueError(f"the bundle has more than {ATTACHMENTS_MAX} files of messages")
    for name in {*names, *counts}:
        if counts[name] != 1 or (name not in names and name not in attachments):
            wrong(name, f"{name} is missing, occurs more than once, or is not a file of a bundle")

    is_word = check_manifest(manifest, version)
    signer = keys.get(head["key_id"])
    if known_key and not comes_from(head["key_id"], known_key):
        wrong("manifest.json", "the record is signed with a different key from the known one")
    heads, versions = {}, {}
    for place, line in enumerate(read_lines(bundle, "heads.ndjson"), 1):
        try:
            other = parse(line)
            if place > HEADS_MAX or not is_head_signed(other) or other["session_id"] != record_id:
                wrong("heads.ndjson", f"the head over {other['size']} messages has an invalid signature or is of another record")
            note_head(other, heads, versions)
        except UNREADABLE as reason:
            wrong("heads.ndjson", f"head {place} cannot be read: {reason!r}")
        if is_full():
            break
    note_head(head, heads, versions)
    for none in heads.pop(0, []) + versions.pop(0, []):
        if none["root"] != Tree().root():
            wrong("heads.ndjson", "a head over an empty log does not have the root of an empty log")

    feed, removed, attached = check_feed(bundle, heads, record_id)
    document, text = check_document(bundle, versions, record_id, removed)
    if feed.size > int(head["size"]) or document.size > int(head["document"]["version"]):
        wrong("feed.ndjson", f"message {int(head['size']) + 1}, or a version, is not covered by the head of the export")
    if sha256(read_whole(bundle, "document.md", LIST_MAX).encode()).hex() != text:
        wrong("document.md", "document.md is not the last version of the document")
    check_files(bundle, manifest, names)
    for name in attachments:
        check_attachment(bundle, name, attached["sizes"].get(name))
    return manifest, is_word, signer, feed, document, attached


def note_head(head, heads, versions):
    heads.setdefault(int(head["size"]), []).append({"root": head["root"]})
    versions.setdefault(int(head["document"]["version"]), []).append(without(head["document"], "version"))


def check_manifest(manifest, version):
    """Whether what the manifest says is the word of the head's key, or of one that it vouches for."""
    file, head, session, count = "manifest.json", manifest["head"], manifest["session"], len(findings)
    if set(manifest) != {"format", "version", "session", "epoch", "exported_at", "size", "document_version", "head", "files",
                         "key_id", "signature"}:
        wrong(file, "the manifest has unknown or missing fields")
    if set(session) != {"session_id", "slug", "title", "description", "status", "created_at", "closed_at"}:
        wrong(file, "the session has unknown or missing fields")
    if not is_head_signed(head):
        wrong(file, "the head of the export has an invalid signature")
    if ("about" in head) != (version == 2):
        wrong(file, "the head of the export has a different format from the manifest")
    elif version == 2 and head["about"]["session"] != sha256(canonical(session).encode()).hex():
        wrong(file, "the facts about the session do not match the head of the export")
    if [head["session_id"], head["size"], head["document"]["version"], head["epoch"]] != [
            session["session_id"], manifest["size"], manifest["document_version"], manifest["epoch"]]:
        wrong(file, "the head of the export does not cover what the manifest lists")
    key = keys.get(manifest["key_id"])
    if key is None or not is_signed(
            key["public_key"], "bundle", without(manifest, "signature"), manifest["signature"], version):
        wrong(file, "the manifest has an invalid signature")
    is_vouched = head["key_id"] in keys and comes_from(manifest["key_id"], keys[head["key_id"]]["public_key"])
    if version == 2 and not is_vouched:
        wrong(file, f"the manifest is signed with the key {manifest['key_id']}, but the key of its head does not vouch for it")
    return is_vouched and len(findings) == count


def check_files(bundle, manifest, names):
    named = {file["name"]: without(file, "name") for file in manifest["files"]}
    if len(named) != len(manifest["files"]) or set(named) != set(names) - {"manifest.json"}:
        wrong("manifest.json", "the manifest does not list exactly the files of a bundle")
    about = manifest["head"].get("about", {})
    for name in (set(names) & set(bundle.namelist())) - {"manifest.json"}:
        facts = file_facts(bundle, name)
        if facts != named.get(name):
            wrong(name, f"{name} does not match the size and hash in the manifest")
        if name.split(".")[0] in ("roster", "state") and about and about[name.split(".")[0]] != facts["sha256"]:
            wrong(name, f"{name} does not match the head of the export")
        try:
            if name in ("roster.json", "state.json"):
                read_json(bundle, name, LIST_MAX)
            for line in read_lines(bundle, name) if name == "state.ndjson" else ():
                parse(line)
        except UNREADABLE as reason:
            wrong(name, f"{name} cannot be read: {reason!r}")


def is_attachment(name):
    digest = name.removeprefix(ATTACHMENT)
    return name != digest and len(digest) == 64 and not digest.strip("0123456789abcdef")


def check_attachment(bundle, name, size):
    """Whether a file's bytes are those that a message names. One that no message names is under no hash."""
    if is_full():
        return
    if size is None:
        return wrong(name, f"{name} is not named by any message")
    facts = file_facts(bundle, name)
    if facts["sha256"] != name.removeprefix(ATTACHMENT) or facts["bytes"] != size:
        wrong(name, f"{name} does not have the bytes or the size that a message names")


# The mesh's log: signed notes, checkpoints, cosignatures, policies and proofs (C2SP). Every form is read strictly, so that all
# readers accept the same ones.
NOTE_MAX, SIGNATURES_MAX, HASHES_MAX, SIZE_MAX, AHEAD_MAX = 1_000_000, 100, 63, 2**53 - 1, 300
SIGNER, COSIGNER = 1, 4  # The types of a key: ed25519 over the text, and a timestamped cosignature.
SPACES = "\0- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"  # Unicode's white space, whatever the program.
NAME = re.compile(f"[^+{SPACES}]+")


def exact_base64(text, length=None):
    data = base64.b64decode(text, validate=True)
    if base64.b64encode(data).decode() != text or length not in (None, len(data)):
        raise ValueError("it has base64 of another form or length")
    return data


def note_key_id(name, kind, key):
    return sha256(f"{name}\n".encode(), bytes([kind]), key)[:4]


def read_vkey(text, kind):
    """The name and public key of a verifier key. Its base64 can have a plus sign, so only the first two divide."""
    name, key_id, data = text.split("+", 2)
    data = exact_base64(data, 33)
    if not NAME.fullmatch(name) or data[0] != kind or note_key_id(name, kind, data[1:]).hex() != key_id:
        raise ValueError(f"the key {name} does not match its id, or has another type")
    return name, data[1:]


def read_note(text):
    """The text of a signed note, with its line break, and the signatures: name, key id, and the bytes after the id."""
    body, gap, lines = text.rpartition("\n\n")
    if len(text) > NOTE_MAX or not gap or not lines.endswith("\n") or re.search(r"[\x00-\x09\x0b-\x1f]", text):
        raise ValueError("it is not a signed note")
    lines, signatures = lines[:-1].split("\n"), []
    if len(lines) > SIGNATURES_MAX:
        raise ValueError("it has too many signatures")
    for line in lines:
        dash, name, data = line.split(" ")
        data = exact_base64(data)
        if dash != "\u2014" or not NAME.fullmatch(name) or len(data) < 5:
            raise ValueError("it has a signature of another form")
        signatures.append((name, data[:4], data[4:]))
    return body + "\n", signatures


def read_checkpoint(text):
    """A checkpoint: its text, signatures, origin, size and root."""
    body, signatures = read_note(text)
    origin, size, root, end = body.split("\n")
    if not re.match("merkle/.", origin) or not NAME.fullmatch(origin) or end:
        raise ValueError("it is not a checkpoint of a mesh's log")
    if not re.fullmatch(r"0|[1-9][0-9]{0,15}", size) or int(size) > SIZE_MAX:
        raise ValueError("its size is not a number in its one form")
    root = exact_base64(root, 32)
    if size == "0" and root != sha256():
        raise ValueError("it has a root of an empty log that is not the empty log's")
    return {"body": body, "signatures": signatures, "origin": origin, "size": int(size), "root": root}


def is_noted(checkpoint, key):
    """Whether the log signed a checkpoint. @raises ValueError if there is a signature under the key's name, but a wrong one"""
    return is_note_signed(checkpoint, checkpoint["origin"], key, SIGNER, lambda data: (checkpoint["body"].encode(), data))


def cosigned_at(checkpoint, name, key):
    """When a witness says that it cosigned a checkpoint, in seconds, or None."""
    times = []

    def read(data):
        time_signed = int.from_bytes(data[:8], "big")
        if len(data) != 72 or time_signed > SIZE_MAX:
            return b"", b""
        times.append(time_signed)
        return f"cosignature/v1\ntime {times[-1]}\n{checkpoint['body']}".encode(), data[8:]

    return max(times) if is_note_signed(checkpoint, name, key, COSIGNER, read) else None


def is_note_signed(checkpoint, name, key, kind, read):
    key_id = note_key_id(name, kind, key)
    own = [data for other, other_id, data in checkpoint["signatures"] if (other, other_id) == (name, key_id)]
    for data in own:
        message, signature = read(data)
        if not is_ed25519(key, message, signature):
            raise ValueError(f"the signature of {name} is invalid")
    return own != []


def read_policy(text):
    """The logs, the witnesses and the groups of a policy, and the name of its quorum."""
    logs, witnesses, groups, quorum, used = {}, {}, {}, None, set()
    for line in text.split("\n"):
        word, *rest = re.split("[ \t]+", line.strip(" \t"))
        if word == "" or word.startswith("#"):
            continue
        if word == "log" and len(rest) in (1, 2):
            name, key = read_vkey(rest[0], SIGNER)
            if name in logs:
                raise ValueError(f"the policy has two logs {name}")
            logs[name] = key
        elif word == "witness" and len(rest) in (2, 3) and rest[0] not in {*witnesses, *groups, "none"}:
            witnesses[rest[0]] = read_vkey(rest[1], COSIGNER)
        elif word == "group" and len(rest) > 2 and rest[0] not in {*witnesses, *groups, "none"}:
            name, count, *members = rest
            if any(member in used or member not in {*witnesses, *groups} for member in members) or len({*members}) < len(members):
                raise ValueError(f"the group {name} has a member that is unknown, or is in a group already")
            count = {"any": "1", "all": str(len(members))}.get(count, count)
            if not re.fullmatch("[1-9][0-9]{0,3}", count) or int(count) > len(members):
                raise ValueError(f"the group {name} asks for more members than it has, or for none")
            used.update(members)
            groups[name] = int(count), members
        elif word == "quorum" and len(rest) == 1 and quorum is None and rest[0] in {*witnesses, *groups, "none"}:
            quorum = rest[0]
        else:
            raise ValueError(f"a line of the policy cannot be read: {line!r}")
    every = [*logs.values(), *(key for _, key in witnesses.values())]
    if not logs or quorum is None or len({*every}) < len(every):
        raise ValueError("the policy has no log or quorum, or one key twice, which would count twice")
    return {"logs": logs, "witnesses": witnesses, "groups": groups, "quorum": quorum}


def check_cosigned(checkpoint, policy, now=None):
    """Which witnesses of a policy cosigned a checkpoint, by their names, and whether they are enough."""
    key, cosigned = policy["logs"].get(checkpoint["origin"]), {}
    if key is None or not is_noted(checkpoint, key):
        raise ValueError(f"the policy's log {checkpoint['origin']} did not sign it")
    for name, (own, witness) in policy["witnesses"].items():
        at = cosigned_at(checkpoint, own, witness)
        if at is not None and at <= (time.time() if now is None else now) + AHEAD_MAX:
            cosigned[name] = at  # What is signed in the future does not count: that witness's clock is wrong.

    def is_met(name):
        count, members = policy["groups"].get(name, (1, ()))
        return name in cosigned if name in policy["witnesses"] else sum(map(is_met, members)) >= count

    return cosigned, policy["quorum"] == "none" or is_met(policy["quorum"])


def is_included(leaf, index, size, path, root):
    """Whether a path leads from a leaf to a root (RFC 9162, section 2.1.3)."""
    def climb(start, end, place, path):
        if end - start == 1:
            return leaf if not path else None
        middle = split(start, end)
        if not path:
            return None
        if place < middle:
            below = climb(start, middle, place, path[:-1])
            return below and sha256(b"\1", below, path[-1])
        below = climb(middle, end, place, path[:-1])
        return below and sha256(b"\1", path[-1], below)

    return 0 <= index < size and len(path) <= HASHES_MAX and climb(0, size, index, path) == root


def split(start, end):
    return start + (1 << (end - start - 1).bit_length() - 1)


def is_extended(size, root, later_size, later_root, path):
    """Whether a path shows that a later tree begins with an earlier one (RFC 9162, section 2.1.4)."""
    def climb(start, end, path, is_whole):
        """The earlier and the later root over a range, or nothing."""
        if end == size:  # All of the range is in the earlier tree.
            hashes = [root] if is_whole else path[-1:]
            return (hashes[0], hashes[0]) if hashes and len(path) == (not is_whole) else None
        middle = split(start, end)
        if not path:
            return None
        other, rest = path[-1], path[:-1]
        if size <= middle:
            below = climb(start, middle, rest, is_whole)
            return below and (below[0], sha256(b"\1", below[1], other))
        below = climb(middle, end, rest, False)
        return below and (sha256(b"\1", other, below[0]), sha256(b"\1", other, below[1]))

    if size in (0, later_size):
        return not path and root == (sha256() if size == 0 else later_root)
    return 0 < size < later_size and len(path) <= HASHES_MAX and climb(0, later_size, path, True) == (root, later_root)


def check_proof(text, policy, entry, now=None):
    """The checkpoint of a proof that an entry is in the log, and the result of check_cosigned."""
    head, gap, note = text.partition("\n\n")
    kind, index, *hashes = head.split("\n")
    number = re.fullmatch(r"index (0|[1-9][0-9]{0,15})", index)
    if kind != "c2sp.org/tlog-proof@v1" or not gap or not number or int(number[1]) > SIZE_MAX or len(hashes) > HASHES_MAX:
        raise ValueError("it is not a proof of a log")
    checkpoint, index = read_checkpoint(note), int(number[1])
    path = [exact_base64(each, 32) for each in hashes]
    if not is_included(sha256(b"\0", entry), index, checkpoint["size"], path, checkpoint["root"]):
        raise ValueError(f"the log does not have the entry at {index}")
    return checkpoint, check_cosigned(checkpoint, policy, now)


# A fork: two histories that one key signed.
def check_fork(text, known_key=None):
    """Returns what the evidence of a fork proves: both statements, and the public keys that signed them."""
    evidence = parse(text)
    if evidence["format"] != "merkle-fork" or evidence["version"] != "1":
        raise ValueError("it is not evidence of a fork that this program reads")
    read_keys(evidence["keys"])
    if findings:
        raise ValueError(findings[0][1])
    read = {"checkpoints": read_noted, "feed": read_feed_head, "document": read_document_head}[evidence["of"]]
    earlier, later = (read(evidence[name]) for name in ("earlier", "later"))
    line = [key["key_id"] for key in (earlier["key"], later["key"])]
    if not any(comes_from(a, keys[b]["public_key"]) for a, b in (line, line[::-1])):
        raise ValueError("two keys signed it, and neither vouches for the other")
    if known_key and not all(comes_from(key_id, known_key) for key_id in line):
        raise ValueError("it is signed with a different key from the known one")
    if earlier["log"] != later["log"]:
        raise ValueError("the two are not of the same log and the same epoch")
    root, path = exact_base64(evidence["from_root"], 32), [exact_base64(each, 32) for each in evidence["path"]]
    if earlier["size"] == 0 or root == earlier["root"] or not is_extended(earlier["size"], root, later["size"], later["root"], path):
        raise ValueError("it does not show that the later one begins with anything other than the earlier one")
    return earlier, later


def read_noted(note):
    checkpoint = read_checkpoint(note)
    for key in keys.values():
        if is_noted(checkpoint, unbase64(key["public_key"])):
            return {**checkpoint, "log": checkpoint["origin"], "key": key}
    raise ValueError("no listed key signed the checkpoint")


def read_feed_head(head):
    if not is_head_signed(head):
        raise ValueError("a head has an invalid signature")
    log = f"the feed of {head['session_id']} in {head['epoch']}"
    return {"log": log, "size": int(head["size"]), "root": bytes.fromhex(head["root"]), "key": keys[head["key_id"]]}


def read_document_head(head):
    document = head["document"]
    log = f"the document of {head['session_id']} in {head['epoch']}"
    return {**read_feed_head(head), "log": log, "size": int(document["version"]), "root": bytes.fromhex(document["root"])}


def verify(path, known_key):
    """What is wrong with a bundle, whatever it is, and what was signed when nothing is."""
    findings.clear()
    try:
        return findings, check(path, known_key)
    except Exception as reason:  # A bundle may be anything.
        wrong(place, f"{place} cannot be read: {reason!r}")
    return findings, None


def main(path, known=None):
    policy = None
    if known is not None and os.path.exists(known):
        try:
            policy = read_policy(read_text(known))
        except UNREADABLE as reason:
            return print_wrong(known, reason)
        known = base64.urlsafe_b64encode([*policy["logs"].values()][0]).decode().rstrip("=")
    with open(path, "rb") as file:
        start = file.read(23)
    if start.startswith(b"{"):
        return print_fork(path, known, policy)
    if start.startswith(b"merkle/"):
        if policy is None:
            sys.exit(__doc__)
        return print_cosigned(path, policy)
    return print_record(path, known)


def read_text(path, most=8 * MIB):
    with open(path, "rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"it has more than {most} bytes")
    return data.decode()


def print_fork(path, known, policy):
    try:
        earlier, later = check_fork(read_text(path).removesuffix("\n"), known)
        both = [name for name, (own, key) in (policy or {"witnesses": {}})["witnesses"].items() if "body" in earlier and all(
            cosigned_at(each, own, key) is not None for each in (earlier, later))]
    except UNREADABLE as reason:
        return print_wrong(path, reason)
    print(f"FORK: two histories of {earlier['log']} were signed with one key or its successor")
    for each in (earlier, later):
        print(f"size {each['size']}, root {each['root'].hex()}\nsigned by {each['key']['public_key']}")
    print("which is the known key or a successor of it" if known else "which no one has compared yet")
    for name in both:
        print(f"The witness {name} cosigned both.")
    return 0


def print_cosigned(path, policy):
    try:
        checkpoint = read_checkpoint(read_text(path))
        cosigned, is_enough = check_cosigned(checkpoint, policy)
    except UNREADABLE as reason:
        return print_wrong(path, reason)
    print(f"checkpoint of {checkpoint['origin']}\nsize {checkpoint['size']}, root {checkpoint['root'].hex()}, signed by the log")
    for name, at in sorted(cosigned.items()):
        print(f"cosigned by {name} at {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(at))}")
    print("which is enough for the policy" if is_enough else "NOT WITNESSED: the policy asks for more")
    return 0 if is_enough else 10


def print_wrong(path, reason):
    print(f"WRONG: {reason} (in {path})")
    return 8


def print_record(path, known):
    _, signed = verify(path, known)
    for file, sentence in findings[:20]:
        print(f"WRONG: {sentence} (in {file})")
    if findings:
        return 8
    manifest, is_word, signer, feed, document, attached = signed
    print(f"{feed.size} messages and {document.size} versions, unchanged since they were signed")
    print(f"root {feed.root()}\ndocument root {document.root()}\nsigned by {signer['public_key']}")
    print("which is the known key or a successor of it" if known else "which no one has compared yet")
    if is_word:
        print(f"title {json.dumps(manifest['session']['title'])}, exported {manifest['exported_at']}")
    if attached["named"] > 0:
        print(f"files that messages carry: {attached['included']} of {attached['named']} are in the bundle, with the bytes that were recorded")
    if int(manifest["version"]) == 1:
        print("Format 1: no head covers the title, the roster and the state; " + (
            "only the signature of the export does." if is_word else "no trusted key has signed them."))
    print("This does not prove that its content is true or complete.")
    return 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
