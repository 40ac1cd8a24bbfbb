"""Runs the expressions of scope mappings and policies with the names and helpers that authentik offers them."""

import ipaddress
import json
import re
import textwrap
from types import SimpleNamespace


class Many(list):
    """Enough of a Django query set for expressions."""

    def all(self):
        return self

    def filter(self, **fields):
        return Many(x for x in self if all(self.matches(x, k, v) for k, v in fields.items()))

    @staticmethod
    def matches(item, lookup, value):
        field, _, operator = lookup.partition("__")
        if operator not in ("", "in"):
            raise NotImplementedError(f"the lookup {lookup} is not part of the emulator of authentik")
        own = getattr(item, field, None)
        return own in value if operator == "in" else own == value

    def exists(self):
        return len(self) > 0

    def first(self):
        return self[0] if self else None

    def values_list(self, field, flat=True):
        return Many(getattr(x, field) for x in self)


class User(SimpleNamespace):
    def __init__(self, data):
        super().__init__(**data)
        self.id = self.pk
        self.is_authenticated = True
        self.groups = Many(SimpleNamespace(**g) for g in data["groups"])
        self.ak_groups = self.groups
        self.inherited = Many(SimpleNamespace(**g) for g in data["inherited"])

    def __str__(self):
        return self.username

    def all_groups(self):
        return self.inherited

    def group_attributes(self, request=None):
        merged = {}
        for group in sorted(self.inherited, key=lambda g: g.name):
            merge(merged, group.attributes)
        return merge(merged, self.attributes)

    def app_entitlements(self, application=None):
        return Many()


class Logger:
    def __getattr__(self, level):
        return lambda *args, **fields: emulator.log(level, " ".join(map(str, args)), json.dumps(fields, default=str))


def merge(target, source):
    """Dicts recurse, lists are appended, of other values the later one wins."""
    for key, value in json.loads(json.dumps(source, default=str)).items():
        known = target.get(key)
        if isinstance(known, dict) and isinstance(value, dict):
            merge(known, value)
        elif isinstance(known, list) and isinstance(value, list):
            known.extend(value)
        else:
            target[key] = value
    return target


def list_flatten(value):
    if not isinstance(value, list):
        return value
    return value[0] if value else None


def slugify(text):
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", str(text).lower())).strip("-_")


def ak_is_group_member(user, **filters):
    return user.all_groups().filter(**filters).exists()


def missing(name):
    def refuse(*args, **kwargs):
        raise NotImplementedError(f"{name} is not part of the emulator of authentik")

    return refuse


def plain_helpers():
    helpers = {
        "json": json, "re": re, "ak_logger": Logger(),
        "ak_is_group_member": ak_is_group_member, "list_flatten": list_flatten, "slugify": slugify,
        "regex_match": lambda value, pattern: re.match(pattern, value) is not None,
        "regex_replace": lambda value, pattern, to: re.sub(pattern, to, value),
        "ip_address": ipaddress.ip_address, "ip_network": ipaddress.ip_network,
    }
    for name in ("ak_create_jwt", "ak_user_by", "ak_call_policy", "ak_create_event", "ak_send_email",
                 "ak_user_has_authenticator", "resolve_dns", "reverse_dns", "requests"):
        helpers[name] = missing(name)
    return helpers


def run(expression, name, names):
    source = "def expression():\n" + textwrap.indent(expression + "\npass\n", "    ")
    exec(compile(source, name, "exec"), names)
    return names["expression"]()


def syntax_error(context):
    """Takes expression and name as JSON; gives the message of a syntax error, or null, as JSON. authentik compiles the same
    (BaseEvaluator.wrap_expression) before it stores an expression."""
    data = json.loads(context)
    body = textwrap.indent(data["expression"], "    ")
    try:
        compile(f"def handler():\n{body}\nresult = handler()", data["name"], "exec")
    except (SyntaxError, ValueError) as error:
        return json.dumps(str(error))
    return "null"


def passes(context):
    """Takes policy and user as JSON; gives true or false as JSON, false for a policy that fails."""
    data = json.loads(context)
    policy = data["policy"]
    user = User(data["user"])
    request = SimpleNamespace(user=user, obj=None, context={})
    try:
        return json.dumps(bool(run(policy["expression"], policy["name"], {**plain_helpers(), "request": request})))
    except Exception as error:
        fields = {"policy": policy["name"], "error": f"{type(error).__name__}: {error}"}
        emulator.log("warning", "policy failed and denies access", json.dumps(fields))
        return json.dumps(False)


def claims(context):
    """Takes mappings, user, http, provider and, except for a discovery document, token as JSON; gives the merged claims as JSON."""
    data = json.loads(context)
    user = User(data["user"])
    http = SimpleNamespace(**data["http"], user=user, get_host=lambda: data["http"]["host"], method="POST",
                           path="/application/o/token/", META={}, headers={})
    provider = SimpleNamespace(**data["provider"], application=None)
    context = {"provider": provider}
    if "token" in data:
        context["token"] = SimpleNamespace(**data["token"])

    def ak_create_jwt(user, provider, scopes, validity="seconds=60"):
        name = provider if isinstance(provider, str) else provider.name
        return emulator.create_jwt(user.pk, name, json.dumps(list(scopes)), validity, data["http"]["origin"])

    helpers = {
        **plain_helpers(), "ak_create_jwt": ak_create_jwt,
        "user": user, "http_request": http, **context,
    }
    merged = {}
    for mapping in sorted(data["mappings"], key=lambda m: m["scope_name"]):
        request = SimpleNamespace(user=user, http_request=http, obj=SimpleNamespace(**mapping),
                                  context=context)
        try:
            result = run(mapping["expression"], mapping["name"], {**helpers, "request": request})
            if isinstance(result, dict):
                merge(merged, result)
            else:
                emulator.log("warning", "mapping did not return a dict", json.dumps({"mapping": mapping["name"]}))
        except Exception as error:
            fields = {"mapping": mapping["name"], "error": f"{type(error).__name__}: {error}"}
            emulator.log("warning", "mapping failed and is left out", json.dumps(fields))
    return json.dumps(merged)
