"""The completion script for zsh."""

from __future__ import annotations

from placewise.cli.completion.described import Command, Option, models

_SCRIPT = r"""#compdef placewise
# zsh completion for placewise; save it as _placewise in a folder of $fpath, or load it with
#   source <(placewise completion zsh)
_placewise_machine() {
    # The model after a count and "x", in any place of a comma list.
    local -a models
    models=(%(models)s)
    compset -P '*[,x]'
    compadd -S '' -a models
}

_placewise() {
    local context state state_descr line
    typeset -A opt_args
    _arguments -C \
%(top)s
        '1:command:->command' '*::argument:->argument'
    case $state in
        command)
            local -a commands
            commands=(
%(commands)s
            )
            _describe 'command' commands
            ;;
        argument)
            case $words[1] in
%(cases)s
            esac
            ;;
    esac
}

if [[ $funcstack[1] == _placewise ]]; then
    _placewise "$@"
else
    compdef _placewise placewise
fi
"""


def write(program: Command, commands: tuple[Command, ...]) -> str:
    """Return the script."""
    return _SCRIPT % {
        "models": " ".join(models()),
        "top": "\n".join(f"        {spec} \\" for spec in _specs(program)),
        "commands": "\n".join(
            f"                {_quoted(f'{c.name}:{_escaped(c.help)}')}" for c in commands
        ),
        "cases": "\n".join(_case(command) for command in commands),
    }


def _case(command: Command) -> str:
    specs = _specs(command)
    if command.takes_program:
        specs.append("'*::program:_files'")
    elif command.words:
        specs.append(_quoted(f"1:value:({' '.join(command.words)})"))
    # With -S what follows the program is left to it.
    lines = " \\\n                        ".join(["_arguments -S", *specs])
    return f"                {command.name})\n                    {lines}\n                    ;;"


def _specs(command: Command) -> list[str]:
    """Return what `_arguments` takes for each option."""
    return [_spec(option, name) for option in command.options for name in option.names]


def _spec(option: Option, name: str) -> str:
    text = f"{_escaped(option.brief)}"
    others = " ".join(option.names)
    if option.values == "none":
        return _quoted(f"({others}){name}[{text}]")
    long = "=" if name.startswith("--") else ""
    action = {
        "words": f"({' '.join(option.words)})",
        "machine": "_placewise_machine",
        "file": "_files",
        "other": "",
    }[option.values]
    # An option such as --on may be given again.
    repeated = "*" if name == "--on" else f"({others})"
    return _quoted(f"{repeated}{name}{long}[{text}]:{_escaped(option.metavar)}:{action}")


def _escaped(text: str) -> str:
    for sign in "\\:[]":
        text = text.replace(sign, f"\\{sign}")
    return text


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
