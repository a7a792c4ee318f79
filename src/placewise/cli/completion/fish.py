"""The completion script for fish."""

from __future__ import annotations

from placewise.cli.completion.described import Command, Option, models

_HEAD = r"""# fish completion for placewise; load it with
#   placewise completion fish | source
# or save it as ~/.config/fish/completions/placewise.fish
function __placewise_machine
    # The model after a count and "x", in any place of a comma list.
    set -l before (commandline -ct | string replace -r '^--[a-z]+=' '' | string match -r '.*[,x]')
    for model in %(models)s
        echo "$before$model"
    end
end

complete -c placewise -f
"""


def write(program: Command, commands: tuple[Command, ...]) -> str:
    """Return the script."""
    lines = [_line("__fish_use_subcommand", option) for option in program.options]
    lines += [
        f"complete -c placewise -n __fish_use_subcommand -a {command.name} "
        f"-d {_quoted(command.help)}"
        for command in commands
    ]
    for command in commands:
        seen = f"__fish_seen_subcommand_from {command.name}"
        lines += [_line(seen, option) for option in command.options]
        if command.takes_program:
            lines.append(f"complete -c placewise -n {_quoted(seen)} -F")
        if command.words:
            words = _quoted(" ".join(command.words))
            lines.append(f"complete -c placewise -n {_quoted(seen)} -a {words}")
    return _HEAD % {"models": " ".join(models())} + "\n".join(lines) + "\n"


def _line(condition: str, option: Option) -> str:
    names = " ".join(
        f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names
    )
    value = {
        "none": "",
        "words": f" -x -a {_quoted(' '.join(option.words))}",
        "machine": " -x -a '(__placewise_machine)'",
        "file": " -r -F",
        "other": " -x",
    }[option.values]
    text = _quoted(option.brief)
    return f"complete -c placewise -n {_quoted(condition)} {names}{value} -d {text}"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
