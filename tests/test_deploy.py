"""What is in deploy/ can be read by the programs it is for, and names only commands, flags, settings and paths that exist."""

import re
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest
import yaml  # type: ignore[import-untyped]

from ghostmem.cli.main import cli
from ghostmem.settings import SETTINGS, parse
from ghostmem.web.app import RequestLimits
from ghostmem.web.serve import GRACE

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "deploy"
FILES = sorted(
    path.relative_to(DEPLOY).as_posix()
    for path in DEPLOY.rglob("*")
    if path.is_file() and path.name != ".env"
)
UNITS = [name for name in FILES if name.startswith("systemd/")]
PORT = "8642"
USER = 10001
ENVIRONMENT = {
    "GHOST_CONFIG",
    *(name for part in SETTINGS.values() for name in part.metadata["env"]),
}
HARDENED = {
    "NoNewPrivileges": "yes",
    "ProtectSystem": "strict",
    "ProtectHome": "yes",
    "PrivateTmp": "yes",
    "DynamicUser": "yes",
    "CapabilityBoundingSet": "",
}


def text(name: str) -> str:
    """Return a file's text."""
    return (DEPLOY / name).read_text(encoding="utf-8")


@cache
def compose() -> dict[str, Any]:
    """Return the compose file as its reader sees it."""
    found: dict[str, Any] = yaml.safe_load(text("compose.yaml"))
    return found


@cache
def manifests() -> list[dict[str, Any]]:
    """Return the manifests in order."""
    return list(yaml.safe_load_all(text("kubernetes/ghost.yaml")))


def of_kind(kind: str) -> list[dict[str, Any]]:
    """Return the manifests of a kind."""
    return [one for one in manifests() if one["kind"] == kind]


def pods() -> list[dict[str, Any]]:
    """Return every pod that the manifests make."""
    jobs = [one["spec"]["jobTemplate"]["spec"]["template"]["spec"] for one in of_kind("CronJob")]
    return [*(one["spec"]["template"]["spec"] for one in of_kind("Deployment")), *jobs]


def unit(name: str) -> dict[str, dict[str, list[str]]]:
    """Read a unit of systemd: sections of names, each of which may stand several times."""
    found: dict[str, dict[str, list[str]]] = {}
    section: dict[str, list[str]] = {}
    for line in text(name).splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("["):
            section = found.setdefault(line.strip("[]"), {})
            continue
        key, sign, value = line.partition("=")
        assert sign, line
        section.setdefault(key, []).append(value)
    return found


def instructions() -> list[tuple[str, str]]:
    """Return the Dockerfile's instructions with what follows them."""
    joined = re.sub(r"\\\n", " ", text("Dockerfile"))
    lines = [line for line in joined.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.split(None, 1)[0], line.split(None, 1)[1]) for line in lines]


def ghost_commands() -> list[list[str]]:
    """Return every command line of Ghost that the files run, without its name."""
    services = [one["command"] for one in compose()["services"].values() if "command" in one]
    jobs = [box["args"] for pod in pods() for box in pod["containers"]]
    units = [
        shlex.split(one)[1:]
        for name in UNITS
        for one in unit(name).get("Service", {}).get("ExecStart", [])
    ]
    image = [
        yaml.safe_load(value)
        for name, value in instructions()
        if name == "CMD" and value.startswith('["serve"')
    ]
    told = [
        shlex.split(found)
        for name in FILES
        for found in re.findall(r"(?:ghost-1|bin/ghost) ([a-z]+ [^\n`]*)", text(name))
        if name != "nginx.conf"
    ]
    return [*services, *jobs, *units, *image, *told]


def check(arguments: list[str]) -> None:
    """Let the command line read its arguments as it would, without running anything."""
    filled = [re.sub(r"\$\{\w+:?[-?](.*?)\}", r"\1", one) for one in arguments]
    command: click.Command = cli
    context = click.Context(cli, info_name="ghost")
    while isinstance(command, click.Group):
        name, *filled = filled
        found = command.get_command(context, name)
        assert found is not None, f"there is no command {name}"
        command, context = found, click.Context(found, parent=context, info_name=name)
    command.parse_args(context, filled)


def test_there_are_commands_to_check() -> None:
    """Servers, the lifecycle, gc and the first token are all among what is checked."""
    assert {command[0] for command in ghost_commands()} == {"serve", "reflect", "gc", "token"}


@pytest.mark.parametrize("arguments", ghost_commands(), ids=" ".join)
def test_every_command_is_one_of_ghost(arguments: list[str]) -> None:
    """Every command, flag and value would be accepted."""
    check(arguments)


@pytest.mark.parametrize("name", FILES)
def test_every_variable_is_a_setting(name: str) -> None:
    """A variable with our prefix is one that the program reads."""
    assert set(re.findall(r"\bGHOST_[A-Z_]+", text(name))) <= ENVIRONMENT


def test_every_value_of_a_setting_is_good() -> None:
    """Values in the files are such as the settings take."""
    names = {env: name for name, part in SETTINGS.items() for env in part.metadata["env"]}
    given = {**compose()["x-ghost"]["environment"], **of_kind("ConfigMap")[0]["data"]}
    for name in UNITS:
        for line in unit(name).get("Service", {}).get("Environment", []):
            given |= dict(
                part.split("=", 1) for part in shlex.split(line) if part.startswith("GHOST_")
            )
    assert given
    for env, value in given.items():
        parse(names[env], value, env)


@pytest.mark.parametrize("name", FILES)
def test_no_host_of_images_is_named(name: str) -> None:
    """Images have plain names, which whoever deploys them resolves."""
    for image in re.findall(r"(?:image:|FROM|IMAGE=|newName:)\s*(\S+)", text(name)):
        plain = re.sub(r"\$\{\w+:-(.*?)\}", r"\1", image)
        assert plain.startswith("${") or "." not in plain.split("/")[0].split(":")[0], image


def test_ports_agree() -> None:
    """The servers listen where the proxy, the probes, the service and the image look for them."""
    serve = [
        command for command in ghost_commands() if command[0] == "serve" and "--port" in command
    ]
    assert {command[command.index("--port") + 1] for command in serve} == {PORT}
    default = next(
        option
        for option in cli.get_command(click.Context(cli), "serve").params
        if option.name == "port"
    )  # type: ignore[union-attr]
    assert str(default.default) == PORT
    assert ("EXPOSE", PORT) in instructions()
    proxied = set(re.findall(r"server (ghost-\d):(\d+)", text("nginx.conf")))
    assert proxied == {("ghost-1", PORT), ("ghost-2", PORT)}
    assert f"listen {PORT};" in text("nginx.conf")
    assert {host for host, _ in proxied} <= set(compose()["services"])
    assert compose()["services"]["proxy"]["ports"] == [f"127.0.0.1:{PORT}:{PORT}"]
    box = of_kind("Deployment")[0]["spec"]["template"]["spec"]["containers"][0]
    assert box["ports"] == [{"name": "http", "containerPort": int(PORT)}]
    assert of_kind("Service")[0]["spec"]["ports"][0]["targetPort"] == "http"


def test_probes_ask_what_there_is() -> None:
    """A server is alive while it answers, and ready while it can read its store."""
    box = of_kind("Deployment")[0]["spec"]["template"]["spec"]["containers"][0]
    paths = {
        kind: box[kind]["httpGet"]["path"]
        for kind in ("startupProbe", "livenessProbe", "readinessProbe")
    }
    assert paths == {
        "startupProbe": "/healthz",
        "livenessProbe": "/healthz",
        "readinessProbe": "/readyz",
    }
    assert all(box[kind]["httpGet"]["port"] == "http" for kind in paths)
    assert box["readinessProbe"]["timeoutSeconds"] > 2  # longer than the server waits for its store
    assert "/healthz" in next(value for name, value in instructions() if name == "HEALTHCHECK")


def test_pods_run_as_nobody_on_a_disk_they_cannot_write() -> None:
    """Every pod has a user of its own, limits, and no way to become more; what it writes to is mounted."""
    assert len(pods()) == 3
    for pod in pods():
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] == USER
        volumes = {one["name"] for one in pod["volumes"]}
        for box in pod["containers"]:
            security = box["securityContext"]
            assert security["readOnlyRootFilesystem"] is True
            assert security["allowPrivilegeEscalation"] is False
            assert security["capabilities"] == {"drop": ["ALL"]}
            assert box["resources"]["limits"]["memory"]
            assert {one["name"] for one in box["volumeMounts"]} == volumes
            home = next(one["value"] for one in box["env"] if one["name"] == "HOME")
            assert home in {one["mountPath"] for one in box["volumeMounts"]}
    assert ("USER", f"{USER}:{USER}") in instructions()


def test_manifests_refer_to_each_other() -> None:
    """Names of the secret, the settings and the labels are those that are made."""
    secret, config = of_kind("Secret")[0], of_kind("ConfigMap")[0]
    for pod in pods():
        for box in pod["containers"]:
            assert box["envFrom"] == [{"configMapRef": {"name": config["metadata"]["name"]}}]
            ref = next(
                one["valueFrom"]["secretKeyRef"] for one in box["env"] if one["name"] == "GHOST_DB"
            )
            assert ref["name"] == secret["metadata"]["name"]
            assert ref["key"] in secret["stringData"]
    labels = of_kind("Deployment")[0]["spec"]["template"]["metadata"]["labels"]
    assert of_kind("Service")[0]["spec"]["selector"] == labels
    assert of_kind("PodDisruptionBudget")[0]["spec"]["selector"]["matchLabels"] == labels
    assert (
        of_kind("Deployment")[0]["spec"]["replicas"]
        > of_kind("PodDisruptionBudget")[0]["spec"]["minAvailable"]
    )
    kustomization = yaml.safe_load(text("kubernetes/kustomization.yaml"))
    assert [
        name for name in kustomization["resources"] if not (DEPLOY / "kubernetes" / name).is_file()
    ] == []
    assert {box["image"].split(":")[0] for pod in pods() for box in pod["containers"]} == {
        kustomization["images"][0]["name"]
    }


def test_what_runs_is_let_finish() -> None:
    """Everything that stops a server waits longer than the server waits for what it is doing."""
    assert (
        of_kind("Deployment")[0]["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
        > GRACE
    )
    assert int(compose()["x-ghost"]["stop_grace_period"].rstrip("s")) > GRACE
    for name in ("systemd/ghost.service", "systemd/ghost-file.service"):
        assert int(unit(name)["Service"]["TimeoutStopSec"][0]) > GRACE
    size = int(re.findall(r"client_max_body_size (\d+)m;", text("nginx.conf"))[0])
    assert size * 1_000_000 >= RequestLimits().body_bytes


def test_compose_holds_together() -> None:
    """Services wait for the database, which is healthy before they start; files and volumes that are named are there."""
    found = compose()
    for service in found["services"].values():
        for name in service.get("depends_on", ()):
            assert name in found["services"]
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            assert (
                (DEPLOY / source).is_file()
                if source.startswith(".")
                else source in found["volumes"]
            )
        if "build" in service:
            assert (
                DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]
            ).resolve() == DEPLOY / "Dockerfile"
    assert found["services"]["ghost-1"]["depends_on"] == {
        "postgres": {"condition": "service_healthy"}
    }
    assert "healthcheck" in found["services"]["postgres"]
    assert found["x-ghost"]["read_only"] is True


def test_the_image_copies_what_there_is() -> None:
    """Everything that is copied into the image is in the repository, and the extras that are installed exist."""
    import tomllib

    given = [
        value.split()
        for name, value in instructions()
        if name == "COPY" and not value.startswith("--from")
    ]
    assert given
    assert [
        source for parts in given for source in parts[:-1] if not (ROOT / source).exists()
    ] == []
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    assert set(re.findall(r"'\.\[([\w,]+)\]'", text("Dockerfile"))[0].split(",")) <= set(extras)


@pytest.mark.parametrize("name", [name for name in UNITS if name.endswith(".service")])
def test_units_are_walled_in(name: str) -> None:
    """Every service runs as a user of its own, sees a system it cannot write, and keeps its state in one folder."""
    service = unit(name)["Service"]
    assert {key: service[key][0] for key in HARDENED} == HARDENED
    state = f"/var/lib/{service['StateDirectory'][0]}"
    assert service["WorkingDirectory"] == [state]
    environment = " ".join(service["Environment"])
    assert f"HOME={state}" in environment
    assert all(one.startswith(state) for one in re.findall(r"GHOST_DB=(/\S+)", environment))
    assert "GHOST_DB=" in environment or "EnvironmentFile" in service
    assert service["ExecStart"][0].startswith("/opt/ghost/bin/ghost ")


def test_the_timer_has_its_service() -> None:
    """What a timer starts is there, and units are wanted by something."""
    assert "systemd/ghost-reflect.service" in UNITS
    for name in UNITS:
        if name != "systemd/ghost-reflect.service":  # its timer starts it
            assert unit(name)["Install"]["WantedBy"]


def test_the_page_names_every_file() -> None:
    """docs/scale.md says what each file is for."""
    page = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
    assert [name for name in FILES if f"deploy/{name}" not in page] == []
