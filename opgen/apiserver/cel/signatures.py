"""The functions that rules may call: name, whether on a target, and types, as CEL and Kubernetes 1.36 declare them.

One a line: `target.name(arguments) result`, or `name(arguments) result`; a capital letter is a type parameter.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

from opgen.apiserver.cel.types import Type, parse_type, split_outside

__all__ = ["Signature", "signatures"]

_STANDARD: Final = """
_||_(bool, bool) bool
_&&_(bool, bool) bool
!_(bool) bool
_?_:_(bool, A, A) A
_==_(A, A) bool
_!=_(A, A) bool
-_(int) int
-_(double) double
_+_(int, int) int
_+_(uint, uint) uint
_+_(double, double) double
_+_(string, string) string
_+_(bytes, bytes) bytes
_+_(list(A), list(A)) list(A)
_+_(timestamp, duration) timestamp
_+_(duration, timestamp) timestamp
_+_(duration, duration) duration
_-_(int, int) int
_-_(uint, uint) uint
_-_(double, double) double
_-_(timestamp, timestamp) duration
_-_(timestamp, duration) timestamp
_-_(duration, duration) duration
_*_(int, int) int
_*_(uint, uint) uint
_*_(double, double) double
_/_(int, int) int
_/_(uint, uint) uint
_/_(double, double) double
_%_(int, int) int
_%_(uint, uint) uint
_[_](list(A), int) A
_[_](map(A, B), A) B
_[_](optional(list(A)), int) optional(A)
_[_](optional(map(A, B)), A) optional(B)
_[?_](list(A), int) optional(A)
_[?_](map(A, B), A) optional(B)
_[?_](optional(list(A)), int) optional(A)
_[?_](optional(map(A, B)), A) optional(B)
@in(A, list(A)) bool
@in(A, map(A, B)) bool
size(string) int
size(bytes) int
size(list(A)) int
size(map(A, B)) int
string.size() int
bytes.size() int
list(A).size() int
map(A, B).size() int
string.contains(string) bool
string.startsWith(string) bool
string.endsWith(string) bool
string.matches(string) bool
matches(string, string) bool
type(A) type(A)
dyn(A) dyn
bool(bool) bool
bool(string) bool
int(int) int
int(uint) int
int(double) int
int(string) int
int(timestamp) int
int(duration) int
uint(uint) uint
uint(int) uint
uint(double) uint
uint(string) uint
double(double) double
double(int) double
double(uint) double
double(string) double
string(string) string
string(bool) string
string(int) string
string(uint) string
string(double) string
string(bytes) string
string(timestamp) string
string(duration) string
bytes(bytes) bytes
bytes(string) bytes
timestamp(timestamp) timestamp
timestamp(string) timestamp
timestamp(int) timestamp
duration(duration) duration
duration(string) duration
duration(int) duration
optional.of(A) optional(A)
optional.ofNonZeroValue(A) optional(A)
optional.none() optional(A)
optional(A).hasValue() bool
optional(A).value() A
optional(A).or(optional(A)) optional(A)
optional(A).orValue(A) A
list(A).first() optional(A)
list(A).last() optional(A)
optional.unwrap(list(optional(A))) list(A)
list(optional(A)).unwrapOpt() list(A)
"""
_DATES: Final = """getDate getDayOfMonth getDayOfWeek getDayOfYear getFullYear getMonth getHours getMinutes getSeconds
getMilliseconds"""
_STRINGS: Final = """
string.charAt(int) string
string.indexOf(string) int
string.indexOf(string, int) int
string.lastIndexOf(string) int
string.lastIndexOf(string, int) int
string.lowerAscii() string
string.upperAscii() string
string.replace(string, string) string
string.replace(string, string, int) string
string.split(string) list(string)
string.split(string, int) list(string)
string.substring(int) string
string.substring(int, int) string
string.trim() string
string.reverse() string
string.format(list(dyn)) string
list(string).join() string
list(string).join(string) string
strings.quote(string) string
string.find(string) string
string.findAll(string) list(string)
string.findAll(string, int) list(string)
base64.encode(bytes) string
base64.decode(string) bytes
"""
_LISTS: Final = """
sets.contains(list(A), list(A)) bool
sets.equivalent(list(A), list(A)) bool
sets.intersects(list(A), list(A)) bool
list(A).indexOf(A) int
list(A).lastIndexOf(A) int
list(A).slice(int, int) list(A)
list(A).distinct() list(A)
list(A).reverse() list(A)
list(list(A)).flatten() list(A)
list(dyn).flatten(int) list(dyn)
lists.range(int) list(int)
"""
_COMPARABLE: Final = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")
_KUBERNETES: Final = """
url(string) kubernetes.URL
isURL(string) bool
kubernetes.URL.getScheme() string
kubernetes.URL.getHost() string
kubernetes.URL.getHostname() string
kubernetes.URL.getPort() string
kubernetes.URL.getEscapedPath() string
kubernetes.URL.getQuery() map(string, list(string))
quantity(string) kubernetes.Quantity
isQuantity(string) bool
kubernetes.Quantity.isInteger() bool
kubernetes.Quantity.asInteger() int
kubernetes.Quantity.asApproximateFloat() double
kubernetes.Quantity.sign() int
kubernetes.Quantity.add(kubernetes.Quantity) kubernetes.Quantity
kubernetes.Quantity.add(int) kubernetes.Quantity
kubernetes.Quantity.sub(kubernetes.Quantity) kubernetes.Quantity
kubernetes.Quantity.sub(int) kubernetes.Quantity
kubernetes.Quantity.isLessThan(kubernetes.Quantity) bool
kubernetes.Quantity.isGreaterThan(kubernetes.Quantity) bool
kubernetes.Quantity.compareTo(kubernetes.Quantity) int
ip(string) net.IP
isIP(string) bool
ip.isCanonical(string) bool
net.IP.family() int
net.IP.isUnspecified() bool
net.IP.isLoopback() bool
net.IP.isLinkLocalMulticast() bool
net.IP.isLinkLocalUnicast() bool
net.IP.isGlobalUnicast() bool
string(net.IP) string
cidr(string) net.CIDR
isCIDR(string) bool
net.CIDR.containsIP(string) bool
net.CIDR.containsIP(net.IP) bool
net.CIDR.containsCIDR(string) bool
net.CIDR.containsCIDR(net.CIDR) bool
net.CIDR.ip() net.IP
net.CIDR.masked() net.CIDR
net.CIDR.prefixLength() int
string(net.CIDR) string
format.named(string) optional(kubernetes.NamedFormat)
kubernetes.NamedFormat.validate(string) optional(list(string))
semver(string) kubernetes.Semver
semver(string, bool) kubernetes.Semver
isSemver(string) bool
isSemver(string, bool) bool
kubernetes.Semver.major() int
kubernetes.Semver.minor() int
kubernetes.Semver.patch() int
kubernetes.Semver.isLessThan(kubernetes.Semver) bool
kubernetes.Semver.isGreaterThan(kubernetes.Semver) bool
kubernetes.Semver.compareTo(kubernetes.Semver) int
"""
_FORMATS: Final = """dns1123Label dns1123Subdomain dns1035Label qualifiedName dns1123LabelPrefix dns1123SubdomainPrefix
dns1035LabelPrefix labelValue uri uuid byte date datetime"""
_NAMESPACES: Final = ("optional", "sets", "lists", "strings", "base64", "format", "ip")


class Signature(NamedTuple):
    """One overload; a member's target is the first of `args`."""

    name: str
    member: bool
    args: tuple[Type, ...]
    result: Type


def _lines() -> list[str]:
    out = [
        line
        for text in (_STANDARD, _STRINGS, _LISTS, _KUBERNETES)
        for line in text.split("\n")
        if line
    ]
    for op in ("<", "<=", ">", ">="):
        out += [f"_{op}_({t}, {t}) bool" for t in _COMPARABLE]
        numbers = ("int", "uint", "double")
        out += [f"_{op}_({a}, {b}) bool" for a in numbers for b in numbers if a != b]
    for name in _DATES.split():
        out += [f"timestamp.{name}() int", f"timestamp.{name}(string) int"]
    out += [
        f"duration.{name}() int"
        for name in ("getHours", "getMinutes", "getSeconds", "getMilliseconds")
    ]
    for kind in _COMPARABLE:
        out += [
            f"list({kind}).isSorted() bool",
            f"list({kind}).min() {kind}",
            f"list({kind}).max() {kind}",
        ]
        out.append(f"list({kind}).sort() list({kind})")
    out += [f"list({kind}).sum() {kind}" for kind in ("int", "uint", "double", "duration")]
    out += [f"format.{name}() kubernetes.NamedFormat" for name in _FORMATS.split()]
    return out


def _parse(line: str) -> Signature:
    """Read a line: what follows the last dot outside parentheses is the function and its arguments."""
    head, result = split_outside(line, " ")
    *before, call = split_outside(head, ".")
    target = ".".join(before)
    name, _, inner = call.partition("(")
    types = [parse_type(text) for text in split_outside(inner[:-1], ",") if text]
    member = bool(target) and target not in _NAMESPACES
    if member:
        types.insert(0, parse_type(target))
    elif target:
        name = f"{target}.{name}"
    return Signature(name, member, tuple(types), parse_type(result))


@cache
def signatures() -> dict[tuple[str, bool], tuple[Signature, ...]]:
    """Return all overloads by name and whether they are called on a target."""
    found: dict[tuple[str, bool], list[Signature]] = {}
    for line in _lines():
        made = _parse(line)
        found.setdefault((made.name, made.member), []).append(made)
    return {key: tuple(value) for key, value in found.items()}
