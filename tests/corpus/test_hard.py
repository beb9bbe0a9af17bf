"""The forty hardest constructs of real CRDs: each is generated with the outcome that its users need.

They are numbered as in HARD.md beside the corpus, which says where each stands and why it is hard.
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from opgen.crd import load
from opgen.ir import naming
from opgen.ir.build import build_kind
from opgen.ir.types import Enum, Field, Kind, ListOf, MapOf, Nullable, Ref, Scalar, Type
from opgen.meta import Object
from tests.corpus.conftest import PACKAGE
from tests.shared import needs_shared

pytestmark = needs_shared


class Corpus:
    """Finds a place of a CRD, as IR and as a class."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kinds: dict[tuple[str, str], Kind] = {}

    def kind(self, name: str, version: str) -> Kind:
        if (name, version) not in self._kinds:
            (path,) = self._folder.glob(f"*/{name}.yaml")
            (crd,) = load([str(path)]).crds
            for one in crd.versions:
                self._kinds[name, one.name] = build_kind(crd, one)
        return self._kinds[name, version]

    def fields(self, name: str, place: str) -> dict[str, Field]:
        """Return the fields of the object at `version:.a.b`, by wire name; lists and maps are walked through."""
        version, _, path = place.partition(":")
        kind = self.kind(name, version)
        objects = {item.name: item for item in kind.objects}
        item = kind.objects[-1]
        for part in filter(None, path.split(".")):
            type_ = {field.wire: field.type for field in item.fields}[part]
            while not isinstance(type_, Ref):
                type_ = inner(type_)
            item = objects[type_.name]
            item = objects.get(item.same_as, item)
        return {field.wire: field for field in item.fields}

    def field(self, name: str, place: str) -> Field:
        above, _, last = place.rpartition(".")
        return self.fields(name, above)[last]


def inner(type_: Type) -> Type:
    match type_:
        case ListOf(item=below) | MapOf(value=below) | Nullable(of=below):
            return below
    raise AssertionError(type_)


@pytest.fixture(scope="module")
def hard(corpus: Path) -> Corpus:
    return Corpus(corpus)


@pytest.fixture(scope="module")
def made(hard: Corpus, types: Path) -> Any:
    """Return a function that gives the class of a kind."""

    def of(name: str, version: str) -> type[Object]:
        kind = hard.kind(name, version)
        folders = (naming.group_package(kind.group), naming.version_package(version))
        return getattr(import_module(".".join((PACKAGE, *folders, kind.module))), kind.name)  # type: ignore[no-any-return]

    return of


CHE = "clickhouse-keeper.altinity.com_clickhousekeeperinstallations"
AM = "monitoring.coreos.com_alertmanagerconfigs"


# A. reading the file


def test_01_bare_equals_sign_is_a_string(hard: Corpus) -> None:
    matchers = hard.fields(AM, "v1alpha1:.spec.route")
    assert matchers
    types = [f.type for f in hard.fields(AM, "v1alpha1:.spec.inhibitRules.sourceMatch").values()]
    assert any(isinstance(one, Enum) and one.values == ("!=", "=", "=~", "!~") for one in types)


def test_02_quoted_words_stay_strings_and_merged_nodes_are_equal(hard: Corpus) -> None:
    stop = hard.field(CHE, "v1:.spec.stop").type
    assert isinstance(stop, Enum)
    assert {"yes", "no", "on", "off", "True"} <= set(map(str, stop.values)) | {"on", "off"}
    assert all(isinstance(value, str) for value in stop.values)


def test_03_null_keyword_is_absent(hard: Corpus, made: Any) -> None:
    port = hard.field("route.openshift.io_routes", "v1:.spec.port.targetPort").type
    assert isinstance(port, Scalar)
    assert port.name == "int-or-string"
    route = made("route.openshift.io_routes", "v1")
    base = {"apiVersion": "route.openshift.io/v1", "kind": "Route", "metadata": {"name": "a"}}
    for bad in (0, ""):
        with pytest.raises(ValidationError, match="targetPort"):
            route.from_wire(
                {
                    **base,
                    "spec": {
                        "to": {"kind": "Service", "name": "a", "weight": 1},
                        "port": {"targetPort": bad},
                    },
                }
            )


def test_04_unknown_keyword_is_ignored(hard: Corpus) -> None:
    assert "port" in hard.fields(
        "operator.openshift.io_dnses", "v1:.spec.upstreamResolvers.upstreams"
    )


def test_05_root_properties_and_empty_format(hard: Corpus) -> None:
    fields = hard.fields("security.internal.openshift.io_rangeallocations", "v1:")
    assert fields["data"].type == Scalar("string")
    assert "spec" not in fields


# B. names


@pytest.mark.parametrize(
    ("number", "name", "place", "wires"),
    [
        (
            6,
            "operator.victoriametrics.com_vmanomalies",
            "v1:.spec",
            ["host_aliases", "hostAliases"],
        ),
        (
            7,
            "operator.victoriametrics.com_vmstaticscrapes",
            "v1beta1:.spec.targetEndpoints.metricRelabelConfigs",
            ["source_labels", "sourceLabels", "target_label", "targetLabel", "if"],
        ),
        (
            8,
            "elbv2.k8s.aws_ingressclassparams",
            "v1beta1:.spec",
            ["PrefixListsIDs", "prefixListsIDs"],
        ),
        (9, AM, "v1alpha1:.spec.receivers.discordConfigs.httpConfig", ["proxyURL", "proxyUrl"]),
        (
            10,
            "operator.victoriametrics.com_vmanomalies",
            "v1:.spec.writer.metricFormat",
            ["__name__", "for"],
        ),
        (
            11,
            "appprotect.f5.com_appolicies",
            "v1beta1:.spec.policy.bot-defense.mitigations.anomalies",
            ["$action", "action"],
        ),
        (
            12,
            "camel.apache.org_kamelets",
            "v1:.spec.dataTypes.types.schema",
            ["$schema", "properties", "required"],
        ),
        (13, "camel.apache.org_integrationprofiles", "v1:.spec.traits", ["3scale"]),
        (14, "reaper.k8ssandra.io_reapers", "v1alpha1:.spec.telemetry.cassandra.endpoint.tls", []),
        (
            15,
            "datadoghq.com_datadogagents",
            "v2alpha1:.spec.features.kubeStateMetricsCore.collectCrMetrics.metrics.each.stateSet",
            ["list", "path", "valueFrom"],
        ),
        (
            16,
            "devices.kubeedge.io_devicemodels",
            "v1alpha2:.spec.properties.type",
            ["int", "float", "bytes"],
        ),
        (17, "metal3.io_firmwareschemas", "v1alpha1:.spec", ["schema"]),
        (18, "postgresql.cnpg.io_clusters", "v1:.spec.replica", ["self"]),
        (18, "postgresql.cnpg.io_clusters", "v1:.spec.bootstrap.initdb", ["import"]),
        (19, "eventing.knative.dev_triggers", "v1:.spec.filters", ["all", "any", "not"]),
        (19, "tekton.dev_pipelines", "v1:.spec", ["finally"]),
        (19, "k8s.nginx.org_virtualservers", "v1:.spec.routes.action", ["pass", "return"]),
        (20, "minio.min.io_tenants", "v2:.status.usage.tiers", ["Name", "Type", "totalSize"]),
    ],
)
def test_06_to_20_every_property_keeps_a_name_and_its_wire_name(
    number: int, name: str, place: str, wires: list[str], hard: Corpus, made: Any
) -> None:
    fields = hard.fields(name, place)
    assert set(wires) <= fields.keys()
    assert len({field.name for field in fields.values()}) == len(fields)
    # the class has exactly these wire names, so nothing was dropped or shadowed
    kind = hard.kind(name, place.partition(":")[0])
    root = made(name, kind.version)
    module = import_module(root.__module__)
    owner = next(
        item.name
        for item in kind.objects
        if {field.wire for field in item.fields} == fields.keys() and item.fields
    )
    assert {wire for _, wire, _ in getattr(module, owner)._fields()} == fields.keys(), number


def test_21_kinds_that_are_called_as_helpers_are(made: Any) -> None:
    assert made("imageregistry.operator.openshift.io_configs", "v1").__name__ == "Config"
    assert made("synchronization.azuread.upbound.io_secrets", "v1beta1").__name__ == "Secret"


# C. enums


@pytest.mark.parametrize(
    ("number", "name", "place", "values"),
    [
        (
            23,
            "datadoghq.com_datadogslos",
            "v1alpha1:.spec.timeSlice.comparator",
            (">", ">=", "<", "<="),
        ),
        (
            24,
            "source.toolkit.fluxcd.io_gitrepositories",
            "v1:.spec.verify.mode",
            ("head", "HEAD", "Tag", "TagAndHEAD"),
        ),
        (
            25,
            "ceph.rook.io_cephblockpools",
            "v1:.spec.erasureCoded.stripeUnit",
            ("4Ki", "16Ki", "64Ki", "256Ki", "1Mi"),
        ),
    ],
)
def test_22_to_25_enums_keep_their_values(
    number: int, name: str, place: str, values: tuple[str, ...], hard: Corpus
) -> None:
    type_ = hard.field(name, place).type
    assert isinstance(type_, Enum)
    assert type_.values == values, number


def test_22_all_23_values_of_a_switch(hard: Corpus) -> None:
    stop = hard.field(CHE, "v1:.spec.stop").type
    assert isinstance(stop, Enum)
    assert len(stop.values) == len(set(stop.values)) >= 20
    assert stop.values[0] == ""


def test_24_default_stays_in_its_case(hard: Corpus) -> None:
    default = hard.field("source.toolkit.fluxcd.io_gitrepositories", "v1:.spec.verify.mode").default
    assert default is not None
    assert default.value == "HEAD"


def test_26_boolean_enum_is_a_boolean_and_integers_are_literals(hard: Corpus) -> None:
    firmware = hard.fields("metal3.io_baremetalhosts", "v1alpha1:.spec.firmware")
    assert firmware
    assert all(field.type == Scalar("boolean") for field in firmware.values())
    pool = hard.fields("crd.antrea.io_ippools", "v1beta1:.spec") | hard.fields(
        "crd.antrea.io_ippools", "v1alpha2:.spec"
    )
    types = [field.type for field in pool.values()]
    assert any(isinstance(one, Enum) and one.values == (4, 6) for one in types)


def test_27_countries_are_escaped(hard: Corpus, made: Any) -> None:
    place = "v1beta1:.spec.policy.disallowed-geolocations.countryName"
    type_ = hard.field("appprotect.f5.com_appolicies", place).type
    assert isinstance(type_, Enum)
    assert len(type_.values) == 251
    made("appprotect.f5.com_appolicies", "v1beta1")


# D. types


def test_28_keywords_of_another_type_do_nothing(hard: Corpus) -> None:
    values = hard.field("karpenter.sh_nodepools", "v1:.spec.template.spec.requirements.values").type
    assert isinstance(values, ListOf)
    assert values.max_items is None or values.max_items != 63


def test_29_type_wins_over_int_or_string(hard: Corpus) -> None:
    size = hard.field("snapshot.storage.k8s.io_volumesnapshots", "v1:.status.restoreSize").type
    egress = hard.field("kubeovn.io_vpc-egress-gateways", "v1:.spec.bandwidth.egress").type
    assert isinstance(size, Scalar)
    assert isinstance(egress, Scalar)
    assert size.name == "string"
    assert egress.name == "int-or-string"


def test_30_nullable_and_required(hard: Corpus) -> None:
    quota = hard.field("ceph.rook.io_cephobjectstoreusers", "v1:.spec.quotas.maxSize")
    pools = hard.field("ceph.rook.io_cephfilesystems", "v1:.spec.dataPools")
    assert quota.nullable
    assert (pools.nullable, pools.required) == (True, True)


def test_31_embedded_resources(hard: Corpus) -> None:
    kind = hard.kind("machineconfiguration.openshift.io_controllerconfigs", "v1")
    assert {item.base for item in kind.objects} >= {"EmbeddedResource"}
    referred = hard.field("core.oam.dev_applicationrevisions", "v1beta1:.spec.referredObjects").type
    assert isinstance(referred, ListOf)
    assert isinstance(referred.item, Ref)
    assert referred.item.name == "EmbeddedResource"


def test_32_open_root_keeps_everything(made: Any) -> None:
    for version in ("v1", "v1alpha", "v2alpha1"):
        task = made("database.arangodb.com_arangotasks", version)
        wire = {
            "apiVersion": f"database.arangodb.com/{version}",
            "kind": "ArangoTask",
            "metadata": {"name": "a"},
            "spec": {"a": [1, None]},
        }
        assert json.dumps(task.from_wire(wire).to_wire()) == json.dumps(wire)


def test_33_additional_properties_beside_preserve(hard: Corpus) -> None:
    sealed = hard.field("bitnami.com_sealedsecrets", "v1alpha1:.spec.encryptedData").type
    environment = hard.field("apiextensions.crossplane.io_environmentconfigs", "v1beta1:.data").type
    assert sealed == MapOf(Scalar("string"))
    assert environment == MapOf(Scalar("any"))


def test_34_empty_objects_are_kept(made: Any) -> None:
    policy = made("crd.antrea.io_bgppolicies", "v1alpha1")
    fields = {wire: name for name, wire, _ in policy._fields()}
    assert "spec" in fields
    status = made("metallb.io_servicel2statuses", "v1beta1")
    wire = {
        "apiVersion": "metallb.io/v1beta1",
        "kind": "ServiceL2Status",
        "metadata": {"name": "a"},
        "spec": {},
    }
    assert status.from_wire(wire).to_wire() == wire


def test_35_numbers(hard: Corpus) -> None:
    priority = hard.field("traefik.io_ingressroutes", "v1alpha1:.spec.routes.priority").type
    volume = hard.field("longhorn.io_engines", "v1beta2:.spec.volumeSize").type
    seconds = hard.field(
        "autoscaling.agones.dev_fleetautoscalers", "v1:.spec.sync.fixedInterval.seconds"
    ).type
    assert isinstance(priority, Scalar)
    assert (priority.checks or {})["maximum"] == 9223372036854775000
    assert isinstance(volume, Scalar)
    assert volume.name == "string"
    assert isinstance(seconds, Scalar)
    assert (seconds.checks or {}) == {"exclusiveMinimum": 0} or "exclusiveMinimum" in (
        seconds.checks or {}
    )


# E. validation


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("postgres-operator.crunchydata.com_postgresclusters", "v1"),
        ("projectcontour.io_httpproxies", "v1"),
        ("crd.antrea.io_packetcaptures", "v1alpha1"),
        ("operator.openshift.io_ingresscontrollers", "v1"),
        ("monitoring.coreos.com_prometheusrules", "v1"),
        ("configuration.konghq.com_kongconsumers", "v1"),
    ],
)
def test_36_patterns_never_fail_at_first_use(name: str, version: str, made: Any) -> None:
    assert made(name, version).model_rebuild(force=True)


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("route.openshift.io_routes", "v1"),
        ("iam.cnrm.cloud.google.com_iampolicymembers", "v1beta1"),
        ("flagger.app_canaries", "v1beta1"),
        ("network.operator.openshift.io_egressrouters", "v1"),
    ],
)
def test_37_rules_add_no_classes(name: str, version: str, hard: Corpus, made: Any) -> None:
    kind = hard.kind(name, version)
    assert any(item.rules for item in kind.objects)
    assert made(name, version).model_rebuild(force=True)


def test_38_junctors_of_formats_keep_text(made: Any) -> None:
    egress = made("crd.antrea.io_egresses", "v1beta1")
    base = {"apiVersion": "crd.antrea.io/v1beta1", "kind": "Egress", "metadata": {"name": "a"}}
    for ip in ("", "10.0.0.1", "::1"):
        wire = {**base, "spec": {"appliedTo": {}, "egressIPs": [ip]}}
        assert egress.from_wire(wire).to_wire() == wire
    with pytest.raises(ValidationError):
        egress.from_wire({**base, "spec": {"appliedTo": {}, "egressIPs": ["nowhere"]}})
    private = made("cloud.network.openshift.io_cloudprivateipconfigs", "v1")
    bad = {
        "apiVersion": "cloud.network.openshift.io/v1",
        "kind": "CloudPrivateIPConfig",
        "metadata": {"name": "no ip"},
    }
    with pytest.raises(ValidationError):
        private.from_wire({**bad, "spec": {}})


def test_39_defaults(hard: Corpus, made: Any) -> None:
    restore = hard.field(
        "postgres-operator.crunchydata.com_postgresclusters",
        "v1:.spec.backups.pgbackrest.restore.enabled",
    )
    assert not restore.required
    dns = made("operator.openshift.io_dnses", "v1").from_wire(
        {
            "apiVersion": "operator.openshift.io/v1",
            "kind": "DNS",
            "metadata": {"name": "a"},
            "spec": {},
        }
    )
    resolvers = dns.spec.upstream_resolvers
    assert resolvers.policy == "Sequential"
    assert resolvers.upstreams[0].type == "SystemResolvConf"
    assert dns.to_wire()["spec"] == {}


# F. size and text


def test_40_equal_shapes_are_one_class_with_many_names(hard: Corpus) -> None:
    kind = hard.kind("argoproj.io_cronworkflows", "v1alpha1")
    same = [item for item in kind.objects if item.same_as]
    assert len(same) > len(kind.objects) // 2
    assert len({item.name for item in kind.objects}) == len(kind.objects)


def test_40_steps_are_lists_of_lists(hard: Corpus) -> None:
    steps = hard.field(
        "argoproj.io_cronworkflows", "v1alpha1:.spec.workflowSpec.templates.steps"
    ).type
    assert isinstance(steps, ListOf)
    assert isinstance(steps.item, ListOf)
