"""The completion script for bash."""

from __future__ import annotations

import shlex

from placewise.cli.completion.described import Command, Option, models

_SCRIPT = r"""# bash completion for placewise; load it with
#   source <(placewise completion bash)
_placewise_words() {
    COMPREPLY=($(compgen -W "$1" -- "$cur"))
}

_placewise_machine() {
    # The model after a count and "x", in any place of a comma list.
    local before="${cur%%"${cur##*[,x]}"}"
    COMPREPLY=($(compgen -P "$before" -W %(models)s -- "${cur#"$before"}"))
    compopt -o nospace 2>/dev/null
}

_placewise_files() {
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$cur"))
}

# Completes the value of the option $1 of the command $2; fails if it takes none.
_placewise_value() {
    case "$2 $1" in
%(values)s
        *) return 1 ;;
    esac
    return 0
}

_placewise() {
    local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"
    local command="" option="" place word
    COMPREPLY=()
    # "--option=value" reaches us as three words.
    if [[ $cur == "=" ]]; then
        cur=""
        option="$prev"
    elif [[ $prev == "=" ]]; then
        option="${COMP_WORDS[COMP_CWORD-2]}"
    else
        option="$prev"
    fi
    command="${COMP_WORDS[1]}"
    if [[ $COMP_CWORD -eq 1 ]]; then
        _placewise_words %(top)s
        return
    fi
    if [[ $option == -* ]] && _placewise_value "$option" "$command"; then
        return
    fi
    # What follows the program is the program's own.
    case "$command" in
        %(programs)s)
            place=2
            while ((place < COMP_CWORD)); do
                word="${COMP_WORDS[place]}"
                case "$command $word" in
                    *" -m"|*" -c") _placewise_files; return ;;
%(skips)s
                    *" -"*) ;;
                    *) _placewise_files; return ;;
                esac
                ((place++))
            done
            ;;
    esac
    case "$command" in
%(options)s
    esac
}
complete -F _placewise placewise
"""


def write(program: Command, commands: tuple[Command, ...]) -> str:
    """Return the script."""
    top = [command.name for command in commands]
    top += [name for option in program.options for name in option.names]
    values = [
        f"        {_patterns(command, option)}) {_value(option)} ;;"
        for command in commands
        for option in command.options
        if option.values != "none"
    ]
    skips = [
        # The value of an option is no program; "=" may stand between the two.
        f'                    {_patterns(command, option)}) [[ ${{COMP_WORDS[place+1]}} == "=" ]] '
        "&& ((place++)); ((place++)) ;;"
        for command in commands
        for option in command.options
        if command.takes_program and option.values != "none" and option.names[0] not in ("-m", "-c")
    ]
    return _SCRIPT % {
        "models": shlex.quote(" ".join(models())),
        "values": "\n".join(values),
        "top": shlex.quote(" ".join(top)),
        "programs": "|".join(command.name for command in commands if command.takes_program),
        "skips": "\n".join(skips),
        "options": "\n".join(_command(command) for command in commands),
    }


def _patterns(command: Command, option: Option) -> str:
    return "|".join(f'"{command.name} {name}"' for name in option.names)


def _value(option: Option) -> str:
    if option.values == "words":
        return f"_placewise_words {shlex.quote(' '.join(option.words))}"
    return {"machine": "_placewise_machine", "file": "_placewise_files"}.get(option.values, ":")


def _command(command: Command) -> str:
    names = " ".join(name for option in command.options for name in option.names)
    if command.takes_program:
        body = (
            f"if [[ $cur == -* ]]; then _placewise_words {shlex.quote(names)}; "
            "else _placewise_files; fi"
        )
    else:
        body = f"_placewise_words {shlex.quote(' '.join([names, *command.words]))}"
    return f"        {command.name}) {body} ;;"
