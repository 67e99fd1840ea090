"""Posts that may tell of a performance problem, from whatever source they come."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass

import msgspec

FRAMEWORKS = {
    "tensorflow": ("tensorflow", "tf"),
    "keras": ("keras",),
    "pytorch": ("pytorch", "torch"),
    "jax": ("jax", "flax"),
    "huggingface": ("huggingface", "transformers", "diffusers"),
}
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Post:
    """A question or an issue as its source has it.

    `text` is prose without markup; `code` are its blocks of code; `created` is an ISO date,
    "" where the source tells none.
    """

    source: str
    id: str
    created: str
    title: str
    text: str
    code: tuple[str, ...]
    tags: tuple[str, ...]
    score: int
    answers: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A post with what speaks for it, ready to be labelled."""

    post: Post
    framework: str
    keywords: tuple[str, ...]

    @property
    def key(self) -> str:
        return f"{self.post.source}:{self.post.id}"


def framework_of(post: Post) -> str:
    """The framework that a post is about, by its tags first and then by its words; or ""."""
    for known in (set(post.tags), set(re.findall(r"\w+", f"{post.title} {post.text}".lower()))):
        for framework, names in FRAMEWORKS.items():
            if any(name == tag or tag.startswith(f"{name}-") for name in names for tag in known):
                return framework
    return ""


def fingerprint(post: Post) -> bytes:
    """Equal for posts that say the same but for case, spaces and who posted them where."""
    said = _SPACE.sub(" ", f"{post.title}\n{post.text}".lower()).strip()
    return hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def to_json(candidate: Candidate) -> str:
    """One line."""
    reasons = _Reasons(candidate.framework, candidate.keywords)
    return json.dumps({**asdict(candidate.post), **asdict(reasons)}, ensure_ascii=True)


@dataclass(frozen=True, slots=True)
class _Reasons:
    framework: str
    keywords: tuple[str, ...]


def from_json(line: str) -> Candidate:
    """The candidate in a line. Raises ValueError where it holds none."""
    try:
        data = json.loads(line)
        reasons = msgspec.convert(data, _Reasons)
        return Candidate(msgspec.convert(data, Post), reasons.framework, reasons.keywords)
    except (RecursionError, msgspec.ValidationError) as error:
        raise ValueError(f"no candidate: {error}") from None
