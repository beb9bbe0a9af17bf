"""Names: what a property, a path, a kind and a group are called in Python."""

from __future__ import annotations

import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opgen.ir import naming
from opgen.meta.object import Model, Object, camel


@pytest.mark.parametrize(
    ("wire", "name"),
    [
        ("replicas", "replicas"),
        ("dnsNames", "dns_names"),
        ("podIPs", "pod_ips"),
        ("clusterIP", "cluster_ip"),
        ("prefixListsIDs", "prefix_lists_ids"),
        ("proxyURL", "proxy_url"),
        ("HTTPRoute", "http_route"),
        ("IPv4Address", "ipv4_address"),
        ("EC2Instance", "ec2_instance"),
        ("awsS3Bucket", "aws_s3_bucket"),
        ("oauth2ClientID", "oauth2_client_id"),
        ("ca.crt", "ca_crt"),
        ("bot-defense", "bot_defense"),
        ("$schema", "schema_"),
        ("3scale", "field_3scale"),
        ("__name__", "name"),
        ("if", "if_"),
        ("from", "from_"),
        ("self", "self_"),
        ("list", "list_"),
        ("copy", "copy_"),
        ("type", "type"),
        ("-", "dash"),
        ("$", "dollar"),
        ("é", "u00e9"),
    ],
)
def test_property_becomes_snake_case_attribute(wire: str, name: str) -> None:
    assert naming.attribute_names([wire]) == {wire: name}


@pytest.mark.parametrize(
    ("wires", "names"),
    [
        (["host_aliases", "hostAliases"], ["host_aliases", "hostAliases"]),
        (["proxyURL", "proxyUrl"], ["proxyURL", "proxy_url"]),
        (["$action", "action"], ["dollar_action", "action"]),
        (["__name__", "name"], ["name__", "name"]),
        (["a-b", "a.b", "aB"], ["a_dash_b", "a_dot_b", "a_b"]),
        (["PrefixListsIDs", "prefixListsIDs"], ["PrefixListsIDs", "prefix_lists_ids"]),
    ],
)
def test_properties_that_meet_keep_a_name_each(wires: list[str], names: list[str]) -> None:
    assert naming.attribute_names(wires) == dict(zip(wires, names, strict=True))


def test_one_more_property_renames_none_of_the_others() -> None:
    before = naming.attribute_names(["proxyURL", "proxyUrl", "other"])
    after = naming.attribute_names(["proxyURL", "proxyUrl", "other", "proxyHost", "another"])
    assert {wire: after[wire] for wire in before} == before


def test_a_users_name_wins_and_is_free_to_nobody_else() -> None:
    names = naming.attribute_names(["maxSize", "max_size", "limit"], {"limit": "max_size"})
    assert names["limit"] == "max_size"
    assert len(set(names.values())) == 3


def test_reserved_names_are_those_of_the_base_classes() -> None:
    public = {
        name
        for cls in (Model, Object)
        for name in dir(cls)
        if not name.startswith("_") and name.islower()
    }
    public |= {name for name in dir(type(Model)) if not name.startswith("_")}
    assert public <= naming.RESERVED | {"abc"}


@given(st.lists(st.text(max_size=12), unique=True, max_size=12))
def test_any_properties_get_different_public_identifiers(wires: list[str]) -> None:
    names = naming.attribute_names(wires)
    assert sorted(names) == sorted(wires)
    assert len(set(names.values())) == len(wires)
    for name in names.values():
        assert name.isidentifier()
        assert name.isascii()
        assert not name.startswith("_")
        assert not keyword.iskeyword(name)
        assert name not in naming.RESERVED


@given(st.lists(st.text(max_size=12), unique=True, max_size=12), st.randoms())
def test_order_of_the_properties_does_not_matter(wires: list[str], random: object) -> None:
    shuffled = list(wires)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert naming.attribute_names(wires) == naming.attribute_names(shuffled)


@pytest.mark.parametrize("wire", ["dnsNames", "replicas", "x", "issuerRef", "if", "list"])
def test_usual_names_need_no_alias(wire: str) -> None:
    assert camel(naming.attribute_names([wire])[wire]) == wire


def test_class_is_named_for_its_path() -> None:
    paths = [("Foo",), ("Foo", "spec"), ("Foo", "spec", "template"), ("Foo", "spec", "3scale")]
    assert list(naming.class_names(paths).values()) == [
        "Foo",
        "FooSpec",
        "FooSpec3scale",
        "FooSpecTemplate",
    ]


def test_longer_path_shows_its_parts_where_two_meet() -> None:
    paths = [
        ("Foo",),
        ("Foo", "spec", "fooBar"),
        ("Foo", "spec", "foo", "bar"),
        ("Foo", "spec", "host_aliases"),
    ]
    names = naming.class_names([*paths, ("Foo", "spec", "hostAliases")])
    assert names["Foo", "spec", "fooBar"] == "FooSpecFooBar"
    assert names["Foo", "spec", "foo", "bar"] == "Foo_spec_foo_bar"
    assert names["Foo", "spec", "hostAliases"] == "FooSpecHostAliases"
    assert names["Foo", "spec", "host_aliases"] == "Foo_spec_host_aliases"


def test_reserved_class_names_are_left_to_the_list_and_the_client() -> None:
    names = naming.class_names([("Foo",), ("Foo", "list")], ["FooList", "FooClient"])
    assert names == {("Foo",): "Foo", ("Foo", "list"): "Foo_list"}


@given(st.lists(st.lists(st.text(max_size=6), max_size=4).map(tuple), unique=True, max_size=10))
def test_any_paths_get_different_identifiers(paths: list[tuple[str, ...]]) -> None:
    names = naming.class_names([("Kind", *path) for path in paths], ["KindList"])
    assert len(set(names.values())) == len(paths)
    assert all(name.isidentifier() and name.isascii() for name in names.values())


@pytest.mark.parametrize(
    ("kind", "cls", "module"),
    [
        ("Certificate", "Certificate", "certificate"),
        ("CertificateRequest", "CertificateRequest", "certificate_request"),
        ("postgresql", "Postgresql", "postgresql"),
        ("UUID", "UUID", "uuid"),
        ("Import", "Import", "import_"),
        ("None", "None_", "none"),
    ],
)
def test_kind_names_its_class_and_module(kind: str, cls: str, module: str) -> None:
    assert naming.kind_class(kind) == cls
    assert naming.module_name(kind) == module


@pytest.mark.parametrize(
    ("group", "version", "folders"),
    [
        ("cert-manager.io", "v1", ("cert_manager_io", "v1")),
        ("", "v1", ("core", "v1")),
        ("3scale.net", "v1alpha1", ("g3scale_net", "v1alpha1")),
        ("import", "v1-2", ("import_", "v1_2")),
    ],
)
def test_group_and_version_name_their_folders(
    group: str, version: str, folders: tuple[str, str]
) -> None:
    assert (naming.group_package(group), naming.version_package(version)) == folders
